"""What happened when an address was fetched: a value, whatever the server did."""

from __future__ import annotations

import time
from email.utils import parsedate_to_datetime
from typing import Literal

from msgspec import Struct

from phasa.web.room import Share
from phasa.web.url import Url

Outcome = Literal[
    "ok",  # an answer with its whole body, whatever its status
    "not_modified",  # 304 to a conditional request
    "wrong_type",  # the media type is not wanted; the body was not read
    "redirect_limit",
    "redirect_loop",
    "bad_redirect",  # no Location, or one that is no http(s) address
    "bad_url",
    "blocked_address",
    "dns_error",
    "connect_error",
    "tls_error",
    "timeout_connect",
    "timeout_first_byte",
    "timeout_read",
    "timeout_total",
    "too_slow",
    "too_large",
    "bomb",
    "bad_encoding",
    "header_too_large",
    "bad_header",
    "protocol_error",
    "closed_early",
]
Truncated = Literal["", "length", "time", "disconnect"]

Headers = tuple[tuple[str, str], ...]


class Timings(Struct, frozen=True, gc=False):
    """Seconds: name lookup, connection (with TLS), request to header, and everything."""

    dns: float = 0.0
    connect: float = 0.0
    first_byte: float = 0.0
    total: float = 0.0


class Hop(Struct, frozen=True):
    """One request and its answer, with what an archive needs to keep it faithfully.

    `request_head` and `response_head` are the lines as they went over the wire, ending in an empty line.
    `wire_body` is the entity without chunking, still content-encoded.
    """

    url: Url
    started: float = 0.0  # seconds since 1970
    status: int = 0  # 0 when no answer came
    reason: str = ""
    headers: Headers = ()
    request_head: bytes = b""
    response_head: bytes = b""
    wire_body: bytes = b""
    address: str = ""  # the IP address that was connected to
    timings: Timings = Timings()
    truncated: Truncated = ""

    def header(self, name: str) -> str | None:
        """The value of a response header, doubles joined by commas; None when absent."""
        wanted = name.lower()
        found = [value for key, value in self.headers if key.lower() == wanted]
        return ", ".join(found) if found else None

    @property
    def content_type(self) -> str:
        """The media type alone, lower-case; empty when none is given."""
        return (self.header("content-type") or "").partition(";")[0].strip().lower()


class Exchange(Hop, frozen=True):
    """The last hop of a fetch, what became of it all, and the redirects before it."""

    final_url: Url = Url("")
    outcome: Outcome = "protocol_error"
    detail: str = ""
    body: bytes = b""  # decoded; the same object as wire_body when nothing was encoded
    redirects: tuple[Hop, ...] = ()
    share: Share | None = None  # of the memory that bodies have together; given back with the last reference

    @property
    def ok(self) -> bool:
        """A whole answer with a status of success."""
        return self.outcome == "ok" and 200 <= self.status < 300

    @property
    def hops(self) -> tuple[Hop, ...]:
        """Every answer that came, first to last; each is worth a record."""
        return tuple(hop for hop in (*self.redirects, self) if hop.status)

    @property
    def etag(self) -> str | None:
        """For the next conditional request."""
        return self.header("etag")

    @property
    def modified(self) -> str | None:
        """For the next conditional request."""
        return self.header("last-modified")

    def retry_after(self, now: float | None = None) -> float | None:
        """Seconds that the server asks us to wait; None when it does not say (readably)."""
        value = (self.header("retry-after") or "").strip()
        if value.isascii() and value.isdigit():
            return float(value[:9])
        when = http_date(value)
        return None if when is None else max(0.0, when - (time.time() if now is None else now))


def http_date(value: str | None) -> float | None:
    """The moment that a header names; None when it names none."""
    if not value:
        return None
    try:
        return parsedate_to_datetime(value).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
