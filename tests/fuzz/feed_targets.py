"""Parsers of feeds and of lists, traces and dates around them."""

from __future__ import annotations

import gzip
from collections.abc import Iterable

from tests.fuzz import corpora
from tests.fuzz.target import SHARED, Check, Target, in_file, packed_files

RSS = """<?xml version="1.0" encoding="utf-8"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel><title>ข่าว</title><link>http://a.th/</link><ttl>60</ttl><skipHours><hour>3</hour></skipHours><item><title>T</title>
<guid isPermaLink="false">1</guid><link>/x</link><pubDate>Mon, 02 Jan 2006 15:04:05 +0700</pubDate><description>
<![CDATA[<b>x</b>]]></description></item><item><dc:date>2006-01-02T15:04:05Z</dc:date></item></channel></rss>""".encode()
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://a.th/"><title type="html">a</title><link rel="hub"
href="http://h.th/"/><entry><id>1</id><updated>2003-12-13T18:30:02.25+01:00</updated><link href="e"/>
<summary>s</summary></entry></feed>"""
JSON = (
    b'{"version":"https://jsonfeed.org/version/1.1","title":"t","hubs":[{"type":"WebSub","url":"http://h/"}],"items":'
    b'[{"id":1,"url":"/a","title":"x","date_published":"2020-02-30T25:61:61Z","content_text":"\\u0e01"},{"id":"2"}]}'
)
OPML = b"""<?xml version="1.0"?><opml version="2.0"><body><outline text="News"><outline text="A" xmlUrl="http://a.th/rss"/>
<outline title="B/C"><outline xmlUrl="feed:https://b.th/" category="/x/y"/></outline></outline></body></opml>"""
DATES = (
    b"Mon, 02 Jan 2006 15:04:05 GMT", b"2006-01-02T15:04:05.123+07:00", b"2 January 2549", b"20060102", b"1136214245",
    "๒ มกราคม ๒๕๔๙".encode(), b"Tue Jan  3 15:04:05 -0700 2006", b"2006-W01-1", b"9999-12-31T23:59:59-14:00",
)  # fmt: skip
XML = tuple(
    b"<item> </item> <entry> <title> <link> <guid> <pubDate> <![CDATA[ ]]> &amp; &lt; &nosuch; <?xml <!DOCTYPE "
    b"xmlns:x= xml:base= <rss> <feed> <channel> </channel> <!ENTITY <outline xmlUrl= text= <hour> <day> "
    b"sy:updatePeriod".split()
)


def _feed() -> Check:
    from phasa.feeds.parse import read_feed

    def check(data: bytes) -> None:
        feed = read_feed(data, "application/xml", "http://a.th/feed")
        for post in feed.posts:
            when = post.when()
            assert when is None or -1e11 < when < 1e12
            post.key("guid")
            post.key("title")
            (post.title + post.link + post.summary).encode("utf-8")

    return check


def _date() -> Check:
    import datetime as dt

    from phasa.feeds.dates import parse_date

    def check(data: bytes) -> None:
        when = parse_date(data.decode("utf-8", "surrogateescape"))
        if when is not None:
            dt.datetime.fromtimestamp(when, dt.UTC)

    return check


def _opml() -> Check:
    from phasa.feed_settings import FeedSettings
    from phasa.feeds.opml import read_opml, write_opml

    bounds = FeedSettings()

    def check(data: bytes) -> None:
        feeds, _ = read_opml(data)
        assert all(len(f.category) <= bounds.category_length and len(f.title) <= bounds.title_length for f in feeds)
        again, passed = read_opml(write_opml(feeds).encode("utf-8", "replace"))
        assert not passed
        assert {f.url for f in again} == {f.url for f in feeds}

    return check


def _trace() -> Check:
    from phasa.feeds.trace import parse_traces

    def check(data: bytes) -> None:
        for trace in parse_traces(data):
            assert (trace.times[1:] >= trace.times[:-1]).all()
            before, after = trace.split(0.5)
            assert len(before.times) + len(after.times) == len(trace.times)

    return check


def _plan() -> Check:
    from phasa.feeds.evaluate import evaluate
    from phasa.feeds.plan import plan_feed
    from phasa.feeds.trace import read_traces

    def check(data: bytes) -> None:
        with in_file("trace.tsv", data).open("rb") as file:
            traces = read_traces(file, "trace.tsv", 1)[:3]
        # Polls are replayed one by one, so that the time is that of the days between the first post and the last.
        short = [trace for trace in traces if trace.times[-1] - trace.times[0] < 30 * 86_400]
        list(evaluate(short, [2], ["phasa", "uniform", "oracle"], 0.5))
        for trace in short:
            plan_feed(trace, 4)

    return check


def _traces() -> Iterable[bytes]:
    path = SHARED / "trace-rss-misc" / "pub.tsv.gz"
    if path.exists():
        yield gzip.decompress(path.read_bytes())[:3000]


TRACE = b"".join(b"%d\t%d\n" % (k % 3, 1_700_000_000 + k * 7000) for k in range(60))
TARGETS = (
    Target("feed", _feed, (RSS, ATOM), XML, 400, 4000, packed_files("feeds-xml/real-feeds.tar.xz", 100)),
    Target("feed-old", _feed, (RSS,), XML, 300, 4000, packed_files("feeds-xml/feedparser-tests.tar.xz", 2000)),
    Target("feed-json", _feed, (JSON,), (b"{", b"}", b"[", b"]", b'"', b":", b'"items":', b"\\u", b"null", b"1e9"),
           2000, 3000),
    Target("date", _date, DATES, tuple(b"Mon, Jan 2006 15:04:05 GMT +0700 T Z - : / EST AM 24:00 00 99 W1".split()),
           10_000, 80, corpora.dates),
    Target("opml", _opml, (OPML,), XML, 1200, 4000),
    Target("trace", _trace, (TRACE, gzip.compress(TRACE, mtime=0), b"a\t5\r\nb\t7.5\tx\n"), (b"\t", b"\n", b"\x1f\x8b"),
           2000, 3000, _traces),
    Target("plan", _plan, (TRACE,), (b"\t", b"\n", b"\t0\n", b"\t7258118399\n"), 60, 1500),
)  # fmt: skip
