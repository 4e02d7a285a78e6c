"""The body of an answer as a crawl reads it: unpacked, decoded, and parsed as a page or as a sitemap.

One function, for one call in the sandbox: nothing of what a server sent is interpreted in the process that fetches.
"""

from __future__ import annotations

from msgspec import Struct

from phasa.web import charset_model
from phasa.web.html import PAGE_TAGS, PackedPage, read_packed
from phasa.web.http import PAGE_TYPES, READABLE_TYPES
from phasa.web.inflate import Problem, inflate
from phasa.web.limits import Limits
from phasa.web.requisites import named_in_css
from phasa.web.sitemap import is_sitemap, read_listing
from phasa.web.url import Url

MODULES = (__name__, charset_model.__name__)
"""What a process that calls `read_body` needs."""


class BodyReading(Struct, frozen=True, array_like=True):
    """What a body is: a page, a sitemap (the addresses that it lists, perhaps none), or neither; and what was wrong
    with its packing."""

    page: PackedPage | None = None
    listed: list[Url] | None = None
    problem: Problem = ""
    changed: dict[Url, float] = {}
    """When the addresses of a sitemap changed, as far as it says so believably."""


NO_BODY = BodyReading()


def read_body(
    wire: bytes,
    encoding: str,
    address: Url,
    header: str,
    hint: str | None,
    limits: Limits,
    whole: bool,
    tags: frozenset[str] = PAGE_TAGS,
    requisites: bool = False,
) -> BodyReading:
    """Read a body as it came: `encoding` and `header` are the values of Content-Encoding and Content-Type. A body that
    did not come `whole` is read as far as it goes. Links are those of `tags`; with `requisites` the page says what it
    needs to be seen."""
    body, problem = inflate(wire, encoding, limits)
    if not whole:
        problem = ""  # what was cut does not unpack to its end
    if problem not in ("", "too_large"):
        return BodyReading(problem=problem)
    mime = header.partition(";")[0].strip().lower()
    if mime not in PAGE_TYPES and is_sitemap(body, address):
        listing = read_listing(body, address, limits)
        return BodyReading(listed=listing.urls, changed=listing.changed, problem=problem)
    if mime not in READABLE_TYPES:
        return BodyReading(problem=problem)
    # The rest is not looked at; one byte more says that there was one.
    body = body[: 4 * limits.page_characters + 1]
    page = read_packed(body, address, header=header or None, hint=hint, limits=limits, tags=tags, requisites=requisites)
    return BodyReading(page, problem=problem)


def read_needs(wire: bytes, encoding: str, address: Url, header: str, limits: Limits) -> list[Url]:
    """What a requisite needs in its turn: a style sheet or a frame names more; others nothing."""
    body, _ = inflate(wire, encoding, limits)
    mime = header.partition(";")[0].strip().lower()
    if mime == "text/css":
        return named_in_css(body, address, limits)
    if mime not in PAGE_TYPES:
        return []
    body = body[: 4 * limits.page_characters + 1]
    return read_packed(body, address, header=header or None, limits=limits, tags=PAGE_TAGS, requisites=True).needs
