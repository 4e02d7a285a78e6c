"""The checklist of specs/feed-retrieval-scheduling.md §11: the rows on collecting and on the daemon."""

from __future__ import annotations

import datetime as dt
import sqlite3
from email.utils import formatdate
from pathlib import Path

import numpy as np
import pytest
from tests.feeds.paper_server import PaperServer, VirtualClock, document, watcher

from phasa.cli.subscriptions import open_store
from phasa.collection import Collection
from phasa.feeds.parse import read_feed
from phasa.feeds.policies import Policies
from phasa.feeds.policy import Rules, Terms, parse_policy
from phasa.feeds.rhythm import DAY, HOUR, MONDAY
from phasa.feeds.rows import FeedUpdate, PollRow
from phasa.feeds.rules import retrieval_scheduling
from phasa.feeds.store import FeedStore
from phasa.feeds.timetable import PlanMemory, next_moment
from phasa.feeds.watch import Watcher

# A Monday.
NOW = MONDAY + 14602.0 * DAY


@pytest.fixture
def store(tmp_path: Path) -> FeedStore:
    return FeedStore(tmp_path / "feeds.db")


async def run(store: FeedStore, server: PaperServer, clock: VirtualClock, days: float, per_day: float = 1000.0) -> None:
    await watcher(store, server, clock, per_day).run(until=clock.now() + days * DAY)


async def run_policy(
    store: FeedStore, server: PaperServer, clock: VirtualClock, days: float, policy: str, **rules: float
) -> None:
    """The daemon under a policy, with polls enough."""
    server.clock = clock
    asked = Rules(1000.0, policy=parse_policy(policy), **rules)  # type: ignore[arg-type]
    daemon = Watcher(store, server, Policies(asked, clock.now(), store), clock=clock, at_once=1, spacing=0.0)
    await daemon.run(until=clock.now() + days * DAY)


def polls_on(store: FeedStore, feed: int, day: float) -> int:
    return len([poll for poll in store.log(feed) if day <= poll.at < day + DAY])


async def test_row_01_feeds_are_registered_by_publisher_and_category(store: FeedStore) -> None:
    server, clock = PaperServer(), VirtualClock(NOW)
    for publisher in ("BBC", "CNN", "REUTERS"):
        for category in ("Business", "Entertainment", "Top", "US", "World"):
            url = f"http://{publisher.lower()}.example/{category.lower()}"
            assert store.add(url, NOW, publisher, category)
            server.pages[url] = document([(url, NOW - 60)])
    assert not store.add("http://bbc.example/top", NOW)
    await run(store, server, clock, 0.1)
    assert len(store.feeds()) == 15
    assert {len(store.posting_times(feed.id)) for feed in store.feeds()} == {1}


async def test_row_02_a_new_feed_is_polled_every_two_hours(store: FeedStore) -> None:
    """While the first window of a published policy is collected; the gap is a setting, and of each feed."""
    urls = ("http://a.example/", "http://b.example/", "http://c.example/")
    server, clock = PaperServer({url: document([("x", NOW - 5)]) for url in urls}), VirtualClock(NOW)
    for url in urls:
        store.add(url, NOW)
    store.update(2, FeedUpdate(bootstrap=6.0 * HOUR))
    await run_policy(store, server, clock, 3, "dorpm")
    assert polls_on(store, 1, NOW + DAY) == 12
    assert "while its hours are learned" in store.feed(1).why
    assert polls_on(store, 2, NOW + DAY) == 4
    await run_policy(store, server, VirtualClock(clock.now()), 3, "dorpm", bootstrap=3.0 * HOUR)
    assert polls_on(store, 1, NOW + 4 * DAY) == 8


def test_row_03_foreign_elements_and_windows_874_are_read() -> None:
    body = (
        '<?xml version="1.0" encoding="windows-874"?><rss version="2.0" xmlns:feedburner="http://f"'
        ' xmlns:a="http://www.w3.org/2005/Atom"><channel><a:link rel="self" href="x"/><feedburner:info uri="y"/>'
        "<item><title>ข่าว</title></item></channel></rss>"
    ).encode("cp874")
    assert read_feed(body).posts[0].title == "ข่าว"


def test_row_04_title_description_link_and_date_are_kept(store: FeedStore) -> None:
    store.add("http://a.example/", NOW)
    post = read_feed(document([("Nuclear crisis compounds misery", 1300371949.0)])).posts[0]
    store.record(PollRow(1, NOW, 200, "ok", 1, 0, False, ""), [post])
    (shown,) = store.latest()
    assert (shown.title, shown.link, shown.description, shown.published) == (
        "Nuclear crisis compounds misery", "http://a.example/Nuclear-crisis-compounds-misery", "about it", 1300371949.0,
    )  # fmt: skip


def collection(tmp_path: Path, identity: str) -> Path:
    path = tmp_path / identity
    made = Collection.create(path, language="th")
    file = made.path / "collection.toml"
    file.write_text(file.read_text().replace('identity = "guid"', f'identity = "{identity}"'))
    return path


def test_row_05_the_same_document_twice_adds_nothing(tmp_path: Path) -> None:
    for identity in ("guid", "title"):
        with open_store(collection(tmp_path, identity)) as store:
            for url in ("http://a.example/", "http://b.example/"):
                store.add(url, NOW)
            posts = read_feed(document([("a", 1.0), ("b", 2.0)])).posts
            assert len(store.record(PollRow(1, NOW, 200, "ok", 2, 0, False, ""), posts)) == 2
            assert store.record(PollRow(1, NOW + 60, 200, "ok", 2, 0, False, ""), posts) == []
            # The test is per feed: another feed may have a post of the same title.
            assert len(store.record(PollRow(2, NOW, 200, "ok", 2, 0, False, ""), posts)) == 2


def test_row_06_a_retitled_item_is_new_by_title_and_known_by_guid(tmp_path: Path) -> None:
    """Fig. 4.4 and Table 4.1: one link, two titles. What decides is the setting `identity` of the collection."""
    one = read_feed(
        b"<rss><channel><item><title>Nuclear crisis compounds quake survivors' misery</title><guid>g</guid></item>"
        b"</channel></rss>"
    )
    two = read_feed(
        b"<rss><channel><item><title>Nuclear crisis compounds misery</title><guid>g</guid></item></channel></rss>"
    )
    for identity, rows in (("title", 2), ("guid", 1)):
        with open_store(collection(tmp_path, identity)) as store:
            store.add("http://a.example/", NOW)
            for document_ in (one, two):
                store.record(PollRow(1, NOW, 200, "ok", 1, 0, False, ""), document_.posts)
            assert len(store.latest()) == rows


def test_row_10_day_month_and_hour_are_persisted(store: FeedStore, tmp_path: Path) -> None:
    store.add("http://a.example/", NOW)
    at = dt.datetime(2010, 4, 1, 11, 59, 18, tzinfo=dt.UTC).timestamp()
    store.record(PollRow(1, NOW, 200, "ok", 1, 0, False, ""), read_feed(document([("a", at)])).posts)
    with sqlite3.connect(tmp_path / "feeds.db") as db:
        assert db.execute("SELECT day, month, hour FROM post").fetchall() == [(1, 4, 12)]


def daily_at(hours: dict[int, list[float]], days: range) -> list[tuple[str, float]]:
    """Posts at these hours of each day: `hours` by day of the week, 0 for Monday; of any other day those of 0."""
    return [(f"p{day}-{hour}", NOW + day * DAY + hour * HOUR) for day in days for hour in hours.get(day % 7, hours[0])]


class Posting(PaperServer):
    """Feeds that show their last 60 posts."""

    def __init__(self, clock: VirtualClock, feeds: dict[str, list[tuple[str, float]]]) -> None:
        super().__init__()
        self.feeds, self.virtual = feeds, clock

    async def fetch(self, address, *rest, **named):  # type: ignore[no-untyped-def]
        shown = [post for post in self.feeds[str(address)] if post[1] <= self.virtual.now()]
        self.pages[str(address)] = document(shown[-60:][::-1])
        return await super().fetch(address, *rest, **named)


URL = "http://a.example/"
OFFICE = {0: [9.5, 9.6, 15.5], 5: [13.5], 6: []}


async def watched(
    store: FeedStore, posts: list[tuple[str, float]], days: float, policy: str, **rules: float
) -> Posting:
    clock = VirtualClock(NOW)
    server = Posting(clock, {URL: posts})
    store.add(URL, NOW)
    await run_policy(store, server, clock, days, policy, **rules)
    return server


def local_polls(store: FeedStore, first: float, last: float) -> list[tuple[int, float]]:
    """Day since the start and hour of the day of each poll between two days."""
    polls = [(poll.at - NOW) / DAY for poll in store.log(1)]
    return [(int(at // 1), round(at % 1 * 24, 3)) for at in polls if first <= at < last]


async def test_row_12_a_bad_day_teaches_nothing(store: FeedStore) -> None:
    """A fault of one day, full of posts at an odd hour, changes the plan unless that day is left out."""
    odd = [(f"odd{k}", NOW + 10 * DAY + 3.1 * HOUR + k) for k in range(120)]
    posts = sorted([*daily_at({0: [9.5]}, range(28)), *odd], key=lambda post: post[1])
    times = np.array([int(at) for _, at in posts], dtype=np.int64)
    bad = {dt.datetime.fromtimestamp(NOW + 10 * DAY, dt.UTC).date()}
    book = PlanMemory()
    policy = Policies(Rules(1.0, per_feed=1.0, policy=parse_policy("dorpm")), NOW, book)
    for feed, days in ((1, bad), (2, set())):
        book.bad = days
        policy.register(feed, Terms())
        policy.join(feed, times, NOW + 28 * DAY, NOW)
        policy.decide(feed, NOW + 28 * DAY)
    assert [plan.points for plan in book.plans(1)] == [(10,)]
    assert (4,) in [plan.points for plan in book.plans(2)]
    # And the daemon marks such days and leaves them out.
    server = PaperServer({URL: 500})
    store.add(URL, NOW)
    await run_policy(store, server, VirtualClock(NOW + 10 * DAY), 0.5, "dorpm")
    assert store.bad_days(1) == bad
    server.pages[URL] = document(posts)
    await run_policy(store, server, VirtualClock(NOW + 28 * DAY), 1.5, "dorpm", per_feed=1.0)
    assert [plan.points for plan in store.plans(1)] == [(10,)]


async def test_row_14_points_are_stored_and_followed_per_cluster(store: FeedStore) -> None:
    await watched(store, daily_at(OFFICE, range(60)), 45, "dorpm", per_feed=2.0)
    newest = {plan.cluster: plan.points for plan in store.plans(1) if plan.version == 1}
    assert set(newest) == {"weekday", "weekend"}
    assert newest["weekday"] == (10, 16)
    assert newest["weekend"][-1] == 14 or 14 in newest["weekend"]
    polls = local_polls(store, 35, 42)
    weekdays = {hour for day, hour in polls if day % 7 < 5 and hour > 0.1}
    assert weekdays == {10.0, 16.0}
    assert {hour for day, hour in polls if day % 7 >= 5} == {float(point % 24) for point in newest["weekend"]}


async def test_row_14_a_feed_of_even_weeks_has_one_entry(store: FeedStore) -> None:
    await watched(store, daily_at({0: [9.5]}, range(60)), 30, "dorpm", per_feed=1.0)
    assert [plan.cluster for plan in store.plans(1)] == ["all"]


async def test_row_27_the_same_points_every_day_until_the_next_learning(store: FeedStore) -> None:
    await watched(store, daily_at({0: [9.5, 15.5]}, range(90)), 57, "dorpm", per_feed=2.0)
    assert local_polls(store, 30, 55) == [(day, hour) for day in range(30, 55) for hour in (10.0, 16.0)]


async def test_row_28_rs_learns_its_own_two_weeks_once(store: FeedStore) -> None:
    early, late = {0: [9.5, 9.6, 9.7, 10.5]}, {0: [20.5, 20.6, 20.7, 21.5]}
    posts = [*daily_at(early, range(14)), *daily_at(late, range(14, 120))]
    await watched(store, posts, 80, "rs", per_feed=1.0)
    (plan,) = store.plans(1)
    assert round((plan.made - NOW) / DAY, 1) == 14.0
    assert plan.rule == "rs"
    counts = np.zeros(24)
    counts[[9, 10]] = 42, 14
    assert plan.points == retrieval_scheduling(counts, 1).points
    assert {hour for _, hour in local_polls(store, 20, 80)} == {float(plan.points[0])}


async def test_row_36_each_version_is_learned_from_the_last_four_weeks_only(store: FeedStore) -> None:
    posts = [*daily_at({0: [9.5]}, range(28)), *daily_at({0: [20.5]}, range(28, 90))]
    await watched(store, posts, 60, "dorpm", per_feed=1.0)
    # The second version was learned from days 28 to 55, which have nothing of the first month.
    assert [(plan.version, plan.points) for plan in store.plans(1)] == [(2, (21,)), (1, (10,))]


async def test_row_37_a_new_version_after_28_days_and_the_old_one_kept(store: FeedStore) -> None:
    await watched(store, daily_at({0: [9.5]}, range(130)), 115, "dorpm", per_feed=1.0)
    made = [(plan.version, round((plan.made - NOW) / DAY)) for plan in store.plans(1)]
    assert made == [(4, 112), (3, 84), (2, 56), (1, 28)]
    with_period = FeedStore(":memory:")
    await watched(with_period, daily_at({0: [9.5]}, range(130)), 60, "dorpm", per_feed=1.0, update_days=7)
    assert [round((plan.made - NOW) / DAY) for plan in with_period.plans(1)] == [56, 49, 42, 35, 28]


async def test_row_42_midnight_closes_the_day_just_ended(store: FeedStore) -> None:
    """Friday's point 24 is polled on Saturday at 00:00; Saturday follows its own points and Sunday's 24 its own."""
    hours = {0: [9.5, 9.6, 23.5], 5: [11.5], 6: [11.5]}
    await watched(store, daily_at(hours, range(70)), 50, "dorpm", per_feed=2.0)
    newest = {plan.cluster: plan.points for plan in store.plans(1) if plan.version == 1}
    assert newest["weekday"] == (10, 24)
    assert 24 not in newest["weekend"]
    polls = local_polls(store, 35, 43)
    assert (40, 0.0) in polls
    assert (42, 0.0) not in polls
    plans = [plan for plan in store.plans(1) if plan.version == 1]
    friday = NOW + 39 * DAY
    assert next_moment(plans, friday + 12 * HOUR, dt.UTC) == friday + DAY
    bangkok = dt.timezone(dt.timedelta(hours=7))
    assert next_moment(plans, friday + 12 * HOUR, bangkok) == friday + 17 * HOUR


async def test_a_feed_may_have_a_policy_and_a_zone_of_its_own(store: FeedStore) -> None:
    posts = daily_at({0: [2.5]}, range(60))
    clock = VirtualClock(NOW)
    urls = (URL, "http://b.example/", "http://c.example/")
    server = Posting(clock, dict.fromkeys(urls, posts))
    for url in urls:
        store.add(url, NOW)
    store.update(1, FeedUpdate(zone="Asia/Bangkok"))
    store.update(2, FeedUpdate(policy="fixed:6"))
    store.update(3, FeedUpdate(policy="uniform"))
    await run_policy(store, server, clock, 31, "dorpm", per_feed=3.0)
    assert 10 in store.plans(1)[0].points
    assert [polls_on(store, feed, NOW + 29 * DAY) for feed in (1, 2, 3)] == [3, 6, 3]


async def test_row_43_after_an_alarm_a_timetable_is_polled_densely_for_a_week(store: FeedStore) -> None:
    burst = [(f"burst{k}", NOW + 35.2 * DAY + k) for k in range(70)]
    posts = sorted([*daily_at({0: [9.5]}, range(60)), *burst], key=lambda post: post[1])
    await watched(store, posts, 50, "dorpm", per_feed=1.0)
    assert [(poll.at - NOW) // DAY for poll in store.log(1) if poll.missing] == [35.0]
    assert [polls_on(store, 1, NOW + day * DAY) for day in (33, 37, 46)] == [1, 12, 1]


async def test_row_43_a_window_replaced_as_a_whole_raises_the_alarm(store: FeedStore) -> None:
    server, clock = PaperServer({"http://a.example/": document([("a", NOW - 9), ("b", NOW - 8)])}), VirtualClock(NOW)
    store.add("http://a.example/", NOW)
    await run(store, server, clock, 0.05)
    server.pages["http://a.example/"] = document([("c", NOW + 9), ("b", NOW - 8)])
    await run(store, server, clock, 0.1)
    assert not any(poll.missing for poll in store.log())
    server.pages["http://a.example/"] = document([("d", NOW + 7000), ("e", NOW + 7001)])
    await run(store, server, clock, 0.1)
    assert [poll.missing for poll in store.log() if poll.new == 2] == [False, True]


async def test_row_44_every_poll_is_logged(store: FeedStore) -> None:
    server, clock = PaperServer({"http://a.example/": document([("a", NOW - 9)])}), VirtualClock(NOW)
    store.add("http://a.example/", NOW)
    await run(store, server, clock, 0.5)
    assert len(store.log()) == len(server.requests) >= 5
    assert (store.log()[0].status, store.log()[0].seen, store.log()[0].new) == (200, 1, 1)


async def test_row_45_a_failed_poll_is_logged_retried_and_makes_the_day_suspect(store: FeedStore) -> None:
    server, clock = PaperServer({"http://a.example/": 500}), VirtualClock(NOW)
    store.add("http://a.example/", NOW)
    await run(store, server, clock, 1)
    assert [poll.status for poll in store.log()] == [500] * len(server.requests)
    assert len(server.requests) >= 3
    assert dt.datetime.fromtimestamp(NOW, dt.UTC).date() in store.bad_days(1)


async def test_row_46_a_reader_sees_the_latest_first(store: FeedStore) -> None:
    server = PaperServer({
        "http://a.example/": document([("old", NOW - 900), ("new", NOW - 10)]),
        "http://b.example/": document([("middle", NOW - 100)]),
    })  # fmt: skip
    for url in server.pages:
        store.add(url, NOW)
    await run(store, server, VirtualClock(NOW), 0.1)
    assert [shown.title for shown in store.latest()] == ["new", "middle", "old"]


def test_dates_of_paper_documents_are_real() -> None:
    assert formatdate(NOW, usegmt=True).endswith("GMT")
