"""The one-pass reader: what it takes from each format, and where it stops."""

from __future__ import annotations

import pytest

from phasa.feeds import stream
from phasa.feeds.stream import Fields, Read, read_stream

ATOM = "<feed xmlns='http://www.w3.org/2005/Atom' xml:lang='th' xml:base='http://e.example/a/'>{}</feed>"
RSS = "<rss xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:media='http://search.yahoo.com/mrss/'><channel>{}</channel></rss>"


def read(text: str) -> tuple[Read, list[Fields]]:
    posts: list[Fields] = []
    return read_stream(text.encode(), posts.append), posts


def test_only_children_of_the_item_are_its_fields() -> None:
    _, posts = read(
        ATOM.format(
            "<title>feed</title><entry><source><title>other</title></source><title>own</title>"
            "<author><id>nobody</id></author><id>1</id></entry>"
        )
    )
    assert posts == [{"title": "own", "id": "1"}]


def test_other_vocabularies_stand_in_but_never_override() -> None:
    found, posts = read(
        RSS.format(
            "<image><title>picture</title></image><title>news</title>"
            "<item><media:title>m</media:title><dc:title>d</dc:title><title>t</title><dc:date>2011-03-17</dc:date></item>"
        )
    )
    assert found.head["title"] == "news"
    assert posts == [{"dc:title": "d", "title": "t", "date": "2011-03-17"}]


def test_the_page_is_the_link_not_the_enclosure() -> None:
    _, posts = read(
        ATOM.format(
            "<entry><link rel='enclosure' href='a.mp3'/><link rel='self'>x</link><link href='b.html'/>"
            "<link href='c.html'/></entry>"
        )
    )
    assert posts == [{"link": "b.html"}]


def test_markup_inside_a_text_is_markup_again() -> None:
    _, posts = read(ATOM.format("<entry><content type='xhtml'><p class='a&amp;b'>1 &lt; 2<br/></p></content></entry>"))
    assert posts == [{"content": '<p class="a&amp;b">1 &lt; 2<br /></p>'}]


def test_items_of_rdf_stand_beside_the_channel() -> None:
    found, posts = read(
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://my.netscape.com/rdf/simple/0.9/'>"
        "<channel><title>c</title></channel><item rdf:about='u'><title>t</title></item></rdf:RDF>"
    )
    assert (found.kind, found.head, posts) == ("rdf", {"title": "c"}, [{"about": "u", "title": "t"}])


def test_base_and_language_come_from_the_root() -> None:
    found, _ = read(ATOM.format(""))
    assert found.head == {"base": "http://e.example/a/", "lang": "th"}


def test_what_is_broken_is_told_with_its_place_and_what_came_before_stays() -> None:
    found, posts = read("<rss><channel><item><title>t</title></item><item></b>")
    assert (found.broken, found.at, len(posts)) == (True, 51, 1)


@pytest.mark.parametrize(
    ("limit", "value", "text"),
    [
        ("DEEPEST", 5, RSS.format("<item><title>t</title></item>" + "<a>" * 5 + "</a>" * 5)),
        ("MOST_ELEMENTS", 6, RSS.format("<item><title>t</title></item>" + "<a/>" * 9)),
        ("MOST_ITEMS", 1, RSS.format("<item><title>t</title></item>" * 3)),
        ("MOST_NAMES", 6, RSS.format("<item><title>t</title></item><a/><b/><c/><d/>")),
        ("MOST_NAMESPACES", 3, RSS.format("<item><title>t</title></item><a xmlns:x='x' xmlns:y='y'/>")),
        ("MOST_TEXT", 20, RSS.format("<item><title>t</title></item><item><title>" + "x" * 30 + "</title></item>")),
        ("LONGEST_TAG", 1, RSS.format("<item><title>t</title></item>" + "<!--" + "x" * 200_000 + "-->")),
    ],
)
def test_every_limit_ends_the_reading_with_a_note(
    monkeypatch: pytest.MonkeyPatch, limit: str, value: int, text: str
) -> None:
    assert read(text)[0].fault == ""
    monkeypatch.setattr(stream, limit, value)
    found, posts = read(text)
    assert (found.kind, found.broken, posts) == ("rss", False, [{"title": "t"}])
    assert found.fault


def test_a_long_text_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "LONGEST_TEXT", 10)
    monkeypatch.setattr(stream, "PIECE", 10)
    _, posts = read(RSS.format("<item><title>" + "x" * 100 + "</title></item>"))
    assert 10 <= len(posts[0]["title"]) <= 30
