"""Bytes of a feed to UTF-8 without declaration and document type."""

from __future__ import annotations

import pytest

from phasa.feeds.parse import read_feed
from phasa.feeds.recode import _SAMPLE, MOST_BYTES, recode

THAI = "ภาษาไทย "


@pytest.mark.parametrize("charset", ["utf-8", "cp874", "utf-16", "utf-32", "utf-16-le"])
def test_a_large_document_is_recoded_like_a_small_one(charset: str) -> None:
    text = "<rss><channel><title>" + THAI * 200_000 + "</title></channel></rss>"
    assert len(text) > _SAMPLE
    assert recode(text.encode(charset)).data.decode() == text


def test_an_encoding_that_shows_late_is_still_found() -> None:
    text = "<rss><channel><!--" + "a" * (2 * _SAMPLE) + "--><title>" + THAI * 100 + "</title></channel></rss>"
    found = recode(text.encode("cp874"))
    assert (found.data.decode(), found.charset) == (text, "windows-874")


def test_what_is_too_long_is_cut_and_told() -> None:
    found = recode(b"<rss>" + b"a" * MOST_BYTES)
    assert (len(found.data), found.cut) == (MOST_BYTES, True)
    assert "longer than" in found.faults[0]


def test_posts_before_the_cut_are_kept() -> None:
    item = b"<item><title>" + b"t" * 5000 + b"</title></item>"
    feed = read_feed(b"<rss><channel>" + item * (MOST_BYTES // len(item) + 10))
    assert len(feed.posts) == (MOST_BYTES - 14) // len(item)


@pytest.mark.parametrize(
    "before", ["", "<?xml version='1.0'?>", "<?xml?xml version='1.0'??>", "\n<!-- <!DOCTYPE a> --><?x y?>"]
)
def test_the_document_type_goes_with_all_it_declares(before: str) -> None:
    found = recode((before + "<!DOCTYPE r [<!ENTITY a ']>'><!-- ' ]> -->]><rss/>").encode())
    assert found.data.endswith(b"<rss/>")
    assert b"ENTITY" not in found.data


def test_a_document_type_in_a_text_stays() -> None:
    text = b"<rss><channel><item><description><![CDATA[<!DOCTYPE html>]]></description></item></channel></rss>"
    assert recode(text).data == text


@pytest.mark.parametrize(
    ("body", "content_type", "fault"),
    [
        (b"<?xml version='1.0' encoding='bogus'?><rss/>", None, "nobody knows: bogus"),
        ((THAI * 20).encode("cp874"), None, "no encoding declared, read as windows-874"),
        (b"<rss/>", "text/plain; charset=utf-8", "served as text/plain"),
    ],
)
def test_wrong_labels_are_told(body: bytes, content_type: str | None, fault: str) -> None:
    assert fault in recode(body, content_type).faults[0]


def test_right_labels_are_not_faults() -> None:
    for name in ("utf-8", "tis-620", "windows-874"):
        body = f"<?xml version='1.0' encoding='{name}'?><rss>{THAI * 20}</rss>".encode(
            "cp874" if "8" not in name[:4] else name
        )
        assert recode(body, "application/rss+xml").faults == []
