"""Plans for the polls a feed gets, without the days that were damaged; versions as they grow old."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import numpy as np
import pytest
from tests.feeds.paper_server import PaperServer, VirtualClock, document, watcher

from phasa.errors import InputError
from phasa.feeds.circle import total_delay
from phasa.feeds.plan import plan_feed, plan_points
from phasa.feeds.rhythm import DAY, HOUR, MONDAY, LearnedHours, Outdated
from phasa.feeds.rules import place_polls
from phasa.feeds.store import FeedStore
from phasa.feeds.trace import Trace

START = MONDAY + 2900 * 7 * DAY


def daily(hour: int, first: int, days: int, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    return np.sort(
        np.concatenate([START + (first + d) * DAY + hour * HOUR + random.integers(0, HOUR, 4) for d in range(days)])
    )


def day(number: int) -> dt.date:
    return dt.datetime.fromtimestamp(START + number * DAY, dt.UTC).date()


def test_four_weeks_make_a_plan_old() -> None:
    times = daily(9, 0, 60)
    learned = LearnedHours.at(START + 30 * DAY, times)
    assert learned.outdated(START + 31 * DAY, times) is None
    assert learned.outdated(START + 58 * DAY, times) is Outdated.AGE


def test_another_rhythm_makes_a_plan_old_sooner_and_is_looked_for_once_a_day() -> None:
    times = np.concatenate((daily(9, 0, 30), daily(21, 30, 20, seed=1)))
    learned = LearnedHours.at(START + 30 * DAY, times)
    assert learned.outdated(START + 46 * DAY, times) is Outdated.DRIFT
    assert learned.outdated(START + 46 * DAY + HOUR, times) is None


def test_the_same_rhythm_does_not() -> None:
    times = daily(9, 0, 60)
    learned = LearnedHours.at(START + 30 * DAY, times)
    assert [learned.outdated(START + number * DAY, times) for number in range(31, 58)] == [None] * 27


def test_a_plan_is_for_the_polls_a_feed_gets() -> None:
    ((cluster, points, hours, *_),) = plan_points("f", daily(9, 0, 60), 0.4, START + 60 * DAY, damaged=())
    # Right after the posts, or an hour later where smoothing spreads them.
    assert cluster == "all"
    assert points in ((10,), (11,))
    assert 0 < hours < 3
    assert plan_points("f", np.array([], dtype=np.int64), 3, START, damaged=()) == []


def test_damaged_days_teach_nothing() -> None:
    """Weekends on which nothing could be fetched do not make the feed one of working days."""
    good = daily(9, 0, 56)
    weekend = (good - MONDAY) % (7 * DAY) >= 5 * DAY
    lost = Trace("f", good[~weekend])
    assert len(plan_feed(lost, 1)) == 2
    weekends = {day(number) for number in range(56) if number % 7 >= 5}
    (plan,) = plan_feed(lost, 1, damaged=weekends)
    assert plan.cluster == "all"
    noise = Trace("f", np.sort(np.concatenate((good, daily(21, 50, 3)))))
    (clean,) = plan_feed(noise, 1, damaged={day(50), day(51), day(52)})
    assert clean.posts == 4 * (56 - 3)


def test_a_feed_that_fails_every_day_is_planned_all_the_same() -> None:
    every = {day(number) for number in range(60)}
    assert plan_points("f", daily(9, 0, 60), 1, START + 60 * DAY, damaged=every)


async def test_the_daemon_keeps_versions(tmp_path: Path) -> None:
    url = "http://a.example/"
    times = daily(9, -60, 60)
    with FeedStore(tmp_path / "feeds.db") as store:
        store.add(url, START - 60 * DAY)
        server = PaperServer({url: document([(f"p{at}", float(at)) for at in times])})
        await watcher(store, server, VirtualClock(float(START)), 12.0).run(until=START + 30 * DAY)
        assert [(plan.version, plan.why) for plan in store.plans(1)] == [
            (2, "four weeks have passed"),
            (1, "first plan"),
        ]


def test_every_rule_places_polls_and_an_unknown_one_is_named() -> None:
    counts = np.array([0, 5, 0, 1, 0, 2])
    assert place_polls("dorpm", counts, 2) == place_polls("exhaustive", counts, 2)
    assert place_polls("uniform", counts, 2) == ((3, 6), total_delay(counts, (3, 6)))
    assert place_polls("rs", counts, 2).total >= place_polls("dorpm", counts, 2).total
    with pytest.raises(InputError, match="best"):
        place_polls("best", counts, 2)
