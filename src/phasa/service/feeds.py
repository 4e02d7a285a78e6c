"""The Feeds page: the feeds of the collection and when each is asked next."""

from __future__ import annotations

import msgspec

from phasa.feeds.store import FeedRow, FeedStore
from phasa.service.section import Call, Metric, Nothing, Section, View
from phasa.service.service import Service


class Feeds(msgspec.Struct, frozen=True):
    """Every feed, in the order they were added."""

    feeds: list[FeedRow]


def _feeds(service: Service, asked: Nothing) -> Feeds:
    path = service.collection.path / "feeds.db"
    if not path.exists():
        return Feeds([])
    with FeedStore(path) as store:
        return Feeds(store.feeds())


def _metrics(service: Service) -> list[Metric]:
    return [Metric("feeds", "Feeds that are watched.", len(_feeds(service, Nothing()).feeds))]


section = Section(
    name="Feeds",
    path="/feeds",
    views=(View("/feeds", "feeds.html", _feeds),),
    calls=(Call("GET", "/api/feeds", "The feeds of the collection.", _feeds, Feeds),),
    metrics=_metrics,
)
