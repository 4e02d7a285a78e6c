"""The replay polls as the daemon does: one policy, the same posts, the same moments."""

from __future__ import annotations

import logging
from bisect import bisect_right
from pathlib import Path

import numpy as np
import pytest
from bench.feeds_watch import watch
from tests.feeds.paper_server import VirtualClock, document
from tests.feeds.test_policy import HOURLY, posts

from phasa.feeds.evaluate import evaluate, replay_shared
from phasa.feeds.forecast import Forecast
from phasa.feeds.policies import Policies
from phasa.feeds.policy import Pace, Rules
from phasa.feeds.post import Post
from phasa.feeds.replay import Replayed
from phasa.feeds.rhythm import DAY, HOUR, MONDAY
from phasa.feeds.rows import FeedUpdate, PollRow
from phasa.feeds.shared import SharedBudget
from phasa.feeds.store import FeedStore
from phasa.feeds.trace import Trace
from phasa.feeds.watch import Watcher
from phasa.web.exchange import Exchange
from phasa.web.url import Url

START = MONDAY + 63 * DAY
DAYS = 40
# A morning feed, one of all hours, one that posts rarely, one that turns from morning to night.
RHYTHMS = (HOURLY, np.full(24, 0.3), np.full(24, 0.03), HOURLY)
LATER = (HOURLY, np.full(24, 0.3), np.full(24, 0.03), np.roll(HOURLY, 12))


class Server:
    """Feeds whose documents show the last 30 posts."""

    def __init__(self, clock: VirtualClock, feeds: dict[str, np.ndarray]) -> None:
        self.clock, self.feeds = clock, {url: times.tolist() for url, times in feeds.items()}
        self.asked: list[tuple[str, float]] = []

    async def fetch(
        self,
        address: Url,
        etag: str | None = None,
        modified: str | None = None,
        *,
        validated: Url | None = None,
        inflated: bool = True,
    ) -> Exchange:
        self.asked.append((str(address), self.clock.now()))
        past = bisect_right(self.feeds[str(address)], self.clock.now())
        body = document([(f"p{k}", float(self.feeds[str(address)][k])) for k in range(max(0, past - 30), past)])
        return Exchange(url=address, final_url=address, status=200, outcome="ok", body=body)


def _known(store: FeedStore, number: int, times: np.ndarray, now: int) -> None:
    """What an earlier run left of a feed."""
    found = [Post(f"p{k}", "", f"p{k}", "", float(at)) for k, at in enumerate(times.tolist())]
    # What a hub delivered costs no poll, so that the budget of the day is whole.
    poll = PollRow(number, now - 1.0, 200, "pushed", len(found), 0, False, "")
    activity = Forecast.learn(times, now).activity()
    store.record(poll, found, FeedUpdate(due=float(now), activity=activity, title="known"))


@pytest.mark.parametrize("per_day", [12.0, 24.0])  # the first poll of every feed can be paid at once
async def test_the_daemon_and_the_replay_poll_at_the_same_moments(tmp_path: Path, per_day: float) -> None:
    # The replay has no documents that could lose a post.
    rules = Rules(per_day, pace=Pace(window_share=0.0))
    learned = [posts(hourly, 63, seed=k) for k, hourly in enumerate(RHYTHMS)]
    # Of the last feed only a week is known: it is still learned.
    learned[-1] = learned[-1][learned[-1] > START - 7 * DAY]
    later = [posts(hourly, DAYS, first=63, seed=10 + k) for k, hourly in enumerate(LATER)]
    replayed = replay_shared(learned, later, START, START + DAYS * DAY, rules)

    clock = VirtualClock(float(START))
    urls = [f"http://{k}.example/" for k in range(len(RHYTHMS))]
    whole = [np.concatenate(halves) for halves in zip(learned, later, strict=True)]
    server = Server(clock, dict(zip(urls, whole, strict=True)))
    with FeedStore(tmp_path / "feeds.db") as store:
        for number, (url, times) in enumerate(zip(urls, learned, strict=True), start=1):
            store.add(url, float(times[0]))
            _known(store, number, times, START)
        policy = Policies(rules, clock.now(), store)
        await Watcher(store, server, policy, clock=clock, at_once=1, spacing=0.0).run(START + DAYS * DAY)
    for url, feed in zip(urls, replayed, strict=True):
        daemon = [at for asked, at in server.asked if asked == url]
        assert len(daemon) > 4
        # The replay ends with a poll of every feed; a virtual clock is a millisecond late at times.
        assert daemon == pytest.approx(feed.polls[:-1], abs=1.0)


async def test_after_a_restart_feeds_not_yet_polled_still_count_in_the_price(tmp_path: Path) -> None:
    """Else the first feed of a restarted daemon would think the budget its own."""
    learned = [posts(np.full(24, 0.3), 63, seed=k) for k in range(8)]
    clock = VirtualClock(float(START))
    urls = [f"http://{k}.example/" for k in range(8)]
    server = Server(clock, dict(zip(urls, learned, strict=True)))
    with FeedStore(tmp_path / "feeds.db") as store:
        for number, (url, times) in enumerate(zip(urls, learned, strict=True), start=1):
            store.add(url, float(times[0]))
            _known(store, number, times, START)
        watcher = Watcher(store, server, SharedBudget(16.0, clock.now()), clock=clock, at_once=1, spacing=0.0)
        await watcher.run(START + 60.0)
        gaps = [feed.due - START for feed in store.feeds()]
    assert max(gaps) < 3 * min(gaps)


def test_a_replay_counts_delay_and_polls() -> None:
    feed = Replayed(np.array([10, 20, 30], dtype=np.int64))
    assert feed.poll(20.0).tolist() == [10, 20]
    assert (feed.delay, feed.unfound) == (10.0, True)
    assert feed.poll(40.5).tolist() == [30]
    assert (feed.delay, feed.polls, feed.unfound) == (20.5, [20.0, 40.5], False)


async def test_a_watch_leaves_a_trail_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "phasa.feeds")
    clock = VirtualClock(float(START))
    times = posts(HOURLY, 63)
    server = Server(clock, {"http://0.example/": times, "http://bad.example/": times})
    plain = server.fetch

    async def failing(address: Url, *rest: str | None, **_: object) -> Exchange:
        if "bad" in address:
            return Exchange(url=address, final_url=address, status=500, outcome="ok")
        return await plain(address)

    server.fetch = failing  # type: ignore[method-assign]
    with FeedStore(tmp_path / "feeds.db") as store:
        for url in server.feeds:
            store.add(url, float(START))
        watcher = Watcher(store, server, SharedBudget(24.0, clock.now()), clock=clock, at_once=1, spacing=0.0)
        await watcher.run(START + 2 * DAY + HOUR)
    levels = {record.levelname: record.getMessage() for record in caplog.records}
    assert "status" in levels["DEBUG"]
    assert "back-off" in levels["WARNING"]
    info = [record.getMessage() for record in caplog.records if record.levelname == "INFO"]
    assert any("first plan" in line for line in info)
    assert sum(line.startswith("budget") for line in info) >= 2


@pytest.mark.parametrize("policy", ["phasa", "dorpm", "rs"])
async def test_the_watch_itself_has_the_delay_that_the_evaluation_says(policy: str) -> None:
    """`bench/feeds_watch.py`, which does the same with long traces: every poll and every post, on a virtual clock."""
    trace = Trace("f", posts(HOURLY, 70, seed=5))
    (said,) = evaluate([trace], [3], [policy])
    assert await watch(trace, 3, policy) == pytest.approx(said.delay_hours, rel=0.001)
