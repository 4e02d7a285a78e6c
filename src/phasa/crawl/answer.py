"""What the web answers to one lease: a value that the loop settles, whether the web is live or replayed."""

from __future__ import annotations

from enum import Enum
from typing import Protocol

import msgspec

from phasa.crawl.strategy import OutLinks
from phasa.frontier.protocol import Lease
from phasa.web.html import Page
from phasa.web.url import Url

NO_LINKS = OutLinks(())


class Kind(Enum):
    """What to do with an answer."""

    PAGE = "page"  # judge it and follow its links
    OTHER = "other"  # an answer, but no page: an error status, another media type
    MOVED = "moved"  # a redirect: its target is offered in its place
    REFUSED = "refused"  # not fetched: robots.txt says no
    FIRST = "first"  # something else of this host had to be fetched first: give the lease back
    BUSY = "busy"  # the server asks us to come later (429, 503)
    FAILED = "failed"  # no whole answer


class Answer(msgspec.Struct, frozen=True):
    """One answer. `page` is what the judge reads, `links` what the strategy scores, `kept` what the archive keeps."""

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
    page: Page | None = None
    links: OutLinks = NO_LINKS
    follow: bool = True
    kept: object = None


class Web(Protocol):
    """What is behind a URL? Never raises for what a server did."""

    async def address(self, lease: Lease) -> str:
        """The server address that the lease's host is at; '' when there is none to know, or no manners are due."""
        ...

    async def get(self, lease: Lease) -> Answer:
        """Fetch, or look up, the URL of a lease."""
        ...
