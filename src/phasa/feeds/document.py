"""The answer to a poll as it is read: unpacked, parsed as a feed, or as a page that announces feeds.

`read_document` is one function for one call in the sandbox (phasa.sandbox): nothing of what a server or a hub sent is
interpreted in the process that polls.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Sequence

from msgspec import Struct

from phasa.feeds.parse import read_feed
from phasa.feeds.post import Feed
from phasa.sandbox.pool import Pool
from phasa.web import charset_model
from phasa.web.exchange import Exchange
from phasa.web.html import FeedLink, read_page
from phasa.web.inflate import Problem, inflate
from phasa.web.limits import Limits
from phasa.web.url import Url

MODULES = (__name__, charset_model.__name__, "feedparser", "xml.sax.expatreader")
"""What a process that calls `read_document` needs."""
_PAGE_BYTES = 200_000  # as much of a page is searched for the feeds that it announces
_NONE = Feed("")


class Document(Struct, frozen=True, array_like=True):
    """What an answer holds: a feed (of kind "" when there is none), or nothing new since the one of `digest`.
    `announced` are the feeds that a page names instead; `problem` is what was wrong with its packing."""

    digest: str
    feed: Feed = _NONE
    unchanged: bool = False
    announced: tuple[FeedLink, ...] = ()
    problem: Problem = ""


def read_document(
    body: bytes, encoding: str, header: str, address: Url, hint: str | None, limits: Limits, known: str, whole: bool
) -> Document:
    """Read a body: `encoding` is what it is still packed with, `header` the value of Content-Type, `known` the digest
    of the document that was read before. A body that did not come `whole` is read as far as it goes."""
    content, problem = inflate(body, encoding, limits)
    if not whole:
        problem = ""  # what was cut does not unpack to its end
    digest = hashlib.sha256(content).hexdigest()
    if problem not in ("", "too_large"):
        return Document(digest, problem=problem)
    if digest == known:
        return Document(digest, unchanged=True, problem=problem)
    feed = read_feed(content, header or None, str(address), hint)
    announced: tuple[FeedLink, ...] = ()
    if not feed.kind and b"alternate" in content[:_PAGE_BYTES]:
        announced = read_page(content[:_PAGE_BYTES], address, header=header or None, hint=hint, limits=limits).feeds
    return Document(digest, feed, announced=announced, problem=problem)


Read = Callable[[Exchange, str | None, str], Awaitable[Document]]
"""How an answer is read: with a language as a hint, and the digest of what was read before. May raise
ParserCrashedError."""


def read_by(pool: Pool, limits: Limits) -> Read:
    """Read answers in the sandbox."""

    async def read(answer: Exchange, hint: str | None, known: str) -> Document:
        return await pool.call(read_document, *_what(answer), hint, limits, known, answer.outcome == "ok")

    return read


async def read_here(answer: Exchange, hint: str | None, known: str) -> Document:
    """Read an answer in this process: for feeds of our own making, as in the demo."""
    return read_document(*_what(answer), hint, Limits(), known, answer.outcome == "ok")


def _what(answer: Exchange) -> tuple[bytes, str, str, Url]:
    """Body, packing, type and address of an answer. One that was unpacked on its way is not packed any more."""
    packed = answer.body is answer.wire_body
    encoding = (answer.header("content-encoding") or "") if packed else ""
    return answer.body, encoding, answer.header("content-type") or "", answer.final_url


def announcement(announced: Sequence[FeedLink]) -> str:
    """What to say of a page that was taken for a feed: the feeds that it names."""
    names = ", ".join(str(link.url) for link in announced[:3])
    return f"; it is a page that announces {names}" if names else ""
