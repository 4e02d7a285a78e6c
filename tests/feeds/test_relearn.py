"""Plans are made anew every four weeks, and sooner when the rhythm has changed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tests.feeds.paper_server import PaperServer, VirtualClock, document, watcher

from phasa.feeds.relearn import Learned, plan_versions
from phasa.feeds.rhythm import DAY, HOUR, MONDAY
from phasa.feeds.store import FeedStore

START = MONDAY + 2900 * 7 * DAY


def daily(hour: int, first: int, days: int, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    return np.sort(
        np.concatenate([START + (first + d) * DAY + hour * HOUR + random.integers(0, HOUR, 4) for d in range(days)])
    )


def test_four_weeks_make_a_plan_old() -> None:
    times = daily(9, 0, 60)
    learned = Learned.at(START + 30 * DAY, times)
    assert learned.outdated(START + 31 * DAY, times) == ""
    assert learned.outdated(START + 58 * DAY, times) == "four weeks have passed"


def test_another_rhythm_makes_a_plan_old_sooner() -> None:
    times = np.concatenate((daily(9, 0, 30), daily(21, 30, 20, seed=1)))
    learned = Learned.at(START + 30 * DAY, times[times < START + 30 * DAY])
    assert "rhythm changed" in learned.outdated(START + 46 * DAY, times)


def test_the_same_rhythm_does_not() -> None:
    times = daily(9, 0, 60)
    learned = Learned.at(START + 30 * DAY, times)
    assert [learned.outdated(START + day * DAY, times) for day in range(31, 58)] == [""] * 27


def test_a_plan_is_for_the_polls_a_feed_gets() -> None:
    ((cluster, per_day, points, hours),) = plan_versions("f", daily(9, 0, 60), 0.4, START + 60 * DAY)
    # Right after the posts, or an hour later where smoothing spreads them.
    assert (cluster, per_day) == ("all", 1)
    assert points in ((10,), (11,))
    assert 0 < hours < 3
    assert plan_versions("f", np.array([], dtype=np.int64), 3, START) == []


async def test_the_daemon_keeps_versions(tmp_path: Path) -> None:
    url = "http://a.example/"
    times = daily(9, -60, 60)
    with FeedStore(tmp_path / "feeds.db") as store:
        store.add(url, START - 60 * DAY)
        server = PaperServer({url: document([(f"p{at}", float(at)) for at in times])})
        await watcher(store, server, VirtualClock(float(START)), 12.0).run(until=START + 30 * DAY)
        assert [version for version, *_ in store.plans(1)] == [1, 2]
