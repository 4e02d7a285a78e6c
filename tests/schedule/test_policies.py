"""Policies on traces: the budget is kept, nothing leaks, and neighbours are worth knowing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from phasa.errors import InputError
from phasa.schedule.policies import POLICIES, learn_trust, visits_of
from phasa.schedule.replay import DAY, WEEK, Future, Visits, split_trace
from phasa.schedule.value import AIMS, Aim, Floats

REAL = Path(__file__).parents[3] / "shared" / "data" / "trace-page-changes" / "changes.tsv.gz"


def world(seed: int = 1) -> list[tuple[str, Floats]]:
    """Folders of 20 pages over a year, whose pages mostly change together."""
    rng = np.random.default_rng(seed)
    trace = []
    for folder in range(15):
        bursts = np.sort(rng.uniform(0, 364 * DAY, 8))
        for page in range(20):
            own = rng.uniform(0, 364 * DAY, rng.poisson(1.0))
            times = np.concatenate((bursts[rng.random(8) < 0.8], own, [folder + 1.0]))
            trace.append((f"site/f{folder}/a/b/{page}", np.sort(times)))
    return trace


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("per_week", [0.05, 1.0])
def test_the_budget_is_kept_and_spent(policy: str, per_week: float) -> None:
    past, future = split_trace(iter(world()), 0.5)
    made = visits_of(policy, past, future, per_week, "fresh")
    budget = per_week * len(past.names) * (future.end - future.begin) / WEEK
    assert made.times.min() >= future.begin
    assert made.times.max() <= future.end
    assert 0.9 * budget <= len(made.times) <= budget + len(past.names) * (policy != "phasa")


@pytest.mark.parametrize("aim", AIMS)
def test_knowing_neighbours_is_better_than_even_visits(aim: Aim) -> None:
    past, future = split_trace(iter(world()), 0.5)
    ours, even = (future.score(visits_of(name, past, future, 0.5, aim)) for name in ("phasa", "uniform"))
    better = {
        "fresh": ours.fresh > even.fresh,
        "delay": ours.delay_days < 0.8 * even.delay_days,
        "versions": ours.versions_seen > even.versions_seen,
    }
    assert better[aim]


def own_rates(seed: int = 1) -> list[tuple[str, Floats]]:
    """Pages of one folder over a year, each with a rate of its own, from one change a year to fifty."""
    rng = np.random.default_rng(seed)
    rates = np.geomspace(1, 50, 80)
    return [
        (f"site/f/a/b/{n}", np.sort(np.append(rng.uniform(0, 364 * DAY, rng.poisson(rate)), 1.0)))
        for n, rate in enumerate(rates)
    ]


@pytest.mark.parametrize("aim", ["delay", "versions"])
def test_where_each_page_has_a_rate_of_its_own_its_past_counts(aim: Aim) -> None:
    past, future = split_trace(iter(own_rates()), 0.5)
    scores = [future.score(visits_of(name, past, future, 0.2, aim)) for name in ("uniform", "phasa", "optimum")]
    even, ours, best = ({"fresh": s.fresh, "delay": s.delay_days, "versions": s.versions_seen}[aim] for s in scores)
    assert (ours - even) / (best - even) > 0.5


def test_the_past_of_pages_is_trusted_as_far_as_it_foretold_what_came() -> None:
    own, _ = split_trace(iter(own_rates()), 0.5)
    shared, _ = split_trace(iter(world()), 0.5)
    assert learn_trust(own) < 2 < 8 < learn_trust(shared)
    once, _ = split_trace(iter([("a", np.array([1.0])), ("b", np.array([2.0, 9.0]))]), 0.5)
    assert 0.5 <= learn_trust(once) <= 64


def test_what_happens_after_a_visit_changes_nothing_before_it() -> None:
    """Two futures that differ only in their last month have the same visits up to it."""
    trace = world()
    past, future = split_trace(iter(trace), 0.5)
    cut = future.end - 30 * DAY
    other = [(page, np.where((times > cut) & (times < future.end), cut + 1, times)) for page, times in trace]
    past_too, future_too = split_trace(iter(other), 0.5)
    assert (past.end, future.end) == (past_too.end, future_too.end)
    one, two = (visits_of("phasa", *known, 0.5, "delay") for known in ((past, future), (past_too, future_too)))
    early, early_too = one.times <= cut, two.times <= cut
    assert (one.pages[early] == two.pages[early_too]).all()


def test_the_same_trace_gives_the_same_visits() -> None:
    runs = [visits_of("phasa", *split_trace(iter(world()), 0.5), 0.2, "fresh") for _ in range(2)]
    assert (runs[0].pages == runs[1].pages).all()


def test_a_score_by_hand() -> None:
    """Two pages for ten days; one changes on days 1 and 2 and is visited on day 4, the other changes on day 8."""
    future = Future(np.array([0, 0, 1]), np.array([1.0, 2.0, 8.0]) * DAY, 2, 0.0, 10 * DAY)
    score = future.score(Visits(np.array([0]), np.array([4 * DAY])))
    assert score.fresh == pytest.approx(1 - (3 + 2) / 20)
    assert score.delay_days == pytest.approx((3 + 2 + 2) / 3)
    assert score.versions_seen == pytest.approx(1 / 3)


def test_what_cannot_be_replayed_is_refused() -> None:
    past, future = split_trace(iter(world()), 0.5)
    with pytest.raises(InputError, match="choose one of phasa"):
        visits_of("best", past, future, 1.0, "fresh")
    with pytest.raises(InputError, match="positive"):
        visits_of("phasa", past, future, 0.0, "fresh")
    with pytest.raises(InputError, match="between 0 and 1"):
        split_trace(iter(world()), 1.0)
    with pytest.raises(InputError, match="one moment"):
        split_trace(iter([("a", np.array([5.0, 5.0]))]), 0.5)


@pytest.mark.skipif(not REAL.is_file(), reason="the trace of real changes is not there")
def test_on_real_changes_ours_is_nearer_the_optimum_than_even_visits() -> None:
    from phasa.feeds.trace import read_traces

    with REAL.open("rb") as file:
        traces = ((one.feed, one.times.astype(np.float64)) for one in read_traces(file) if "/ja/web/" in one.feed)
        past, future = split_trace(traces, 0.5)
    found = {
        name: future.score(visits_of(name, past, future, 0.2, "fresh")).fresh
        for name in ("phasa", "uniform", "optimum")
    }
    assert found["phasa"] > found["uniform"] + 0.5 * (found["optimum"] - found["uniform"])
