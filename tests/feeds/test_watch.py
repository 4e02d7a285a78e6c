"""Every rule of good manners, proved on a scripted server and a virtual clock."""

from __future__ import annotations

from collections.abc import Callable
from email.utils import formatdate
from itertools import pairwise
from pathlib import Path

import pytest
from tests.feeds.paper_server import PaperServer, VirtualClock, document, sound, watcher

from phasa.feeds.manners import LONGEST_ORDER, LONGEST_PAUSE, out_of_skipped, pause_after
from phasa.feeds.post import Hints
from phasa.feeds.rhythm import DAY, HOUR, MONDAY
from phasa.feeds.rows import FeedRow
from phasa.feeds.store import FeedStore
from phasa.web.exchange import Exchange
from phasa.web.url import Url

NOW = MONDAY + 14600.0 * DAY
URL = "http://a.example/feed"


@pytest.fixture
def store(tmp_path: Path) -> FeedStore:
    made = FeedStore(tmp_path / "feeds.db")
    made.add(URL, NOW)
    return made


async def watch(store: FeedStore, server: PaperServer, hours: float, per_day: float = 1000.0) -> list[float]:
    """The times of the requests, in seconds after the start."""
    clock = VirtualClock(NOW)
    await watcher(store, server, clock, per_day).run(until=NOW + hours * HOUR)
    return [request.at - NOW for request in server.requests]


async def test_a_known_validator_is_always_sent_back_verbatim(store: FeedStore) -> None:
    server = PaperServer({URL: document([("a", NOW)])})
    await watch(store, server, 48)
    tags = [request.etag for request in server.requests]
    assert tags[0] is None
    assert len(tags) > 10
    assert all(tag is not None and tag.startswith('"') for tag in tags[1:])


async def test_last_modified_is_sent_back(store: FeedStore) -> None:
    server = PaperServer(
        {URL: document([("a", NOW)])}, headers={URL: (("Last-Modified", "Mon, 05 Apr 2010 00:00:00 GMT"),)}
    )
    await watch(store, server, 6)
    assert server.requests[1].modified == "Mon, 05 Apr 2010 00:00:00 GMT"


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (("Cache-Control", "public, max-age=18000"), 18000),
        (("Expires", formatdate(NOW + 20000, usegmt=True)), 20000),
        (("Cache-Control", "max-age=99999999"), DAY),
    ],
)
async def test_no_request_before_the_answer_is_stale(store: FeedStore, header: tuple[str, str], seconds: int) -> None:
    server = PaperServer({URL: document([("a", NOW)])}, headers={URL: (header, ("Date", formatdate(NOW, usegmt=True)))})
    times = await watch(store, server, 30)
    assert times[1] - times[0] >= seconds
    assert "not before" in store.feed(1).why


async def test_no_cache_is_no_order(store: FeedStore) -> None:
    server = PaperServer({URL: document([("a", NOW)])}, headers={URL: (("Cache-Control", "no-cache, max-age=80000"),)})
    times = await watch(store, server, 6)
    assert times[1] <= 2.1 * HOUR


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("value", ["40000", formatdate(NOW + 40000, usegmt=True)])
async def test_retry_after_holds_for_the_feed_and_its_server(store: FeedStore, status: int, value: str) -> None:
    other = "http://www.a.example/other"
    store.add(other, NOW + 60)
    server = PaperServer({URL: status, other: document([("b", NOW)])}, headers={URL: (("Retry-After", value),)})
    times = await watch(store, server, 20)
    assert [time for time in times if 0 < time < 40000] == []
    assert len(times) >= 3


async def test_an_endless_retry_after_is_held_to_a_week(store: FeedStore) -> None:
    server = PaperServer({URL: 503}, headers={URL: (("Retry-After", "999999999"),)})
    times = await watch(store, server, 8 * 24)
    assert times[1] == pytest.approx(LONGEST_ORDER, abs=600)


@pytest.mark.parametrize(
    ("channel", "seconds"),
    [
        ("<ttl>300</ttl>", 18000),
        ("<sy:updatePeriod xmlns:sy='http://purl.org/rss/1.0/modules/syndication/'>daily</sy:updatePeriod>", 0),
    ],
)
async def test_the_documents_hints_hold(store: FeedStore, channel: str, seconds: int) -> None:
    server = PaperServer({URL: document([("a", NOW)], channel)})
    times = await watch(store, server, 12)
    assert times[1] - times[0] >= seconds


async def test_skipped_hours_and_days_see_no_request(store: FeedStore) -> None:
    hours = "<skipHours>" + "".join(f"<hour>{hour}</hour>" for hour in range(2, 9)) + "</skipHours>"
    server = PaperServer({URL: document([("a", NOW)], hours + "<skipDays><day>Tuesday</day></skipDays>")})
    times = await watch(store, server, 72)
    asked = [(int((NOW + time - MONDAY) // DAY % 7), int((NOW + time) % DAY // HOUR)) for time in times[1:]]
    assert asked
    assert all(day != 1 and not 2 <= hour <= 8 for day, hour in asked)


def test_leaving_skipped_time() -> None:
    assert out_of_skipped(MONDAY + 5, Hints(skip_days=frozenset({0, 1}))) == MONDAY + 2 * DAY
    assert out_of_skipped(MONDAY + 5, Hints()) == MONDAY + 5


async def test_a_permanent_move_is_made_permanent_and_posts_stay_known(store: FeedStore) -> None:
    new = "https://b.example/feed"
    server = PaperServer({new: document([("a", NOW)])}, redirects={URL: (301, new)})
    await watch(store, server, 6)
    assert [request.url for request in server.requests[:2]] == [URL, new]
    assert store.feed(1).url == new
    assert not store.add(URL, NOW)
    assert len(store.latest()) == 1


async def test_a_temporary_move_stays_temporary(store: FeedStore) -> None:
    server = PaperServer({"http://b.example/": document([("a", NOW)])}, redirects={URL: (302, "http://b.example/")})
    await watch(store, server, 6)
    assert {request.url for request in server.requests} == {URL}


async def test_gone_is_gone(store: FeedStore) -> None:
    server = PaperServer({URL: 410})
    assert len(await watch(store, server, 400)) == 1
    assert store.feed(1).retired == "410 Gone"


async def test_failures_back_off_to_a_week_and_never_stop(store: FeedStore) -> None:
    server = PaperServer({URL: 500})
    times = await watch(store, server, 24 * 60)
    gaps = [b - a for a, b in pairwise(times)]
    assert gaps[0] < 2 * HOUR
    assert max(gaps) <= 1.25 * LONGEST_PAUSE + 600
    assert len(times) > 10
    assert "back-off" in store.feed(1).why


def test_feeds_that_fail_together_do_not_come_back_together() -> None:
    pauses = {pause_after(3, f"http://{k}.example/") for k in range(50)}
    assert len(pauses) == 50
    assert 3 * HOUR <= min(pauses) < max(pauses) <= 5 * HOUR


async def test_a_lying_server_is_seen_through(store: FeedStore) -> None:
    """200 with the same body, validators ignored: nothing new, and the next condition is still sent."""
    body = document([("a", NOW)])
    server = PaperServer({URL: body})
    original = server.fetch

    async def lying(address, etag=None, modified=None, **_):  # type: ignore[no-untyped-def]
        answer = await original(address, None, None)
        server.requests[-1] = type(server.requests[-1])(str(address), server.requests[-1].at, etag, modified)
        return answer

    server.fetch = lying  # type: ignore[method-assign]
    await watch(store, server, 12)
    assert {poll.note for poll in store.log()[1:]} == {"unchanged"}
    assert all(request.etag for request in server.requests[1:])


async def test_requests_to_one_server_are_spaced(store: FeedStore) -> None:
    for k in range(5):
        store.add(f"http://a.example/{k}", NOW)
    server = PaperServer({feed.url: document([("a", NOW)]) for feed in store.feeds()})
    clock = VirtualClock(NOW)
    daemon = watcher(store, server, clock, 1000.0)
    daemon.spacing = 30.0
    await daemon.run(until=NOW + HOUR)
    times = sorted(request.at for request in server.requests)
    assert len(times) >= 6
    assert all(b - a >= 30.0 - 1e-6 for a, b in pairwise(times))


async def test_the_budget_is_never_exceeded(store: FeedStore) -> None:
    for k in range(40):
        store.add(f"http://{k}.example/", NOW)
    server = PaperServer({feed.url: document([("a", NOW)]) for feed in store.feeds()})
    times = await watch(store, server, 24 * 4, per_day=50)
    for moment in range(0, 4 * DAY, 3600):
        assert sum(time <= moment for time in times) <= 50 + 50 * moment / DAY + 1


class Presses(PaperServer):
    """Feeds that post at even gaps, the gap is in the address; documents show the last 20 posts."""

    async def fetch(
        self, address: Url, etag: str | None = None, modified: str | None = None, *, validated: Url | None = None,
        inflated: bool = True,
    ) -> Exchange:  # fmt: skip
        assert self.clock is not None
        now, gap = int(self.clock.now()), int(str(address).rsplit("/", 1)[1])
        last = now // gap * gap
        self.pages[str(address)] = document([(f"{at}", float(at)) for at in range(last, last - 20 * gap, -gap)])
        return await super().fetch(address, etag, modified, validated=validated, inflated=inflated)


async def test_a_busy_feed_loses_nothing_while_polls_are_short(store: FeedStore) -> None:
    for k in range(60):
        store.add(f"http://{k}.example/{3600 + k}", NOW)
    store.add("http://busy.example/120", NOW)
    clock = VirtualClock(NOW)
    server = Presses(clock=clock)
    store.retire(URL, "not asked here")
    await watcher(store, server, clock, 160.0).run(until=NOW + 14 * HOUR)
    busy = next(feed.id for feed in store.feeds() if "busy" in feed.url)
    last = max(request.at for request in server.requests if "busy" in request.url)
    found = {int(at) for at in store.posting_times(busy) if at > NOW}
    assert last > NOW + 12 * HOUR
    assert sorted(found) == [at for at in range(0, int(last) + 1, 120) if at > NOW]


async def test_a_look_for_new_feeds_reads_only_those_that_joined_or_changed(
    store: FeedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add("http://b.example/", NOW)
    watching = watcher(store, PaperServer({}), VirtualClock(NOW), 100.0)
    whole: Callable[[FeedStore, int], FeedRow] = FeedStore.feed
    read: list[int] = []

    def counted(self: FeedStore, number: int) -> FeedRow:
        read.append(number)
        return whole(self, number)

    monkeypatch.setattr(FeedStore, "feed", counted)
    watching.join()
    watching.join()
    assert read == [1, 2], "each once"
    store.add("http://c.example/", NOW)
    store.db.execute("UPDATE feed SET policy = 'uniform' WHERE id = 2")
    store.pause(URL, NOW)
    watching.join()
    assert read == [1, 2, 2, 3]
    assert str(watching.policy.choice(2)) == "uniform"  # type: ignore[attr-defined]


async def test_a_feed_that_rested_is_polled_again(store: FeedStore) -> None:
    clock = VirtualClock(NOW)
    server = PaperServer({URL: document([("a", NOW)])}, clock=clock)
    watching = watcher(store, server, clock, 100.0)
    await watching.run(until=NOW + HOUR)
    store.pause(URL, clock.now())
    await watching.run(until=NOW + 20 * DAY)
    rested = len(server.requests)
    store.resume(URL, clock.now())
    await watching.run(until=NOW + 40 * DAY)
    assert len(server.requests) > rested


async def test_what_is_no_feed_is_a_failure_and_keeps_the_old_posts(store: FeedStore) -> None:
    server = PaperServer({URL: document([("a", NOW)])})
    await watch(store, server, 1)
    server.pages[URL] = b"<html>login</html>"
    await watch(store, server, 4)
    assert store.feed(1).failures >= 1
    assert len(store.latest()) == 1


async def test_new_posts_are_told_once_oldest_first(store: FeedStore) -> None:
    server = PaperServer({URL: document([("new", NOW - 1), ("old", NOW - 100)])})
    told: list[str] = []
    clock = VirtualClock(NOW)
    daemon = watcher(store, server, clock, 1000.0)
    daemon.found = lambda feed, posts: told.extend(post.title for post in posts)
    await daemon.run(until=NOW + DAY)
    assert told == ["old", "new"]


async def test_what_was_there_when_a_feed_joined_is_kept_as_past_and_counts_no_delay(store: FeedStore) -> None:
    server = PaperServer({URL: document([("new", NOW + 5), ("undated", 0.0), ("old", NOW - 9 * DAY)])})
    clock = VirtualClock(NOW + 60)
    told: list[tuple[str, bool]] = []
    daemon = watcher(store, server, clock, 1000.0)
    daemon.found = lambda feed, posts: told.extend((post.title, post.past) for post in posts)
    await daemon.run(until=NOW + DAY)
    server.pages[URL] = document([("late", NOW - 8 * DAY), ("new", NOW + 5)])
    await daemon.run(until=NOW + 2 * DAY)
    assert told == [("undated", True), ("old", True), ("new", False), ("late", False)]
    assert store.delays(1, 0.0) == [55.0]
    assert [poll.missing for poll in store.log() if poll.new] == [False, False]


async def test_what_a_feed_posted_while_it_rested_is_no_news(store: FeedStore) -> None:
    server, clock = PaperServer({URL: document([("a", NOW - 9)])}), VirtualClock(NOW)
    told: list[tuple[str, bool]] = []
    daemon = watcher(store, server, clock, 1000.0)
    daemon.found = lambda feed, posts: told.extend((post.title, post.past) for post in posts)
    await daemon.run(until=NOW + HOUR)
    assert store.pause(URL, clock.now())
    server.pages[URL] = document([("b", NOW + DAY)])
    asked = len(server.requests)
    await daemon.run(until=NOW + 9 * DAY)
    assert len(server.requests) == asked
    assert store.resume(URL, clock.now())
    await daemon.run(until=NOW + 9.5 * DAY)
    assert told == [("a", True), ("b", True)]
    assert store.delays(1, 0.0) == []


async def test_a_restart_goes_on_where_it_was(store: FeedStore, tmp_path: Path) -> None:
    server = PaperServer({URL: document([("a", NOW)])}, headers={URL: (("Cache-Control", "max-age=40000"),)})
    await watch(store, server, 1)
    with FeedStore(tmp_path / "feeds.db") as again:
        assert sound(tmp_path / "feeds.db")
        await watch(again, server, 10)
    assert len(server.requests) == 1
