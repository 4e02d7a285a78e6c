"""The bound against the plain O(k n²) program."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phasa.errors import InputError
from phasa.feeds.oracle import bound, shared_bound

times_of = st.lists(st.integers(0, 60), min_size=1, max_size=10).map(sorted)


def plain(times: list[int], horizon: int | None) -> list[int]:
    """Least total delay with at most 0, 1, … n polls (no polls: infinite without a horizon)."""
    n, never = len(times), 10**9

    def group(i: int, j: int) -> int:
        return sum(times[j - 1] - t for t in times[i:j])

    layers = [[0] + [never] * n]
    for _ in range(n):
        layers.append([0] + [min(layers[-1][i] + group(i, j) for i in range(j)) for j in range(1, n + 1)])
    best, result = never, []
    for layer in layers:
        ends = [layer[n]] if horizon is None else [layer[i] + sum(horizon - t for t in times[i:]) for i in range(n + 1)]
        best = min(best, *ends)
        result.append(best)
    return result


@settings(max_examples=1000, deadline=None)
@given(times_of, st.one_of(st.none(), st.integers(0, 9)))
def test_one_feed_equals_the_plain_program(times: list[int], after: int | None) -> None:
    horizon = None if after is None else times[-1] + after
    expected = plain(times, horizon)
    for polls in range(1 if horizon is None else 0, len(times) + 1):
        found = bound(np.array(times), polls, horizon)
        assert found.total == expected[polls]
        assert sum(found.polls) <= polls


@settings(max_examples=200, deadline=None)
@given(times_of, times_of)
def test_two_feeds_share_as_well_as_any_split(one: list[int], two: list[int]) -> None:
    horizon = max(one[-1], two[-1]) + 3
    first, second = plain(one, horizon), plain(two, horizon)
    for polls in range(len(one) + len(two) + 1):
        splits = range(max(0, polls - len(two)), min(len(one), polls) + 1)
        found = shared_bound([np.array(one), np.array(two)], polls, horizon)
        assert found.total == sum(found.delays) == min(first[k] + second[polls - k] for k in splits)
        assert found.delays == (first[min(found.polls[0], len(one))], second[min(found.polls[1], len(two))])


def test_one_poll_per_post_leaves_no_delay() -> None:
    assert bound(np.array([5, 9, 9, 30]), 3).total == 0


def test_a_feed_without_posts_needs_nothing() -> None:
    assert shared_bound([np.array([], dtype=np.int64), np.array([4, 8])], 1, 10).polls[0] == 0


def test_too_few_polls_are_refused() -> None:
    with pytest.raises(InputError, match="at least one each"):
        shared_bound([np.array([1]), np.array([2])], 1)


def test_a_horizon_before_the_last_post_is_refused() -> None:
    with pytest.raises(InputError, match="horizon"):
        bound(np.array([5]), 1, 3)
