"""Shares turned into whole numbers that add up, so that a generated web matches its table exactly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def shared_out(total: int, weights: Floats, least: int = 0) -> Ints:
    """`total` divided in proportion to the weights, by largest remainder, each part at least `least`.

    Raises ValueError when the total cannot give everyone the least.
    """
    count = len(weights)
    if total < least * count:
        raise ValueError(f"{total} cannot be shared among {count} with at least {least} each")
    free = total - least * count
    if count == 0 or weights.sum() <= 0:
        weights = np.ones(count)
    exact = free * (weights / weights.sum())
    parts = np.floor(exact).astype(np.int64)
    missing = free - int(parts.sum())
    order = np.argsort(-(exact - parts), kind="stable")
    parts[order[:missing]] += 1
    return np.asarray(parts + least)


def spread_within(total: int, wanted: Floats, capacity: Ints) -> Ints:
    """Whole numbers near `wanted` × capacity, none above its capacity, that add up to `total`.

    `wanted` are shares in (0, 1). All are shifted together on the logistic scale until the sum is right, so a site
    with a large share keeps a large share. Raises ValueError when `total` is more than all capacity.
    """
    if total > int(capacity.sum()):
        raise ValueError(f"{total} do not fit into {int(capacity.sum())}")
    shares = np.clip(wanted, 1e-9, 1 - 1e-9)
    odds = np.log(shares) - np.log1p(-shares)
    low, high = -60.0, 60.0
    for _ in range(80):
        middle = (low + high) / 2
        if float((capacity / (1 + np.exp(-(odds + middle)))).sum()) < total:
            low = middle
        else:
            high = middle
    exact = capacity / (1 + np.exp(-(odds + high)))
    parts = np.minimum(np.floor(exact).astype(np.int64), capacity)
    missing = total - int(parts.sum())
    order = np.argsort(-(exact - parts), kind="stable")
    for candidate in np.concatenate([order] * 3):
        if missing == 0:
            break
        step = 1 if missing > 0 else -1
        if 0 <= parts[candidate] + step <= capacity[candidate]:
            parts[candidate] += step
            missing -= step
    return np.asarray(parts)
