"""The words and numbers of HTTP that every part of phasa shares: media types, redirects, failures in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:  # a process that only reads pages has no use for it, nor for the event loop behind it
    from phasa.web.exchange import Exchange

PAGE_TYPES: Final = ("text/html", "application/xhtml+xml")
"""Documents that people call a page: what is shown, read aloud, counted and exported."""
XML_TYPES: Final = ("application/xml", "text/xml")
"""What some servers call their pages, and what sitemaps and feeds are called."""
READABLE_TYPES: Final = frozenset((*PAGE_TYPES, *XML_TYPES, ""))
"""Answers that a crawl parses; '' is an answer whose server named no type."""
HTML_TYPES: Final = (*PAGE_TYPES, "text/plain", *XML_TYPES)
"""Answers whose body is worth downloading during a crawl; text/plain is kept, but not parsed."""

REDIRECTS: Final = frozenset((301, 302, 303, 307, 308))
PERMANENT_REDIRECTS: Final = frozenset((301, 308))

_WORDS: Final = {
    "blocked_address": "a private address, refused; allow_private = true in collection.toml permits it",
    "dns_error": "no such host",
    "connect_error": "no connection",
    "tls_error": "no secure connection",
    "timeout_connect": "no connection in time",
    "timeout_first_byte": "no answer in time",
    "redirect_loop": "redirects in a circle",
    "redirect_limit": "too many redirects",
}


def failure_in_words(exchange: Exchange) -> str:
    """What went wrong with a fetch, for a log, a report or an error message: '404 Not Found', 'no such host'."""
    if exchange.status in (200, 304) and exchange.detail:
        return exchange.detail[:160]
    if exchange.outcome in _WORDS:
        return _WORDS[exchange.outcome]
    if exchange.status:
        return f"{exchange.status} {exchange.reason}".strip()
    return f"{exchange.outcome.replace('_', ' ')}: {exchange.detail}"[:160].removesuffix(": ")
