"""Reading what the feeds brought: the page of posts with search, categories and marks, and its API with a cursor."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import msgspec
from msgspec import Meta
from starlette.responses import Response

from phasa.feeds.rows import ShownPost
from phasa.feeds.shelf import Shelf
from phasa.feeds.store import FeedStore
from phasa.feeds.syndicate import atom, json_feed
from phasa.service.section import Call, NotFound, Nothing, View
from phasa.service.service import Service

Count = Annotated[int, Meta(ge=1, le=500)]
Category = Annotated[str, Meta(max_length=200, description="A category with those below it.")]
Words = Annotated[str, Meta(max_length=300, description="Words that all occur; Thai is cut into words.")]
Number = Annotated[int, Meta(ge=1, le=2**62, description="The number of a post.")]


class AskedPosts(msgspec.Struct, frozen=True):
    since: Annotated[int, Meta(ge=0, le=2**62, description="The cursor: posts found after this one.")] = 0
    count: Count = 100
    category: Category = ""


class PostsSince(msgspec.Struct, frozen=True):
    """Posts in the order in which they were found. `cursor`: what to ask with next time."""

    posts: list[ShownPost]
    cursor: int


class AskedReading(msgspec.Struct, frozen=True):
    q: Words = ""
    category: Category = ""
    starred: bool = False
    unread: bool = False
    count: Count = 60


class AskedFeed(msgspec.Struct, frozen=True):
    count: Count = 100
    category: Category = ""


class AskedMark(msgspec.Struct, frozen=True):
    """What is not given stays as it is."""

    number: Number
    read: bool | None = None
    star: bool | None = None


class AskedFeedId(msgspec.Struct, frozen=True):
    id: Annotated[int, Meta(ge=1, le=2**62)]


class Reading(msgspec.Struct, frozen=True):
    """What the page of posts shows."""

    asked: AskedReading
    posts: list[ShownPost]
    categories: list[str]


def short(post: ShownPost) -> ShownPost:
    """What a list shows of a post; a title of a megabyte is not sent."""
    return msgspec.structs.replace(
        post, title=post.title[:500], description=post.description[:500], feed=post.feed[:300], link=post.link[:2000]
    )


def _store(service: Service, read_only: bool = True) -> FeedStore:
    return FeedStore(service.collection.path / "feeds.db", read_only=read_only)


def _has_feeds(service: Service) -> bool:
    return (service.collection.path / "feeds.db").is_file()


def _since(service: Service, asked: AskedPosts) -> PostsSince:
    if not _has_feeds(service):
        return PostsSince([], asked.since)
    with _store(service) as store:
        posts = Shelf(store).since(asked.since, asked.count, asked.category)
    return PostsSince([short(post) for post in posts], posts[-1].number if posts else asked.since)


def _reading(service: Service, asked: AskedReading) -> Reading:
    if not _has_feeds(service):
        return Reading(asked, [], [])
    if asked.q.strip():
        # Where no watch is running, somebody must make the latest posts searchable.
        with _store(service, read_only=False) as store:
            Shelf(store).index()
    with _store(service) as store:
        shelf = Shelf(store)
        posts = shelf.latest(asked.count, asked.category, asked.starred, asked.unread, asked.q)
        return Reading(asked, [short(post) for post in posts], shelf.categories())


def _mark(service: Service, asked: AskedMark) -> Nothing:
    if not _has_feeds(service):
        raise NotFound("there are no feeds yet")
    with _store(service, read_only=False) as store:
        if not Shelf(store).mark(asked.number, time.time(), asked.read, asked.star):
            raise NotFound(f"{asked.number}: no such post")
    return Nothing()


def _new_posts(service: Service, asked: AskedFeed) -> list[ShownPost]:
    if not _has_feeds(service):
        return []
    with _store(service) as store:
        return [post for post in Shelf(store).latest(asked.count, asked.category) if not post.past]


def _atom(service: Service, asked: AskedFeed) -> Response:
    text = atom(_new_posts(service, asked), service.name, f"urn:phasa:{service.name}")
    return Response(text.encode("utf-8", "replace"), media_type="application/atom+xml")


def _json_feed(service: Service, asked: AskedFeed) -> Response:
    body = json_feed(_new_posts(service, asked), service.name, f"urn:phasa:{service.name}")
    return Response(body, media_type="application/feed+json")


@contextmanager
def _one(service: Service, number: int) -> Iterator[tuple[FeedStore, str]]:
    """The store and the address of a feed that is watched. Raises NotFound."""
    if not _has_feeds(service):
        raise NotFound("there are no feeds yet")
    with _store(service, read_only=False) as store:
        url = next((feed.url for feed in store.feeds(number) if not feed.retired), "")
        if not url:
            raise NotFound(f"{number}: no such feed is watched")
        yield store, url


def _pause(service: Service, asked: AskedFeedId) -> Nothing:
    with _one(service, asked.id) as (store, url):
        store.pause(url, time.time())
    return Nothing()


def _resume(service: Service, asked: AskedFeedId) -> Nothing:
    with _one(service, asked.id) as (store, url):
        store.resume(url, time.time())
    return Nothing()


def _remove(service: Service, asked: AskedFeedId) -> Nothing:
    with _one(service, asked.id) as (store, url):
        store.retire(url, "removed by you")
    return Nothing()


views = (View("/posts", "posts.html", _reading, AskedReading),)
_ATOM, _JSON_FEED = "application/atom+xml", "application/feed+json"
calls = (
    Call("GET", "/api/posts", "Posts found after a cursor, in the order of finding.", _since, PostsSince, AskedPosts),
    Call("GET", "/api/posts/search", "The latest posts: searched, filtered.", _reading, Reading, AskedReading),
    Call("GET", "/api/posts/atom", "Everything new as an Atom feed.", _atom, None, AskedFeed, _ATOM),
    Call("GET", "/api/posts/feed", "Everything new as a JSON Feed.", _json_feed, None, AskedFeed, _JSON_FEED),
    Call("POST", "/api/posts/mark", "Mark a post as read or starred.", _mark, Nothing, AskedMark),
    Call("POST", "/api/feeds/pause", "Let a feed rest.", _pause, Nothing, AskedFeedId),
    Call("POST", "/api/feeds/resume", "Ask a feed again that rests.", _resume, Nothing, AskedFeedId),
    Call("POST", "/api/feeds/remove", "Ask a feed no more.", _remove, Nothing, AskedFeedId),
)
