"""What the web answers to one lease: a value that the loop settles, whether the web is live or replayed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, overload

import msgspec
import numpy as np
from numpy.typing import NDArray

from phasa.crawl.anchors import Anchors
from phasa.crawl.contexts import Contexts
from phasa.frontier.protocol import Lease
from phasa.web.exchange import Exchange
from phasa.web.html import Page
from phasa.web.url import Url

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class OutLinks:
    """The links of one page as columns, so that a strategy scores them all at once. Only `urls` must be given.

    A column is either empty or as long as `urls`.
    """

    urls: Sequence[str]
    anchors: Sequence[str] = ()
    """The anchor text of each link."""
    contexts: Sequence[str] = ()
    """The text around each link (before and after)."""
    hints: Sequence[str] = ()
    """hreflang of each link, '' when absent."""
    similarity: Floats | None = None
    """Γ of each anchor where it is already known, as in a replayed web graph; computed from `anchors` otherwise."""

    def __len__(self) -> int:
        return len(self.urls)

    def pick(self, places: list[int]) -> OutLinks:
        """Some of the links."""

        def of(column: Sequence[str]) -> Sequence[str]:
            if isinstance(column, Anchors | Contexts):
                return column.picked(places)
            return [column[place] for place in places] if column else ()

        contexts: Sequence[str] = ()
        if self.contexts:
            contexts = of(self.contexts) if isinstance(self.contexts, Contexts) else _Picked(self.contexts, places)
        similarity = self.similarity[places] if self.similarity is not None else None
        return OutLinks(of(self.urls), of(self.anchors), contexts, of(self.hints), similarity)


class _Picked(Sequence[str]):
    """Some of the items of a sequence, which are made when somebody asks for them."""

    def __init__(self, items: Sequence[str], places: list[int]) -> None:
        self._items, self._places = items, places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self._items[at] for at in self._places[place]]
        return self._items[self._places[place]]


NO_LINKS = OutLinks(())


class Kind(Enum):
    """What to do with an answer."""

    PAGE = "page"  # judge it and follow its links
    REQUISITE = "requisite"  # what a page needs to be seen: kept, not judged
    SITEMAP = "sitemap"  # not a page; the addresses that it lists are offered
    OTHER = "other"  # an answer, but not a page: an error status, another media type
    MOVED = "moved"  # a redirect: its target is offered in its place
    REFUSED = "refused"  # not fetched: robots.txt says no
    FIRST = "first"  # something else of this host had to be fetched first: give the lease back
    BUSY = "busy"  # the server asks us to come later (429, 503)
    FAILED = "failed"  # no whole answer


class Answer(msgspec.Struct, frozen=True):
    """One answer. `page` is what the judge reads, `links` what the strategy scores, `exchange` what the archive keeps.

    A replayed web answers with a subclass that has what its own judge needs.
    """

    kind: Kind
    reason: str = ""
    status: int = 0
    mime: str = ""
    size: int = 0
    address: str = ""
    country: str = ""
    seconds: float = 0.0
    crawl_delay: float = 0.0
    retry_after: float = 0.0
    target: Url | None = None
    """Where a redirect leads."""
    listed: Sequence[Url] = ()
    """Addresses that a sitemap lists, or sitemaps that a robots.txt names: as much wanted as what led to them."""
    changed: Mapping[Url, float] = {}
    """When some of these changed, as a sitemap says."""
    needs: Sequence[Url] = ()
    """What a page, a style sheet or a frame needs to be seen."""
    page: Page | None = None
    links: OutLinks = NO_LINKS
    follow: bool = True
    exchange: Exchange | None = None


class Web(Protocol):
    """What is behind a URL? Never raises for what a server did."""

    async def address(self, lease: Lease) -> str:
        """The server address that the lease's host is at; '' when there is none to know, or no manners are due."""
        ...

    async def get(self, lease: Lease) -> Answer:
        """Fetch, or look up, the URL of a lease."""
        ...
