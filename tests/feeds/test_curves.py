"""Many feeds side by side give what one feed alone gives."""

from __future__ import annotations

import numpy as np
import pytest

from phasa.errors import InputError
from phasa.feeds.circle import optimum
from phasa.feeds.curves import BLOCK, curves, plans


def test_every_m_of_every_feed_is_the_optimum() -> None:
    random = np.random.default_rng(3)
    counts = random.poisson(random.gamma(0.5, 2, (12, 24))).astype(np.float64)
    found = curves(counts)
    for feed, row in enumerate(counts):
        for m in range(1, 25):
            alone = optimum(row, m)
            assert found.totals[feed, m - 1] == alone.total
            assert found.starts[feed, m - 1] == alone.points[0]


def test_plans_give_each_feed_its_own_number() -> None:
    random = np.random.default_rng(4)
    counts = random.poisson(1.0, (BLOCK + 20, 12)).astype(np.float64)
    polls = random.integers(0, 13, len(counts))
    chosen = plans(counts, polls, curves(counts).starts)
    for row, m, points in zip(counts, polls, chosen, strict=True):
        assert points == (optimum(row, int(m)).points if m else ())


def test_a_limit_on_m_gives_the_first_columns() -> None:
    counts = np.arange(24.0).reshape(2, 12)
    assert np.array_equal(curves(counts, 3).totals, curves(counts).totals[:, :3])


def test_one_row_is_not_many_feeds() -> None:
    with pytest.raises(InputError):
        curves(np.ones(24))
