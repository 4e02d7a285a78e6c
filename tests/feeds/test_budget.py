"""Sharing polls among feeds: exact, convex, within limits."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phasa.errors import InputError
from phasa.feeds.budget import BLOCK, SLOWEST, allocate, curves, plans, share_budget, square_root
from phasa.feeds.circle import optimum


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.integers(0, 9), min_size=6, max_size=6), min_size=2, max_size=3), st.integers(3, 12))
def test_equal_marginal_gain_is_the_best_split(counts: list[list[int]], budget: int) -> None:
    totals = curves(np.array(counts, dtype=np.float64)).totals
    levels = allocate(totals, np.arange(1.0, 7.0), budget)
    best = min(
        sum(totals[feed, m - 1] for feed, m in enumerate(split))
        for split in product(range(1, 7), repeat=len(counts))
        if sum(split) <= budget
    )
    assert (levels + 1).sum() <= budget
    assert sum(totals[feed, level] for feed, level in enumerate(levels)) == best


def test_square_root_rule_and_its_delay() -> None:
    polls = square_root([1, 4, 16], 14)
    assert polls.tolist() == [2, 4, 8]
    assert sum(rate / (2 * m) for rate, m in zip([1, 4, 16], polls, strict=True)) == (1 + 2 + 4) ** 2 / (2 * 14)
    assert square_root([0, 0], 4).tolist() == [2, 2]


def test_flat_feeds_are_shared_by_the_square_root_rule() -> None:
    rates = np.array([1.0, 4.0, 9.0])
    shares = share_budget(np.outer(rates / 288, np.ones(288))[:, ::6], 18)
    assert [share.per_day for share in shares] == [3, 6, 9]


def test_slow_feeds_are_polled_every_few_days() -> None:
    counts = np.ones((2, 24)) * [[0.001], [5.0]]
    slow, busy = share_budget(counts, 5.5)
    assert slow.every_days == SLOWEST
    assert slow.per_day == pytest.approx(1 / SLOWEST)
    assert busy.per_day == 5
    assert len(busy.points) == 5


def test_a_host_gets_no_more_than_its_limit() -> None:
    counts = np.ones((3, 24))
    shares = share_budget(counts, 12, ["a", "a", "b"], {"a": 4})
    assert sum(share.per_day for share in shares[:2]) <= 4
    assert shares[2].per_day == 8


def test_a_budget_too_small_is_refused() -> None:
    with pytest.raises(InputError, match="raise the budget"):
        share_budget(np.ones((20, 24)), 2)


def test_one_delay_per_level_is_needed() -> None:
    with pytest.raises(InputError):
        allocate(np.ones((2, 3)), np.arange(1.0, 3.0), 4)


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
