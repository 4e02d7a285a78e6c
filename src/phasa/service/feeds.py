"""The Feeds page: when feeds post, when they are asked, what that brings, and what another budget would bring."""

from __future__ import annotations

import datetime as dt
import time
import zoneinfo
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta
from starlette.responses import Response

from phasa.crawl.run.prometheus import Metric
from phasa.errors import CollectionError, InputError
from phasa.feeds.opml import Outline, read_opml, write_opml
from phasa.feeds.report import DialPoint, FeedLine, Rhythm, days_of, dial, feed_lines, rhythm_of, together, week_of
from phasa.feeds.rows import PlanVersion, PollRow, ShownPost
from phasa.feeds.store import FeedStore
from phasa.service import posts
from phasa.service.section import Call, NotFound, Nothing, Section, View
from phasa.service.service import Service
from phasa.web.url import parse

ON_A_PAGE = 50
LATEST = 30
NEXT = 12
KEPT = 600.0
"""Seconds that the curve of the dial is used again."""
NO_HOURS = (0,) * 24
EACH = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0)

Order = Literal["joined", "title", "next", "delay", "posts", "polls", "failures"]
Zone = Annotated[str, Meta(max_length=60, pattern=r"^[A-Za-z0-9_+\-/]*$", description="A time zone: Asia/Bangkok.")]


class AskedFeeds(msgspec.Struct, frozen=True):
    order: Order = "joined"
    page: Annotated[int, Meta(ge=1, le=1_000_000)] = 1


class AskedFeed(msgspec.Struct, frozen=True):
    id: Annotated[int, Meta(ge=0, le=2**62)]
    zone: Zone = ""
    per_day: (
        Annotated[int, Meta(ge=1, le=24, description="Polls a day to plan for; absent: as many as it gets.")] | None
    ) = None


class AskedLatest(msgspec.Struct, frozen=True):
    count: Annotated[int, Meta(ge=1, le=500)] = 50
    feed: Annotated[int, Meta(ge=0, le=2**62)] | None = None


class AskedAdd(msgspec.Struct, frozen=True):
    url: Annotated[str, Meta(min_length=1, max_length=4000, description="The address of an RSS, Atom or JSON feed.")]
    category: Annotated[str, Meta(max_length=100)] = ""


class AskedImport(msgspec.Struct, frozen=True):
    opml: Annotated[str, Meta(min_length=1, max_length=1_000_000, description="The text of an OPML file.")]


class AddedFeed(msgspec.Struct, frozen=True):
    """`added` is False when it was known already."""

    url: str
    added: bool


class ImportedFeeds(msgspec.Struct, frozen=True):
    """What became of a list."""

    added: int
    known: int
    passed_over: list[str]


class ListedFeed(msgspec.Struct, frozen=True):
    """A feed with its day: posts per hour (UTC) of the last three months."""

    feed: FeedLine
    hours: tuple[int, ...]


class Dial(msgspec.Struct, frozen=True):
    """What a budget brings. `now`: polls a day at present; `achieved` and `expected`: the mean delay now, in hours."""

    feeds: int
    now: float
    achieved: float | None
    expected: float | None
    curve: list[DialPoint]


class Feeds(msgspec.Struct, frozen=True, kw_only=True):
    """One page of the list, and what is seen of all of them."""

    time: float
    count: int
    retired: int
    failing: int
    order: Order
    page: int
    pages: int
    feeds: list[ListedFeed]
    next_polls: list[FeedLine]
    failures: list[FeedLine]
    latest: list[ShownPost]
    dial: Dial


class FeedView(msgspec.Struct, frozen=True, kw_only=True):
    """One feed. `week`: posts by day of the week (Monday first) and hour, in `zone`."""

    feed: FeedLine
    zone: str
    week: tuple[tuple[int, ...], ...]
    rhythm: list[Rhythm]
    plans: list[PlanVersion]
    polls: list[PollRow]
    latest: list[ShownPost]
    curve: list[DialPoint]


_NOTHING = Feeds(
    time=0.0, count=0, retired=0, failing=0, order="joined", page=1, pages=1, feeds=[], next_polls=[], failures=[],
    latest=[],
    dial=Dial(0, 0.0, None, None, []),
)  # fmt: skip


def _file(service: Service) -> Path:
    return service.collection.path / "feeds.db"


def _reading(service: Service) -> FeedStore:
    return FeedStore(_file(service), read_only=True)


def _feeds(service: Service, asked: AskedFeeds) -> Feeds:
    if not _file(service).is_file():
        return _NOTHING
    now = time.time()
    with _reading(service) as store:
        lines = feed_lines(store, now, counted=service.feeds_counted)
        active = [line for line in lines if not line.retired and not line.paused]
        pages = max(1, -(-len(lines) // ON_A_PAGE))
        page = min(asked.page, pages)
        shown = _ordered(lines, asked.order)[(page - 1) * ON_A_PAGE : page * ON_A_PAGE]
        hours = days_of(store, now, [line.id for line in shown])
        return Feeds(
            time=now,
            count=len(lines),
            retired=sum(bool(line.retired) for line in lines),
            failing=sum(line.failures > 0 for line in active),
            order=asked.order,
            page=page,
            pages=pages,
            feeds=[ListedFeed(line, hours.get(line.id, NO_HOURS)) for line in shown],
            next_polls=sorted(active, key=lambda line: line.next_poll)[:NEXT],
            failures=sorted((line for line in active if line.failures), key=lambda line: -line.failures)[:NEXT],
            latest=[posts.short(post) for post in store.latest(LATEST)],
            dial=_dial_of(service, active, now),
        )


def _ordered(lines: list[FeedLine], order: Order) -> list[FeedLine]:
    match order:
        case "title":
            return sorted(lines, key=lambda line: (line.title.casefold(), line.id))
        case "next":
            return sorted(lines, key=lambda line: (bool(line.retired), line.next_poll, line.id))
        case "delay":
            return sorted(lines, key=lambda line: (-(line.achieved_delay or 0.0), line.id))
        case "posts":
            return sorted(lines, key=lambda line: (-line.posts_per_day, line.id))
        case "polls":
            return sorted(lines, key=lambda line: (-line.polls_per_day, line.id))
        case "failures":
            return sorted(lines, key=lambda line: (-line.failures, line.id))
    return lines


def _dial_of(service: Service, active: list[FeedLine], now: float) -> Dial:
    """The curve of all feeds together."""
    all_of_them = together(active)
    return Dial(
        feeds=len(active),
        now=all_of_them.polls_per_day,
        achieved=all_of_them.achieved,
        expected=all_of_them.expected,
        curve=_curve(str(_file(service)), len(active), int(now // KEPT)),
    )


@lru_cache(maxsize=8)
def _curve(path: str, feeds: int, period: int) -> list[DialPoint]:
    """The dial, at most some minutes old: it changes slowly, and thousands of feeds take a while."""
    with FeedStore(path, read_only=True) as store:
        return dial(store, (period + 1) * KEPT)


def _feed(service: Service, asked: AskedFeed) -> FeedView:
    if not _file(service).is_file():
        raise NotFound("there are no feeds yet")
    zone = _zone(asked.zone)
    now = time.time()
    with _reading(service) as store:
        if not (lines := feed_lines(store, now, asked.id)):
            raise NotFound(f"{asked.id}: no such feed")
        rhythm = rhythm_of(store, asked.id, asked.per_day, zone)
        return FeedView(
            feed=lines[0],
            zone=asked.zone or "UTC",
            week=week_of(store, asked.id, zone),
            rhythm=rhythm,
            plans=store.plans(asked.id)[:20],
            polls=store.log(asked.id, newest=30),
            latest=[posts.short(post) for post in store.latest(LATEST, asked.id)],
            curve=_feed_curve(rhythm) if rhythm else [],
        )


def _feed_curve(rhythm: list[Rhythm]) -> list[DialPoint]:
    """The delay of one feed with 1 to 24 polls on each day; clusters weighted by their posts."""
    from phasa.feeds.budget import curves

    hours = np.array([row.believed for row in rhythm], dtype=np.float64)
    # Posts wait half an hour more than whole hours say.
    delays = curves(hours).totals / hours.sum(axis=1, keepdims=True) + 0.5
    means = np.average(delays, axis=0, weights=[max(row.posts, 1) for row in rhythm])
    return [DialPoint(m, float(means[int(m) - 1]), 12.0 / m) for m in EACH if m <= len(means)]


def _zone(name: str) -> dt.tzinfo:
    if not name:
        return dt.UTC
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise InputError(f"zone: unknown time zone '{name}'; use a name such as Asia/Bangkok") from None


def _dial(service: Service, asked: Nothing) -> Dial:
    return _feeds(service, AskedFeeds()).dial


def _next(service: Service, asked: Nothing) -> list[FeedLine]:
    return _feeds(service, AskedFeeds()).next_polls


def _latest(service: Service, asked: AskedLatest) -> list[ShownPost]:
    if not _file(service).is_file():
        return []
    with _reading(service) as store:
        return [posts.short(post) for post in store.latest(asked.count, asked.feed)]


def _add(service: Service, asked: AskedAdd) -> AddedFeed:
    text = asked.url.strip()
    url = parse(text) or (parse(f"https://{text}") if "." in text and ":" not in text else None)
    if url is None:
        raise InputError(f"{text[:200]}: not an http or https address")
    with FeedStore(_file(service)) as store:
        return AddedFeed(str(url), store.add(str(url), time.time(), category=asked.category.strip()))


def _import(service: Service, asked: AskedImport) -> ImportedFeeds:
    bounds = service.collection.settings.feeds
    outlines, passed = read_opml(asked.opml.encode("utf-8", "replace"), bounds=bounds)
    with FeedStore(_file(service)) as store:
        done = store.add_list(outlines, time.time(), bounds.feeds)
    if done.refused:
        passed.insert(0, f"{done.refused:,} feeds: no room, a collection may have {bounds.feeds:,} (feeds.feeds)")
    return ImportedFeeds(done.added, done.known, passed[:100])


def _export(service: Service, asked: Nothing) -> Response:
    outlines: list[Outline] = []
    if _file(service).is_file():
        with _reading(service) as store:
            outlines = [
                Outline(feed.url, feed.title, feed.category, feed.publisher)
                for feed in store.feeds()
                if not feed.retired
            ]
    text = write_opml(outlines, service.name)
    name = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in service.name)
    headers = {"content-disposition": f'attachment; filename="{name}.opml"'}
    return Response(text.encode("utf-8", "replace"), media_type="text/x-opml", headers=headers)


def _metrics(service: Service) -> list[Metric]:
    try:
        feeds = _feeds(service, AskedFeeds())
    except CollectionError:
        return []
    dial = feeds.dial
    found = [
        Metric("feeds", "Feeds that are watched.", feeds.count - feeds.retired),
        Metric("feeds_retired", "Feeds that are gone for good.", feeds.retired),
        Metric("feeds_failing", "Feeds whose last poll failed.", feeds.failing),
        Metric("feeds_polls_per_day", "Polls a day over the last 30 days.", dial.now),
    ]
    delays = (("achieved", dial.achieved), ("expected", dial.expected))
    return found + [
        Metric("feeds_delay_hours", "Mean delay of a post in hours.", value, (("kind", kind),))
        for kind, value in delays
        if value is not None
    ]


section = Section(
    name="Feeds",
    path="/feeds",
    views=(
        View("/feeds", "feeds.html", _feeds, AskedFeeds),
        View("/feeds/{id}", "feed.html", _feed, AskedFeed),
        *posts.views,
    ),
    calls=(
        Call("GET", "/api/feeds", "The feeds, a page at a time, with what is seen of all.", _feeds, Feeds, AskedFeeds),
        Call("GET", "/api/feeds/dial", "What more or fewer polls a day would bring.", _dial, Dial),
        Call("GET", "/api/feeds/next", "The next polls, soonest first.", _next, list[FeedLine]),
        Call("GET", "/api/feeds/latest", "The latest posts.", _latest, list[ShownPost], AskedLatest),
        Call("GET", "/api/feeds/opml", "The feeds as OPML.", _export, None, Nothing, "text/x-opml"),
        Call("GET", "/api/feeds/{id}", "One feed: rhythm, chosen points, polls, posts.", _feed, FeedView, AskedFeed),
        Call("POST", "/api/feeds", "Watch a feed.", _add, AddedFeed, AskedAdd),
        Call("POST", "/api/feeds/import", "Watch the feeds of an OPML list.", _import, ImportedFeeds, AskedImport),
        *posts.calls,
    ),
    metrics=_metrics,
)
