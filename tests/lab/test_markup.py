"""Generated pages: real HTML in their declared encoding, with exact gold."""

from __future__ import annotations

import numpy as np

from phasa.lab.graph import OK
from phasa.lab.markup import topic_of, write_page
from phasa.lab.topics import TOPIC_WORDS, TOPICS
from phasa.lab.world import World
from phasa.web.html import read_page
from phasa.web.url import parse


def _pages(world: World, wanted: bool, count: int = 25) -> list[int]:
    fitting = np.flatnonzero(world.pages.target == wanted)
    return [int(page) for page in fitting[:: max(1, len(fitting) // count)]]


def _text(world: World, page: int) -> str:
    written = write_page(world, page)
    return written.body.decode(written.codec, "replace")


def test_a_page_is_the_same_each_time(thai_world: World) -> None:
    assert write_page(thai_world, 1234) == write_page(thai_world, 1234)


def test_the_links_of_the_page_are_the_links_of_the_graph(thai_world: World) -> None:
    graph = thai_world.graph
    for page in [*_pages(thai_world, True, 8), *_pages(thai_world, False, 8)]:
        url = parse(thai_world.url(page))
        assert url is not None
        read = read_page(_text(thai_world, page), url)
        found = {link.url for link in read.links if link.tag == "a"}
        assert found == {graph.url(int(target)) for target in graph.targets[graph.links(page)]}


def test_the_content_is_on_the_page_and_so_are_the_keywords(thai_world: World, persian_world: World) -> None:
    for world in (thai_world, persian_world):
        for page in _pages(world, True, 10):
            gold = write_page(world, page).gold
            if world.pages.charsets[int(world.pages.charset[page])] not in ("utf-8", "tis-620", "windows-874"):
                continue
            text = _text(world, page)
            assert gold.title in text
            for paragraph in gold.text.splitlines():
                assert paragraph.replace("'", "&#x27;") in text
            assert all(word.lower() in gold.text.lower() for word in gold.keywords)
            assert gold.keywords


def test_keywords_are_words_of_the_topic(thai_world: World) -> None:
    for page in _pages(thai_world, True, 10):
        gold = write_page(thai_world, page).gold
        known = {word for language in ("th", "en") for word in TOPIC_WORDS[language][gold.topic].split()}
        assert set(gold.keywords) <= known
        assert gold.topic == TOPICS[topic_of(thai_world, max(page, int(thai_world.copy_of[page])))] or page


def test_thai_pages_have_thai_letters_and_others_hardly_any(thai_world: World) -> None:
    def thai_letters(page: int) -> float:
        text = write_page(thai_world, page).gold.text
        return sum("\u0e00" <= letter <= "\u0e7f" for letter in text) / max(1, len(text))

    own = [thai_letters(page) for page in _pages(thai_world, True)]
    other = [thai_letters(page) for page in _pages(thai_world, False)]
    assert np.mean(own) > 0.35
    assert np.mean(other) < 0.05


def test_a_copy_has_the_content_of_its_original(persian_world: World) -> None:
    copy = int(np.flatnonzero(persian_world.copy_of >= 0)[0])
    original = int(persian_world.copy_of[copy])
    assert write_page(persian_world, copy).gold.title == write_page(persian_world, original).gold.title
    assert write_page(persian_world, copy).gold.url != write_page(persian_world, original).gold.url


def test_mislabelled_thai_pages_are_thai_bytes_under_a_latin_name() -> None:
    world = World.from_name("1:4000")
    latin = world.pages.charsets.index("iso-8859-1")
    liars = np.flatnonzero(world.pages.target & (world.pages.charset == latin))
    written = write_page(world, int(liars[0]))
    assert b"charset=iso-8859-1" in written.body
    assert any("\u0e00" <= letter <= "\u0e7f" for letter in written.body.decode("cp874", "replace"))


def test_segments_are_directories(thai_world: World) -> None:
    gold = write_page(thai_world, int(thai_world.sites.first[0]) + 3).gold
    assert gold.url.startswith(gold.segment)
    assert gold.segment.endswith("/")
    assert thai_world.graph.status[thai_world.find(gold.url)] == OK
