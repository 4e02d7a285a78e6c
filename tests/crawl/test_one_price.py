"""Polls and revisits on one budget: what `phasa crawl` and `phasa feeds watch` do when [fresh] with_feeds is set."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from pathlib import Path

import msgspec
import numpy as np
import pytest
from tests.cli.test_crawl import phasa
from tests.durability.small_web import SmallWeb, collection_for
from tests.feeds.loopback import Loopback, news

from phasa.collection import Collection
from phasa.crawl.revisits import DAY, Revisits
from phasa.crawl.run.freshness import read_freshness
from phasa.feed_settings import FeedSettings
from phasa.feeds.policies import Policies
from phasa.feeds.policy import Rules, Terms
from phasa.feeds.store import FeedStore
from phasa.fresh_settings import FreshSettings
from phasa.frontier.memory import MemoryFrontier
from phasa.frontier.protocol import Ending, Frontier, Offer, Seen, State, Visit
from phasa.schedule.common_budget import LEAST, CommonBudget, read_shares
from phasa.settings import write_settings
from phasa.web.url import Url

START = 1_750_000_000.0
WATCHED = 40 * DAY


def pages(number: int, changes_a_day: float) -> Frontier:
    """So many pages that were watched for forty days and changed so often; all are due."""
    frontier = MemoryFrontier()
    frontier.offer([Offer(Url(f"http://h{n % 7}.example/{n}"), 0.5, 0) for n in range(number)])
    now = START
    while leases := frontier.lease(now, 100):
        for lease in leases:
            seen = Seen(START, START, visits=40, changes=changes_a_day * 40, seconds=WATCHED)
            frontier.finish(
                lease,
                Ending(State.DONE, "200", START, visit=Visit(START, wanted=True, score=1.0), seen=seen, due=START),
            )
        now += 100.0
    return frontier


def made(path: Path, **changes: object) -> Collection:
    collection = Collection.create(path, language="th")
    settings = msgspec.structs.replace(collection.settings, allow_private=True, **changes)
    collection.settings_file.write_text(write_settings(settings), encoding="utf-8")
    return Collection.open(path)


def feeds(number: int, posts_a_day: float, per_day: float) -> Policies:
    policies = Policies(Rules(per_day), START)
    rng = np.random.default_rng(3)
    for feed in range(number):
        times = np.sort(START - rng.uniform(0.0, 200 * DAY, int(posts_a_day * 200))).astype(np.int64)
        policies.register(feed, Terms())
        policies.join(feed, times, START, float(times[0]))
    return policies


@pytest.mark.parametrize("aim", ["delay", "fresh", "versions"])
def test_the_budget_goes_where_more_happens(tmp_path: Path, aim: str) -> None:
    def shares(posts: float, changes: float) -> tuple[float, float]:
        file = tmp_path / f"{posts}-{changes}.db"
        settings = FreshSettings(requests_per_day=400.0, aim=aim, with_feeds=True)  # type: ignore[arg-type]
        revisits = Revisits(settings, pages(100, changes), START, 1.0, CommonBudget(file, "pages", 400.0))
        policies = feeds(50, posts, 400.0)
        for turn in range(3):
            revisits.wake(START + 700.0 * turn)
            policies.share_with_pages(CommonBudget(file, "feeds", 400.0), START + 700.0 * turn)
        found = read_shares(file, 400.0, START + 1400.0)
        assert found is not None
        assert sum(found.per_day.values()) <= 400.0 * (1 + 1e-9)
        return found.per_day["feeds"], found.per_day["pages"]

    quiet, busy = shares(2.0, 0.5), shares(20.0, 0.5)
    assert busy[0] > quiet[0] * 1.2
    assert min(*quiet, *busy) >= 400.0 * LEAST * (1 - 1e-9)
    assert sum(quiet) == pytest.approx(400.0)


def test_polls_and_revisits_that_save_waiting_have_one_price(tmp_path: Path) -> None:
    settings = FreshSettings(requests_per_day=900.0, aim="delay", with_feeds=True, least_hours=0.1)
    revisits = Revisits(settings, pages(100, 1.0), START, 1.0, CommonBudget(tmp_path / "b.db", "pages", 900.0))
    policies = feeds(100, 4.0, 900.0)
    for turn in range(3):
        revisits.wake(START + 700.0 * turn)
        policies.share_with_pages(CommonBudget(tmp_path / "b.db", "feeds", 900.0), START + 700.0 * turn)
    decision = policies.decide(0, START + 1400.0)
    price = decision.worth / policies.shared.bucket.price_factor()
    assert price == pytest.approx(revisits.price, rel=0.05)
    # By the square roots of four posts and one change a day.
    assert policies.rules.per_day == pytest.approx(600.0, rel=0.05)


def test_a_post_may_count_more_than_a_page(tmp_path: Path) -> None:
    def polls(weight: float) -> float:
        file = tmp_path / f"{weight}.db"
        settings = FreshSettings(requests_per_day=900.0, aim="delay", with_feeds=True, least_hours=0.1)
        revisits = Revisits(settings, pages(100, 4.0), START, 1.0, CommonBudget(file, "pages", 900.0))
        policies = feeds(100, 4.0, 900.0)
        for turn in range(3):
            revisits.wake(START + 700.0 * turn)
            policies.share_with_pages(CommonBudget(file, "feeds", 900.0), START + 700.0 * turn, weight)
        return policies.rules.per_day

    assert polls(1.0) == pytest.approx(450.0, rel=0.05)
    assert polls(4.0) == pytest.approx(600.0, rel=0.05)


def test_pages_that_count_four_times_have_twice_the_share_of_posts(tmp_path: Path) -> None:
    settings = FreshSettings(
        requests_per_day=900.0, aim="delay", with_feeds=True, least_hours=0.1, weights={"example": 4.0}
    )
    revisits = Revisits(settings, pages(100, 4.0), START, 1.0, CommonBudget(tmp_path / "b.db", "pages", 900.0))
    policies = feeds(100, 4.0, 900.0)
    for turn in range(3):
        revisits.wake(START + 700.0 * turn)
        policies.share_with_pages(CommonBudget(tmp_path / "b.db", "feeds", 900.0), START + 700.0 * turn)
    assert policies.rules.per_day == pytest.approx(300.0, rel=0.1)


def test_over_days_both_together_keep_to_the_budget(tmp_path: Path) -> None:
    """Six days in which the feeds come to life on the third and are stopped on the fifth."""
    settings = FreshSettings(requests_per_day=96.0, aim="delay", with_feeds=True, discovery=0.0)
    frontier = pages(300, 1.0)
    revisits = Revisits(settings, frontier, START, 1.0, CommonBudget(tmp_path / "b.db", "pages", 96.0))
    policies, purse = feeds(20, 10.0, 1.0), CommonBudget(tmp_path / "b.db", "feeds", 96.0)
    visits, polls = [0] * 6, [0] * 6
    for step in range(6 * 288):
        now, day = START + 300.0 * step, step // 288
        visits[day] += revisits.wake(now)
        for lease in frontier.lease(now, 100):
            seen = msgspec.structs.replace(lease.seen, at=now) if lease.seen is not None else None
            frontier.finish(
                lease, Ending(State.DONE, "200", now, visit=Visit(now, wanted=True), seen=seen, due=now + DAY)
            )
        if 2 <= day < 4:
            if step % 2 == 0:
                policies.share_with_pages(purse, now)
            while policies.ready_at(0, now) <= now:
                policies.pay(0, now)
                polls[day] += 1
        elif step == 4 * 288:
            purse.leave()
    assert polls[0] == polls[1] == polls[4] == polls[5] == 0
    assert polls[3] > 12
    assert visits[0] + polls[0] <= 96  # no page rests less than six hours
    for day in range(1, 6):
        assert 96 * 0.98 <= visits[day] + polls[day] <= 96 * 1.02
    assert visits[3] < visits[1] * 0.9


async def test_the_daemon_takes_its_share_and_gives_it_back(tmp_path: Path) -> None:
    collection = made(tmp_path / "c", fresh=FreshSettings(requests_per_day=200.0, with_feeds=True))
    pages_side = CommonBudget(collection.budget_file, "pages", 200.0)
    pages_side.share(lambda prices: 1e5 / np.sqrt(prices), time.time() - 10)
    async with Loopback({"/rss": news(3, time.time() + 600)}) as server:
        with FeedStore(collection.path / "feeds.db") as store:
            store.add(server.base + "/rss", time.time())
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "phasa", "feeds", "watch", str(collection.path), "--spacing", "0", "--no-crawl"),
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )  # fmt: skip
        assert process.stderr is not None
        said = await asyncio.wait_for(process.stderr.readline(), 30)
        assert b"200 requests a day, shared with the revisits of pages" in said
        await asyncio.sleep(0.5)  # until it hears signals
        found = read_freshness(collection)
        assert found.for_pages == pytest.approx(200.0)
        assert found.for_feeds == 0.0  # all is taken until the pages ask again, and give
        assert pages_side.share(lambda prices: 1e5 / np.sqrt(prices), time.time()) < 200.0
        process.send_signal(signal.SIGTERM)
        _, errors = await asyncio.wait_for(process.communicate(), 20)
    assert process.returncode == 0, errors.decode()
    assert read_freshness(collection).for_feeds is None


def test_the_crawl_takes_its_share_and_status_shows_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = SmallWeb(6, hosts=1)
    with small.serving():
        fresh = FreshSettings(requests_per_day=200.0, with_feeds=True)
        collection = collection_for(tmp_path / "c", small, fresh=fresh)
        CommonBudget(collection.budget_file, "feeds", 200.0).share(lambda prices: 1e5 / np.sqrt(prices), time.time())
        code, _, errors = phasa(capsys, "crawl", collection.path, "--seconds", "8", "--quiet")
        assert code == 0, errors
    assert read_shares(collection.budget_file, 200.0, time.time()) is None  # it has left
    CommonBudget(collection.budget_file, "feeds", 200.0).leave()
    for side in ("pages", "feeds"):
        CommonBudget(collection.budget_file, side, 200.0).share(lambda prices: 1e5 / np.sqrt(prices), time.time())
    _, out, _ = phasa(capsys, "fresh", "status", collection.path)
    assert "Of 200 requests a day 200 are for pages and 0 for feeds; each saves at least" in out


@pytest.mark.parametrize(
    ("requests", "per_feed", "options", "said"),
    [
        (0.0, None, (), "say in requests_per_day"),
        (5.0, None, ("--per-day", "7"), "feeds have no budget of their own"),
        (5.0, 2.0, (), "feeds have no budget of their own"),
    ],
)
def test_two_budgets_at_once_are_refused(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    requests: float,
    per_feed: float | None,
    options: tuple[str, ...],
    said: str,
) -> None:
    fresh = FreshSettings(requests_per_day=requests, with_feeds=True)
    collection = made(tmp_path / "c", fresh=fresh, feeds=FeedSettings(per_feed=per_feed))
    with FeedStore(collection.path / "feeds.db") as store:
        store.add("http://127.0.0.1:9/rss", time.time())
    code, _, errors = phasa(capsys, "feeds", "watch", collection.path, "--seconds", "1", *options)
    assert code == 1
    assert said in errors
