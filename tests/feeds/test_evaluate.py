"""Evaluation: rows as the contract says, the oracle below all, the policies in their order."""

from __future__ import annotations

import numpy as np
import pytest

from phasa.errors import InputError
from phasa.feeds.evaluate import evaluate, evaluate_shared
from phasa.feeds.replay import actual_delay
from phasa.feeds.rhythm import DAY, HOUR, MONDAY
from phasa.feeds.trace import Trace


def office(rate: float, days: int, seed: int) -> Trace:
    random = np.random.default_rng(seed)
    hourly = np.where((np.arange(24) >= 8) & (np.arange(24) < 18), rate, rate / 20)
    counts = random.poisson(np.tile(hourly, days))
    starts = MONDAY + np.repeat(np.arange(24 * days) * HOUR, counts)
    return Trace(f"office-{seed}", np.sort(starts + random.integers(0, HOUR, len(starts))))


def test_rows_and_order_of_policies() -> None:
    policies = ["phasa", "phasa-fixed", "dorpm", "rs", "uniform", "hindsight", "oracle"]
    rows = list(evaluate([office(0.5, 120, 1)], [1, 4], policies))
    assert [(row.per_day, row.policy) for row in rows] == [(m, p) for m in (1, 4) for p in policies]
    assert len({(row.learned, row.posts) for row in rows}) == 1
    for m in (1, 4):
        delay = {row.policy: row.delay_hours for row in rows if row.per_day == m}
        assert delay["uniform"] == 12 / m
        assert delay["oracle"] < min(delay[p] for p in policies[:-1])
        assert delay["hindsight"] <= delay["dorpm"]
        assert delay["phasa"] < delay["uniform"]
        assert delay["phasa"] < 1.1 * delay["phasa-fixed"]


def test_learning_sees_only_the_first_part() -> None:
    trace = office(0.5, 100, 2)
    changed = Trace(trace.feed, np.concatenate((trace.times[:-40], trace.times[-40:] // HOUR * HOUR)))
    rows = [next(evaluate([t], [4], ["phasa-fixed", "dorpm"])).learned for t in (trace, changed)]
    assert rows[0] == rows[1]


def test_a_feed_without_a_future_gives_no_row() -> None:
    assert list(evaluate([Trace("one", np.array([5]))], [1], ["uniform"])) == []


def test_shared_budget_rows() -> None:
    traces = [office(0.1, 120, 3), office(2.0, 120, 4)]
    late = Trace("late", traces[1].times[traces[1].times > MONDAY + 90 * DAY])
    rows = list(evaluate_shared([*traces, late], 6, ["phasa", "sqrt", "uniform", "oracle"]))
    total = {
        p: sum(r.delay_hours * r.posts for r in rows if r.policy == p) for p in ("phasa", "sqrt", "uniform", "oracle")
    }
    assert total["oracle"] < total["phasa"] < total["sqrt"] < total["uniform"]
    assert next(row for row in rows if row.feed == "late").learned == 0


@pytest.mark.parametrize("policy", ["best", "sqrt"])
def test_unknown_policies_are_named(policy: str) -> None:
    with pytest.raises(InputError, match=policy):
        list(evaluate([office(1, 10, 5)], [1], [policy]))


def test_points_repeat_every_day() -> None:
    posts = MONDAY + np.array([0, HOUR, 23 * HOUR])
    assert actual_delay(posts, [2], HOUR, DAY) == (2 + 1 + 3) * HOUR


def test_processes_share_the_feeds_and_change_nothing() -> None:
    traces = [office(1, 90, seed) for seed in (1, 2, 3)]
    alone = list(evaluate(traces, [2], ["phasa", "uniform"]))
    assert list(evaluate(traces, [2], ["phasa", "uniform"], workers=2)) == alone
    assert len(alone) == 6
