"""Damaged documents."""

from __future__ import annotations

from phasa.feeds.mend import MOST_FORGIVEN, mended
from phasa.feeds.parse import read_feed

ITEM = "<item><title>{}</title></item>"


def test_undeclared_prefixes_are_declared() -> None:
    body = "<rss><channel><item><title>t</title><dc:date>2011-03-17</dc:date><x:y z:w='1'/></item></channel></rss>"
    feed = read_feed(body.encode())
    assert (feed.reader, feed.posts[0].published) == ("fast", 1300320000.0)
    assert "unbound prefix" in feed.faults[0]
    assert mended(b"<rss xmlns:dc='x'><dc:a/></rss>") == b"<rss xmlns:dc='x'><dc:a/></rss>"


def test_sections_and_comments_stay_as_they_are() -> None:
    assert mended(b"a & <![CDATA[b & c]]> & <!-- & -->&nbsp;&\x01") == (
        "a &amp; <![CDATA[b & c]]> &amp; <!-- & -->\u00a0&amp;".encode()
    )


def test_a_broken_item_of_a_large_document_is_stepped_over() -> None:
    good = "".join(ITEM.format(f"post {k}" + "x" * 500) for k in range(300))
    assert len(good) > MOST_FORGIVEN
    body = f"<rss><channel>{ITEM.format('first')}<item><title>broken</b></item>{good}</channel></rss>"
    feed = read_feed(body.encode())
    assert len(feed.posts) == 301
    assert "mismatched tag" in feed.faults[0]


def test_one_broken_item_at_the_end_of_a_very_large_document_costs_nothing_else() -> None:
    good = "".join(ITEM.format(f"post {k}" + "x" * 500) for k in range(3000))
    feed = read_feed(f"<rss><channel>{good}<item><title>broken</b></item></channel></rss>".encode())
    assert len(feed.posts) == 3000


def test_whoever_finds_more_reads_a_small_broken_document() -> None:
    swallowed = read_feed(b"<rss><channel><item><title>a</b></item><item><title>c</title></item></channel></rss>")
    assert (swallowed.reader, [post.title for post in swallowed.posts]) == ("fast", ["c"])
    unquoted = read_feed(
        b"<rss><channel version=2><item><title>a</title></item><item><title>c</title></item></channel>"
    )
    assert (unquoted.reader, [post.title for post in unquoted.posts]) == ("forgiving", ["a", "c"])
    assert unquoted.posts[0].updated is None


def test_dates_of_the_forgiving_reader_are_the_publishers_own() -> None:
    body = b"<rss><channel version=2><item><title>a</title><pubDate>Thu, 17 Mar 2011 10:25:49 GMT</pubDate></item>"
    feed = read_feed(body)
    assert (feed.reader, feed.posts[0].published, feed.posts[0].updated) == ("forgiving", 1300357549.0, None)
