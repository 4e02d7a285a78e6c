"""Pages of the collection whose text is nearly the same, from the index to the page that shows them."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest
from tests.service.conftest import client_of
from tests.service.stock import PERSIAN, THAI, Piece, page, stock

from phasa.collection import Collection
from phasa.service.near_pages import MOST
from phasa.service.search_index import FILE, SearchIndex, reading

WORDS = [f"w{number}" for number in range(4000)]


def prose(seed: int, length: int = 300) -> list[str]:
    return random.Random(seed).choices(WORDS, k=length)


def with_changes(words: list[str], every: int) -> str:
    return " ".join("changed" if place % every == every // 2 else word for place, word in enumerate(words))


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    story = prose(1)
    thai = " ".join(THAI * 3)
    pieces = [
        Piece("http://a.example.th/story", page("The story", " ".join(story)), "en"),
        Piece("http://b.example.th/copy", page("The copy", " ".join(story)), "en"),
        Piece("http://b.example.th/edited", page("<b>An edited</b> copy", with_changes(story, 100)), "en"),
        Piece("http://b.example.th/other-half", page("Half of it", " ".join(story[:150] + prose(2, 150))), "en"),
        Piece("http://c.example.th/own", page("Another story", " ".join(prose(3))), "en"),
        Piece("http://c.example.th/short", page("Menu", "home about contact"), "en"),
        Piece("http://d.example.th/short", page("Menu", "home about contact"), "en"),
        Piece("http://t.example.th/1", page("ข่าวหนึ่ง", thai)),
        Piece("http://t.example.th/2", page("ข่าวสอง", thai + " กตัญญู")),
        Piece("http://f.example.ir/1", page("خبر", " ".join(PERSIAN)), "fa"),
    ]
    made = stock(tmp_path_factory.mktemp("near") / "web", pieces)
    (made.path / "service").mkdir()
    index = SearchIndex(made.path / "service" / FILE)
    index.update(made.archive_folder)
    index.close()
    return made


def near(collection: Collection, url: str) -> list[tuple[str, float]]:
    with reading(collection.path / "service" / FILE) as index:
        assert index is not None
        return [(found.url.removeprefix("http://"), round(found.share, 2)) for found in index.near(f"http://{url}")]


def test_copies_are_found_and_what_merely_quotes_is_not(collection: Collection) -> None:
    assert near(collection, "a.example.th/story") == [("b.example.th/copy", 1.0), ("b.example.th/edited", 0.9)]
    assert near(collection, "b.example.th/other-half") == []
    assert near(collection, "c.example.th/own") == []
    assert near(collection, "c.example.th/short") == []  # a menu alone says nothing


def test_a_text_that_was_rewritten_here_and_there_is_another(tmp_path: Path) -> None:
    story = prose(8)
    pieces = [Piece("http://a.example.th/", page("Story", " ".join(story)), "en")]
    for part in range(12):  # two in three shingles in common: most of them share a key with the story
        words = [f"new{part}" if place % 25 == part else word for place, word in enumerate(story)]
        pieces.append(Piece(f"http://a.example.th/{part}", page(f"{part}", " ".join(words)), "en"))
    index = SearchIndex(tmp_path / FILE)
    index.update(stock(tmp_path / "web", pieces).archive_folder)
    assert [index.near(piece.url) for piece in pieces] == [[]] * len(pieces)
    index.close()


def test_thai_is_compared_by_its_words_and_both_ways(collection: Collection) -> None:
    ((there, share),) = near(collection, "t.example.th/1")
    assert there == "t.example.th/2"
    assert share >= 0.8
    assert near(collection, "t.example.th/2") == [("t.example.th/1", share)]


def test_a_page_that_was_read_again_is_compared_again(tmp_path: Path) -> None:
    url, text = "http://a.example.th/x", " ".join(prose(5))
    other = Piece("http://a.example.th/y", page("Y", text), "en")
    old = stock(tmp_path / "old", [other, Piece(url, page("X", text), "en")])
    new = stock(tmp_path / "new", [Piece(url, page("X", " ".join(prose(6))), "en", day=3)])
    index = SearchIndex(tmp_path / FILE)
    index.update(old.archive_folder)
    assert [found.url for found in index.near(other.url)] == [url]
    for path in new.archive_folder.glob("*.warc.gz"):
        (old.archive_folder / f"z{path.name}").write_bytes(path.read_bytes())
    index.update(old.archive_folder)
    assert (index.near(other.url), index.near(url)) == ([], [])
    index.close()


def test_of_a_large_group_each_page_names_a_few(tmp_path: Path) -> None:
    text = " ".join(prose(7))
    many = stock(tmp_path / "web", [Piece(f"http://a.example.th/{n}", page(f"{n}", text), "en") for n in range(40)])
    index = SearchIndex(tmp_path / FILE)
    index.update(many.archive_folder)
    sizes = {len(index.near(f"http://a.example.th/{n}")) for n in range(40)}
    assert 1 <= min(sizes) <= max(sizes) == MOST
    index.close()


def test_the_page_names_them_by_title_in_three_languages(collection: Collection) -> None:
    path = "/collection/page?url=http://a.example.th/story"
    with client_of(collection) as client:
        shown = client.get(path).text
        assert "Nearly the same" in shown
        assert "/collection/page?url=http%3A//b.example.th/edited" in shown
        assert ">The copy</bdi>" in shown
        assert "<b>An edited" not in shown
        assert "เกือบเหมือนกัน" in client.get(f"{path}&ui=th").text
        assert "۱۰۰٪ مشترک" in client.get(f"{path}&ui=fa").text
        alone = client.get("/collection/page?url=http://c.example.th/own&ui=en").text
        assert "Nearly the same" not in alone
        asked = client.get("/api/collection/page", params={"url": "http://b.example.th/copy"}).json()
        assert asked["near"][0]["title"] == "The story"


def test_an_index_of_an_earlier_version_is_made_again(collection: Collection, tmp_path: Path) -> None:
    path = tmp_path / FILE
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE page (number INTEGER PRIMARY KEY, url TEXT)")
    db.execute("PRAGMA user_version = 1")
    db.commit()
    db.close()
    with reading(path) as index:
        assert index is None  # as if there were none: upkeep makes it
    made = SearchIndex(path)
    made.update(collection.archive_folder)
    assert made.near("http://a.example.th/story")
    made.close()
