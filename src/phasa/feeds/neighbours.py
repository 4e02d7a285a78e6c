"""The hours at which feeds of a kind post: what a feed that has shown little yet is believed to be like."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from phasa.feeds.shape import BINS, LEAST_POSTS, Shape

Floats = NDArray[np.float64]
# Feeds of a kin from which on they are asked; with fewer all feeds of the collection are.
ENOUGH_KIN = 3


class Neighbours:
    """Mean shapes of the feeds that have shown enough, of each kin and of all."""

    def __init__(self) -> None:
        self._sums: dict[str, Floats] = {}
        self._counts: dict[str, int] = {}

    def add(self, kin: str, shape: Shape, posts: int) -> None:
        """A feed was learned; one of few posts teaches nothing."""
        if posts < LEAST_POSTS:
            return
        for group in {kin, ""}:
            self._sums[group] = self._sums.get(group, np.zeros(BINS)) + shape.rates
            self._counts[group] = self._counts.get(group, 0) + 1

    def of(self, kin: str) -> Floats | None:
        """The mean rates of the kin, else of all feeds; None while too few are known."""
        for group in (kin, ""):
            if self._counts.get(group, 0) >= ENOUGH_KIN:
                return np.asarray(self._sums[group] / self._counts[group], dtype=np.float64)
        return None
