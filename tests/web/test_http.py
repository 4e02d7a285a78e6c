"""The shared words of HTTP."""

from __future__ import annotations

import pytest

from phasa.web.exchange import Exchange
from phasa.web.http import HTML_TYPES, PAGE_TYPES, PERMANENT_REDIRECTS, READABLE_TYPES, REDIRECTS, failure_in_words
from phasa.web.url import Url


@pytest.mark.parametrize(
    ("exchange", "words"),
    [
        (Exchange(Url("http://a.th/"), status=404, reason="Not Found", outcome="ok"), "404 Not Found"),
        (Exchange(Url("http://a.th/"), status=299, outcome="ok"), "299"),
        (Exchange(Url("http://a.th/"), outcome="dns_error", detail="errno 8"), "no such host"),
        (Exchange(Url("http://a.th/"), outcome="too_slow", detail="3 bytes a second"), "too slow: 3 bytes a second"),
        (Exchange(Url("http://a.th/"), outcome="too_slow"), "too slow"),
        (Exchange(Url("http://a.th/"), status=200, outcome="ok", detail="not a feed"), "not a feed"),
    ],
)
def test_a_failure_reads_like_a_sentence(exchange: Exchange, words: str) -> None:
    assert failure_in_words(exchange) == words


def test_a_failure_is_never_longer_than_a_line() -> None:
    assert len(failure_in_words(Exchange(Url("http://a.th/"), outcome="bad_header", detail="x" * 9999))) <= 160


def test_what_is_parsed_is_also_downloaded_and_pages_are_both() -> None:
    assert set(PAGE_TYPES) < READABLE_TYPES - {""} < set(HTML_TYPES)
    assert PERMANENT_REDIRECTS < REDIRECTS
