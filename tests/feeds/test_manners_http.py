"""Every rule of good manners over real HTTP: days pass on a virtual clock, requests go to a real server on loopback.

The server judges by its own books (see `loopback`): `breaches` must stay empty in every test, whatever else it shows.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from email.utils import formatdate
from itertools import pairwise
from pathlib import Path

import pytest
from aiohttp import ClientSession, web
from tests.feeds.loopback import Answer, Loopback, status
from tests.feeds.paper_server import VirtualClock, document

from phasa.feeds.policies import Policies
from phasa.feeds.policy import Rules
from phasa.feeds.rhythm import DAY, HOUR, MONDAY
from phasa.feeds.store import FeedStore
from phasa.feeds.watch import Watcher
from phasa.web.fetch import Fetcher
from phasa.web.limits import Limits

NOW = MONDAY + 2900.0 * 7 * DAY
PLACE = "a.example/feed"
URL = "http://" + PLACE
FEED = document([("a", NOW - 60), ("b", NOW - 3600)])


class World:
    """A server, a store, and time that passes at once."""

    def __init__(self, server: Loopback, store: FeedStore) -> None:
        self.server, self.store = server, store
        self.clock = VirtualClock(NOW)
        server.now, server.pause = self.clock.now, 0.0
        self.lost: set[str] = set()

    async def pass_time(self, hours: float, *urls: str, spacing: float = 0.0, limits: Limits | None = None) -> None:
        for url in urls or (URL,):
            self.store.add(url, self.clock.now())
        port = int(self.server.base.rpartition(":")[2])
        fetcher = Fetcher(limits or Limits(), "phasa-test", server=f"127.0.0.1:{port}")
        everywhere = fetcher.resolver.addresses

        async def addresses(name: str) -> list[str]:
            if name in self.lost:
                raise OSError(f"no such host: {name}")
            return await everywhere(name)

        fetcher.resolver.addresses = addresses  # type: ignore[method-assign, assignment]
        fetcher.resolver.seconds_bad = 0.0
        async with fetcher:
            watcher = Watcher(
                self.store,
                fetcher,
                Policies(Rules(1000.0), self.clock.now(), self.store),
                self.clock,
                spacing,
                at_once=1,
            )
            await watcher.run(self.clock.now() + hours * HOUR)

    def gaps(self, place: str = PLACE) -> list[float]:
        return [later - sooner for sooner, later in pairwise(self.server.times(place))]


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with Loopback() as server:
        with FeedStore(tmp_path / "feeds.db") as store:
            made = World(server, store)
            yield made
    assert made.server.breaches == []


async def test_the_server_sees_every_breach() -> None:
    async with Loopback(pages={"/feed": FEED}, rests={"/feed": 60.0}) as server, ClientSession() as caller:
        for headers in ({}, {}, {"If-None-Match": '"guessed"'}):
            await (await caller.get(server.base + "/feed", headers=headers)).read()
    early = [breach for breach in server.breaches if "too early" in breach]
    left_out = [breach for breach in server.breaches if "left out" in breach]
    assert (len(early), len(left_out)) == (2, 2)
    assert "never given" in server.breaches[-1]


# Validators.


@pytest.mark.parametrize(
    "validators",
    [
        {"ETag": '"strong"'},
        {"ETag": 'W/"weak"'},
        {"ETag": "unquoted"},
        {"ETag": '"both"', "Last-Modified": "Mon, 05 Apr 2010 00:00:00 GMT"},
    ],
)
async def test_validators_go_back_word_for_word(world: World, validators: dict[str, str]) -> None:
    world.server.pages[PLACE] = FEED
    world.server.headers[PLACE] = validators
    await world.pass_time(48)
    first, *later = world.server.asked(PLACE)
    assert "If-None-Match" not in first.headers
    assert len(later) >= 20
    assert {request.headers["If-None-Match"] for request in later} == {validators["ETag"]}
    assert {poll.status for poll in world.store.log(1)[1:]} == {304}


async def test_last_modified_alone_is_condition_enough(world: World) -> None:
    day = "Mon, 05 Apr 2010 00:00:00 GMT"

    async def dated(request: web.Request) -> web.Response:
        code = 304 if request.headers.get("If-Modified-Since") == day else 200
        return web.Response(status=code, body=FEED if code == 200 else None, headers={"Last-Modified": day})

    world.server.scripts[PLACE] = dated
    await world.pass_time(24)
    assert [poll.status for poll in world.store.log(1)][:3] == [200, 304, 304]


async def test_a_validator_that_changes_is_the_one_that_goes_back(world: World) -> None:
    async def changing(request: web.Request) -> web.Response:
        turn = len(world.server.asked(PLACE))
        body = document([(f"post {turn // 2}", NOW)])
        return web.Response(
            body=body, headers={"ETag": f'"{turn}"', "Last-Modified": formatdate(NOW + turn, usegmt=True)}
        )

    world.server.scripts[PLACE] = changing
    await world.pass_time(24)
    assert len(world.server.asked(PLACE)) >= 10


async def test_a_server_that_ignores_conditions_is_still_asked_with_them(world: World) -> None:
    async def lying(_: web.Request) -> web.Response:
        return web.Response(body=FEED, headers={"ETag": '"x"'})

    world.server.scripts[PLACE] = lying
    await world.pass_time(24)
    assert {poll.note for poll in world.store.log(1)[1:]} == {"unchanged"}


async def test_a_validator_that_is_withdrawn_is_not_sent(world: World) -> None:
    async def once(_: web.Request) -> web.Response:
        turn = len(world.server.asked(PLACE))
        return web.Response(body=document([(f"post {turn}", NOW)]), headers={"ETag": '"first"'} if turn == 1 else {})

    world.server.scripts[PLACE] = once
    await world.pass_time(12)
    assert ["If-None-Match" in request.headers for request in world.server.asked(PLACE)][:4] == [
        False,
        True,
        False,
        False,
    ]


async def test_a_304_brings_new_headers(world: World) -> None:
    """Its validator replaces the old one, and its lifetime counts from now on."""

    async def renewing(request: web.Request) -> web.Response:
        known = request.headers.get("If-None-Match")
        if known is None:
            return web.Response(body=FEED, headers={"ETag": '"1"'})
        world.server.rests[PLACE] = 36_000
        return web.Response(status=304, headers={"ETag": '"2"', "Cache-Control": "max-age=36000"})

    world.server.scripts[PLACE] = renewing
    await world.pass_time(60)
    tags = [request.headers.get("If-None-Match") for request in world.server.asked(PLACE)]
    assert tags[:4] == [None, '"1"', '"2"', '"2"']
    assert min(world.gaps()[1:]) >= 36_000


async def test_a_304_out_of_nowhere_is_a_failure(world: World) -> None:
    world.server.scripts[PLACE] = status(304)
    await world.pass_time(1)
    assert world.store.feed(1).failures == 1


async def test_a_failure_between_does_not_lose_the_validator(world: World) -> None:
    async def shaky(request: web.Request) -> web.Response:
        if len(world.server.asked(PLACE)) % 2 == 0:
            return web.Response(status=500)
        code = 304 if request.headers.get("If-None-Match") else 200
        return web.Response(status=code, body=None if code == 304 else FEED, headers={"ETag": '"x"'})

    world.server.scripts[PLACE] = shaky
    await world.pass_time(24)
    assert {poll.status for poll in world.store.log(1)} == {200, 500, 304}


# Redirects: a validator belongs to the place that gave it.


@pytest.mark.parametrize("code", [301, 308])
async def test_a_permanent_move_is_made_permanent_with_its_validator(world: World, code: int) -> None:
    world.server.scripts[PLACE] = status(code, Location="http://b.example/new")
    world.server.pages["b.example/new"] = FEED
    await world.pass_time(24)
    assert len(world.server.asked(PLACE)) == 1
    assert len(world.server.asked("b.example/new")) >= 10
    assert [poll.status for poll in world.store.log(1)][:3] == [200, 304, 304]
    assert world.store.feed(1).url == "http://b.example/new"
    assert not world.store.add(URL, NOW)


@pytest.mark.parametrize("code", [302, 303, 307])
async def test_a_temporary_move_stays_temporary_and_its_place_is_asked_with_its_validator(
    world: World, code: int
) -> None:
    world.server.scripts[PLACE] = status(code, Location="http://b.example/now")
    world.server.pages["b.example/now"] = FEED
    await world.pass_time(24)
    assert len(world.server.asked(PLACE)) == len(world.server.asked("b.example/now")) >= 10
    assert [poll.status for poll in world.store.log(1)][:3] == [200, 304, 304]
    assert world.store.feed(1).url == URL


async def test_a_validator_never_goes_to_another_place(world: World) -> None:
    """A place that begins to redirect, and whose target changes for good, gives nothing away to the others."""

    async def wandering(_: web.Request) -> web.Response:
        turn = len(world.server.asked(PLACE))
        if turn <= 2:
            return web.Response(body=document([(f"a{turn}", NOW)]), headers={"ETag": '"own"', "Last-Modified": "then"})
        return web.Response(status=302, headers={"Location": f"http://{'b' if turn <= 6 else 'c'}.example/x"})

    world.server.scripts[PLACE] = wandering
    world.server.pages |= {"b.example/x": document([("b", NOW)]), "c.example/x": document([("c", NOW)])}
    await world.pass_time(24)
    assert [poll.status for poll in world.store.log(1)][:9] == [200, 200, 200, 304, 304, 304, 200, 304, 304]


async def test_a_chain_moves_as_far_as_it_is_permanent(world: World) -> None:
    world.server.scripts[PLACE] = status(301, Location="http://b.example/half")
    world.server.scripts["b.example/half"] = status(302, Location="http://c.example/end")
    world.server.pages["c.example/end"] = FEED
    await world.pass_time(24)
    assert world.store.feed(1).url == "http://b.example/half"
    assert len(world.server.asked(PLACE)) == 1
    assert [poll.status for poll in world.store.log(1)][:3] == [200, 304, 304]


async def test_a_304_behind_a_move_that_becomes_permanent_makes_it_permanent(world: World) -> None:
    async def settling(_: web.Request) -> web.Response:
        code = 302 if len(world.server.asked(PLACE)) < 4 else 301
        return web.Response(status=code, headers={"Location": "http://b.example/new"})

    world.server.scripts[PLACE] = settling
    world.server.pages["b.example/new"] = FEED
    await world.pass_time(24)
    assert world.store.feed(1).url == "http://b.example/new"
    assert [poll.status for poll in world.store.log(1)].count(200) == 1
    assert len(world.server.asked(PLACE)) == 4


async def test_the_same_document_at_its_new_address_moves_the_feed_too(world: World) -> None:
    async def moving(request: web.Request) -> web.Response:
        if len(world.server.asked(PLACE)) == 1:
            return web.Response(body=FEED, headers={"ETag": '"old"'})
        return web.Response(status=301, headers={"Location": "http://b.example/new"})

    world.server.scripts[PLACE] = moving
    world.server.pages["b.example/new"] = FEED
    await world.pass_time(12)
    assert world.store.feed(1).url == "http://b.example/new"
    assert len(world.server.asked(PLACE)) == 2


async def test_a_redirect_to_nowhere_moves_nothing_and_backs_off(world: World) -> None:
    world.server.scripts[PLACE] = status(301, Location="http://b.example/login")
    world.server.pages["b.example/login"] = b"<html>log in</html>"
    world.server.rests[PLACE] = 0.75 * HOUR
    await world.pass_time(24)
    assert world.store.feed(1).url == URL
    assert world.store.feed(1).failures == len(world.server.asked(PLACE)) >= 3
    assert [poll.status for poll in world.store.log(1)][:3] == [200, 304, 304]


async def test_a_feed_that_was_no_feed_for_a_while_comes_back(world: World) -> None:
    world.server.pages[PLACE] = FEED
    await world.pass_time(4)
    world.server.pages[PLACE] = b"<html>maintenance</html>"
    await world.pass_time(12)
    assert world.store.feed(1).failures >= 3
    world.server.pages[PLACE] = FEED
    await world.pass_time(24)
    assert world.store.feed(1).failures == 0
    assert len(world.store.latest()) == 2


async def test_circles_end(world: World) -> None:
    world.server.scripts |= {PLACE: status(302, Location="/back"), "a.example/back": status(302, Location="/feed")}
    await world.pass_time(3)
    assert world.store.log(1)[0].outcome == "redirect_loop"


# Orders of the server.


def cached(**headers: str) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        (cached(Cache_Control="public, max-age=18000"), 18_000),
        (cached(Cache_Control='max-age="18000"'), 18_000),
        (cached(Cache_Control="max-age=20000", Age="2000"), 18_000),
        (cached(Cache_Control="max-age=18000", Expires="Mon, 05 Apr 2010 00:00:00 GMT"), 18_000),
        (cached(Cache_Control="max-age=99999999"), DAY),
    ],
)
async def test_cache_control_is_waited_for(world: World, headers: dict[str, str], seconds: float) -> None:
    world.server.pages[PLACE] = FEED
    world.server.headers[PLACE] = headers
    world.server.rests[PLACE] = seconds
    await world.pass_time(6 * 24)
    assert len(world.server.asked(PLACE)) >= 4
    assert max(world.gaps()) <= seconds + 3 * HOUR
    assert "not before" in world.store.feed(1).why


async def test_expires_is_waited_for_by_the_clock_of_the_server(world: World) -> None:
    """The server's clock is three hours ahead, and it says so in Date: five hours are five hours."""

    async def ahead(_: web.Request) -> web.Response:
        there = world.clock.now() + 3 * HOUR
        times = {"Date": formatdate(there, usegmt=True), "Expires": formatdate(there + 5 * HOUR, usegmt=True)}
        return web.Response(body=FEED, headers={"ETag": '"x"', **times})

    world.server.scripts[PLACE] = ahead
    world.server.rests[PLACE] = 5 * HOUR - 1
    await world.pass_time(48)
    assert max(world.gaps()) <= 7 * HOUR
    assert len(world.gaps()) >= 7


@pytest.mark.parametrize(
    "headers",
    [
        cached(Expires="0"),
        cached(Expires="-1"),
        cached(Cache_Control="no-cache, max-age=80000"),
        cached(Cache_Control="no-store"),
    ],
)
async def test_what_may_not_be_kept_is_asked_at_the_usual_pace(world: World, headers: dict[str, str]) -> None:
    world.server.pages[PLACE] = FEED
    world.server.headers[PLACE] = headers
    await world.pass_time(12)
    assert max(world.gaps()) <= 2.1 * HOUR


@pytest.mark.parametrize("code", [429, 503])
@pytest.mark.parametrize("dated", [False, True])
async def test_retry_after_holds_for_all_feeds_of_the_server(world: World, code: int, dated: bool) -> None:
    async def busy(_: web.Request) -> web.Response:
        until = formatdate(world.clock.now() + 40_000, usegmt=True) if dated else "40000"
        return web.Response(status=code, headers={"Retry-After": until})

    world.server.scripts[PLACE] = busy
    world.server.rests[PLACE] = 39_999
    world.server.pages["www.a.example/other"] = FEED
    await world.pass_time(72, URL, "http://www.a.example/other")
    refusals = world.server.times(PLACE)
    assert len(refusals) >= 4
    assert all(
        not refused < at < refused + 39_999 for refused in refusals for at in world.server.times("www.a.example/other")
    )
    assert len(world.server.asked("www.a.example/other")) >= 2


async def test_retry_after_outlives_a_restart(world: World) -> None:
    world.server.scripts[PLACE] = status(429, Retry_After="40000")
    world.server.pages["www.a.example/other"] = FEED
    await world.pass_time(1)
    await world.pass_time(9, "http://www.a.example/other")
    assert len(world.server.requests) == 1
    await world.pass_time(4)
    assert len(world.server.asked("www.a.example/other")) >= 1


async def test_retry_after_behind_a_redirect_holds_for_both_servers(world: World) -> None:
    world.server.scripts[PLACE] = status(302, Location="http://b.example/busy")
    world.server.scripts["b.example/busy"] = status(503, Retry_After="40000")
    world.server.pages["b.example/other"] = FEED
    world.store.add("http://b.example/other", NOW + 60)
    await world.pass_time(11, URL)
    assert len(world.server.asked(PLACE)) == 1
    assert len(world.server.asked("b.example/other")) == 0


async def test_gone_is_never_asked_again(world: World) -> None:
    world.server.scripts[PLACE] = status(410)
    world.server.rests[PLACE] = float("inf")
    await world.pass_time(60 * 24)
    assert world.store.feed(1).retired == "410 Gone"
    assert len(world.server.asked(PLACE)) == 1


# Hints of the document.

SY = "xmlns:sy='http://purl.org/rss/1.0/modules/syndication/'"


def hinted(hints: str) -> bytes:
    return document([("a", NOW - 60)], hints).replace(b"<rss", f"<rss {SY}".encode())


@pytest.mark.parametrize(
    ("hints", "seconds"),
    [
        ("<ttl>300</ttl>", 18_000),
        ("<ttl>9999999</ttl>", DAY),
        ("<sy:updatePeriod>daily</sy:updatePeriod>", DAY),
        ("<sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency>", 6 * HOUR),
        ("<sy:updatePeriod>weekly</sy:updatePeriod><sy:updateFrequency>14</sy:updateFrequency>", 12 * HOUR),
        ("<ttl>300</ttl><sy:updatePeriod>hourly</sy:updatePeriod>", 18_000),
    ],
)
async def test_the_documents_pace_is_kept(world: World, hints: str, seconds: float) -> None:
    world.server.pages[PLACE] = hinted(hints)
    world.server.rests[PLACE] = seconds
    await world.pass_time(6 * 24)
    assert len(world.server.asked(PLACE)) >= 4
    assert max(world.gaps()) <= seconds + 3 * HOUR


async def test_the_base_of_updates_says_when_in_the_day(world: World) -> None:
    """A feed that changes at 04:30 and every eight hours from then is asked at these moments or later, not sooner."""
    base = "2010-04-05T04:30+00:00"
    world.server.pages[PLACE] = hinted(
        f"<sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>3</sy:updateFrequency>"
        f"<sy:updateBase>{base}</sy:updateBase>"
    )

    def next_update(now: float) -> float:
        return now + 8 * HOUR - (now - 4.5 * HOUR) % (8 * HOUR)

    world.server.rests[PLACE] = next_update
    await world.pass_time(6 * 24)
    moments = [(at - 4.5 * HOUR) % (8 * HOUR) for at in world.server.times(PLACE)[1:]]
    assert len(moments) >= 12
    assert max(moments) <= 2.1 * HOUR


@pytest.mark.parametrize("changes", [True, False])
async def test_skipped_hours_and_days_see_no_request(world: World, changes: bool) -> None:
    hours = "<skipHours>" + "".join(f"<hour>{hour}</hour>" for hour in (*range(1, 9), 24)) + "</skipHours>"
    days = "<skipDays><day>Tuesday</day><day>Saturday</day></skipDays>"

    async def skipping(request: web.Request) -> web.Response:
        turn = len(world.server.asked(PLACE)) if changes else 1
        if request.headers.get("If-None-Match") == f'"{turn}"':
            return web.Response(status=304)
        body = document([(f"p{turn}", world.clock.now() - 5)], hours + days)
        return web.Response(body=body, headers={"ETag": f'"{turn}"'})

    world.server.scripts[PLACE] = skipping
    await world.pass_time(14 * 24)
    # The first poll cannot know.
    asked = [(int((at - MONDAY) // DAY % 7), int(at % DAY // HOUR)) for at in world.server.times(PLACE)[1:]]
    assert len(asked) >= 40
    assert [moment for moment in asked if moment[0] in (1, 5) or moment[1] <= 8] == []


async def test_a_hint_that_is_taken_back_no_longer_holds(world: World) -> None:
    async def relenting(_: web.Request) -> web.Response:
        turn = len(world.server.asked(PLACE))
        return web.Response(body=document([(f"p{turn}", NOW)], "<ttl>600</ttl>" if turn == 1 else ""))

    world.server.scripts[PLACE] = relenting
    await world.pass_time(24)
    first, *later = world.gaps()
    assert first >= 36_000
    assert max(later) <= 2.1 * HOUR


# Failures.


async def _late(_: web.Request) -> web.Response:
    await asyncio.sleep(0.2)
    return web.Response(status=200)


@pytest.mark.parametrize(
    "answer", [status(500), status(502), status(404), status(403), _late], ids=["500", "502", "404", "403", "late"]
)
async def test_failures_back_off_longer_and_longer_with_jitter(world: World, answer: Answer) -> None:
    """An hour, doubled each time up to a week, ± 25 %, and never for good."""
    others = [f"http://{k}.example/feed" for k in range(5)]
    for place in (PLACE, *(url[7:] for url in others)):
        world.server.scripts[place] = answer
    limits = Limits(first_byte_seconds=0.03)
    await world.pass_time(30 * 24, URL, *others, limits=limits)
    for place in (PLACE, *(url[7:] for url in others)):
        gaps = world.gaps(place)
        assert len(gaps) >= 8
        for failure, gap in enumerate(gaps):
            pause = min(7 * DAY, HOUR * 2.0**failure)
            assert 0.75 * pause <= gap <= 1.25 * pause + 120
    assert len({round(world.gaps(url[7:])[3]) for url in others}) == len(others)


async def test_a_name_that_is_lost_backs_off_and_comes_back(world: World) -> None:
    world.server.pages[PLACE] = FEED
    await world.pass_time(4)
    world.lost.add("a.example")
    before = len(world.server.asked(PLACE))
    await world.pass_time(48)
    failures = [poll for poll in world.store.log(1) if poll.outcome == "dns_error"]
    assert 3 <= len(failures) <= 7
    assert len(world.server.asked(PLACE)) == before
    world.lost.clear()
    await world.pass_time(72)
    assert world.store.feed(1).failures == 0
    assert world.server.asked(PLACE)[before].headers["If-None-Match"]


# Among many.


async def test_requests_to_one_server_are_spaced_also_behind_redirects(world: World) -> None:
    urls = [f"http://{k}.a.example/feed" for k in range(4)] + ["http://c.example/to-a"]
    for k in range(5):
        world.server.pages[f"{k}.a.example/feed"] = FEED
    world.server.scripts["c.example/to-a"] = status(302, Location="http://4.a.example/feed")
    await world.pass_time(12, *urls, spacing=30.0)
    times = [request.at for request in world.server.requests if request.host.endswith("a.example")]
    assert len(times) >= 30
    # What a redirect leads to is known only when it is followed; the next request waits for it all the same.
    redirected = set(world.server.times("c.example/to-a"))
    assert all(later - sooner >= 30 - 1e-6 for sooner, later in pairwise(times) if later not in redirected)


async def test_a_window_that_was_replaced_as_a_whole_raises_the_alarm(world: World) -> None:
    async def rushing(_: web.Request) -> web.Response:
        turn = len(world.server.asked(PLACE))
        first = 3 * turn if turn < 4 else 100 * turn
        overlap = 1 if turn < 4 else 0
        posts = [(f"p{k}", world.clock.now() - 60) for k in range(first - overlap, first + 3)]
        return web.Response(body=document(posts))

    world.server.scripts[PLACE] = rushing
    await world.pass_time(12)
    assert [poll.missing for poll in world.store.log(1)][:5] == [False, False, False, True, True]


async def test_all_rules_at_once(world: World) -> None:
    """Twelve feeds of every kind on four servers for ten days: not one breach, and every feed is served."""
    urls = []
    for k in range(12):
        place = f"{k % 4}.example/feed{k}"
        urls.append("http://" + place)
        world.server.pages[place] = hinted(
            ["<ttl>240</ttl>", "<sy:updatePeriod>daily</sy:updatePeriod>", "", ""][k % 4]
        )
        world.server.rests[place] = [14_400.0, float(DAY), 10_000.0, 0.0][k % 4]
        world.server.headers[place] = {"Cache-Control": "max-age=10000"} if k % 4 == 2 else {"Last-Modified": "then"}
    await world.pass_time(10 * 24, *urls, spacing=5.0)
    assert all(len(world.server.asked(url[7:])) >= 8 for url in urls)
