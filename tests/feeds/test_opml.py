"""OPML in and out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasa.errors import InputError
from phasa.feed_settings import FeedSettings
from phasa.feeds.opml import Outline, read_opml, write_opml

NESTED = b"""<?xml version="1.0" encoding="windows-874"?><opml version="1.0"><body>
<outline text="News"><outline text="One" xmlUrl="http://one.example/rss"/>
<outline title="Two" XMLURL="HTTP://two.example:80/"/><outline text="bad" xmlUrl="javascript:1"/></outline>
<outline xmlUrl="http://one.example/rss"/></body></opml>"""


def test_nested_lists_bad_items_and_doubles() -> None:
    found, passed = read_opml(NESTED)
    assert found == [Outline("http://one.example/rss", "One", "News"), Outline("http://two.example/", "Two", "News")]
    assert [why.rpartition(": ")[2] for why in passed] == ["not a usable address", "listed twice"]


@pytest.mark.parametrize("content", [b"", b"<rss/>", b"<opml>"])
def test_what_is_no_opml_is_refused(content: bytes) -> None:
    with pytest.raises(InputError):
        read_opml(content)


names = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp", "Zs", "Cn")), min_size=1, max_size=9)


@given(st.lists(st.tuples(names, names), max_size=6))
def test_what_is_written_is_read_again(feeds: list[tuple[str, str]]) -> None:
    listed = [
        Outline(f"http://{k}.example/", title, "/".join(filter(None, folder.split("/"))))
        for k, (title, folder) in enumerate(feeds)
    ]
    found, passed = read_opml(write_opml(listed).encode())
    assert passed == []
    assert sorted(found) == sorted(listed)


def test_folders_in_folders_come_and_go() -> None:
    text = (
        '<opml><body><outline text="News"><outline text="Thai/Lao"><outline text="A" xmlUrl="http://a.example/"/>'
        '</outline><outline text="B" xmlURL="http://b.example/"/></outline><outline text="C" xmlUrl="http://c.example/"/>'
        "</body></opml>"
    )
    feeds, _ = read_opml(text.encode())
    assert [(feed.title, feed.category) for feed in feeds] == [("A", "News/Thai Lao"), ("B", "News"), ("C", "")]
    again, passed = read_opml(write_opml(feeds).encode())
    assert (set(again), passed) == (set(feeds), [])


@pytest.mark.parametrize("charset", ["utf-8", "utf-16", "windows-874"])
def test_lists_in_any_encoding(charset: str) -> None:
    codec = "cp874" if charset == "windows-874" else charset
    text = f'<?xml version="1.0" encoding="{charset}"?><opml><body><outline text="ข่าววันนี้" xmlUrl="http://a.example/"/>'
    assert read_opml((text + "</body></opml>").encode(codec))[0][0].title == "ข่าววันนี้"


def test_careless_lists_are_read() -> None:
    text = (
        '<!DOCTYPE opml [<!ENTITY x SYSTEM "file:///etc/passwd">]><opml><body>'
        '<outline text="R&D &x;" xmlUrl="http://a.example/?a=1&b=2"/><outline xmlUrl="feed://b.example/"/>'
        '<outline xmlUrl="feed:https://c.example/"/><!-- a comment --></body></opml>'
    )
    feeds, _ = read_opml(text.encode())
    assert [feed.url for feed in feeds] == ["http://a.example/?a=1&b=2", "http://b.example/", "https://c.example/"]
    assert feeds[0].title == "R&D &x;"


def test_a_list_with_many_levels_and_many_feeds() -> None:
    deep = '<outline text="f">' * 5000 + '<outline xmlUrl="http://a.example/"/>' + "</outline>" * 5000
    many = "".join(f'<outline xmlUrl="http://{k}.example/"/>' for k in range(20_000))
    assert len(read_opml(f"<opml><body>{deep}{many}</body></opml>".encode())[0]) == 20_001


def _nested(levels: int, letters: int = 20) -> bytes:
    """A list with a feed in every folder, each folder in the one before."""
    folders = "".join(
        f'<outline text="{"x" * letters}"><outline text="f" xmlUrl="http://a.example/{k}"/>' for k in range(levels)
    )
    return f"<opml><body>{folders}{'</outline>' * levels}</body></opml>".encode()


@pytest.mark.parametrize("letters", [1, 20])
def test_what_a_nested_list_stores_does_not_grow_with_how_deep_it_is(letters: int) -> None:
    feeds, _ = read_opml(_nested(5000, letters))
    assert len(feeds) == 5000
    assert max(feed.category.count("/") for feed in feeds) < FeedSettings().list_depth
    assert sum(len(feed.category) for feed in feeds) <= 5000 * FeedSettings().category_length


def test_a_category_of_any_depth_is_written_as_xml_that_reads_again() -> None:
    hostile = ["/".join("ab" * 5000), "x" * 1_000_000, "a\x00b/\x1b\ud800/c", "//", " / "]
    text = write_opml(Outline(f"http://{k}.example/", f"t\x01{k}", where) for k, where in enumerate(hostile))
    assert len(text) < 50_000
    deepest = max(len(line) - len(line.lstrip()) for line in text.splitlines()) // 2
    assert deepest <= FeedSettings().list_depth + 2  # <body> and the feed itself
    feeds, passed = read_opml(text.encode())
    assert (len(feeds), passed) == (len(hostile), [])


@pytest.mark.parametrize(
    ("bounds", "says"),
    [
        (FeedSettings(list_outlines=99), "more than 99 outlines"),
        (FeedSettings(list_bytes=500), "a list of feeds may have 500"),
    ],
)
def test_a_list_beyond_the_bounds_is_refused(bounds: FeedSettings, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_opml(_nested(50), "mine.opml", bounds)


def test_long_titles_are_cut() -> None:
    text = f'<opml><outline title="{"t" * 9000}" xmlUrl="http://a.example/" category="{"c" * 9000}"/></opml>'
    ((_, title, category, _),) = read_opml(text.encode())[0]
    assert (len(title), len(category)) == (FeedSettings().title_length, FeedSettings().category_length)
