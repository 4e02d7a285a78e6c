"""What the parts for crawling by topic do with input that is wrong, empty or odd."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from phasa.crawl.segments.dictionary import Dictionary, load_dictionary, plain_term
from phasa.crawl.segments.graph import SegmentGraph
from phasa.crawl.segments.identifier import key_of
from phasa.crawl.segments.matcher import Matcher
from phasa.crawl.segments.predictor import load_predictor
from phasa.crawl.segments.training import train_predictor
from phasa.crawl.topics.topic import load_topic
from phasa.crawl.topics.training import Examples, train_topic
from phasa.errors import InputError


def examples(positive: int, negative: int) -> Examples:
    texts = [Counter({"beach": 2})] * positive + [Counter({"engin": 1})] * negative
    return Examples(texts, np.array([True] * positive + [False] * negative, dtype=bool))


@pytest.mark.parametrize(
    ("positive", "negative", "what"),
    [
        (19, 500, "only 19 positive examples, at least 20"),
        (500, 3, "only 3 negative examples"),
        (40, 0, "no negative examples; both kinds are needed"),
        (0, 40, "no positive examples"),
        (0, 0, "no positive examples"),
    ],
)
def test_a_topic_needs_enough_pages_of_both_kinds(positive: int, negative: int, what: str) -> None:
    with pytest.raises(InputError, match=rf"topic 'trips': {what}"):
        train_topic("trips", examples(positive, negative))


def test_a_predictor_needs_links_between_websites() -> None:
    with pytest.raises(InputError, match="no link between segments of different websites"):
        train_predictor(SegmentGraph({}, {}, {}, (), {}), Matcher(Dictionary(["phuket"])))


@pytest.mark.parametrize("term", ["", "   ", "!!!", "2014", "ภูเก็ต", "Пхукет"])
def test_a_term_without_latin_letters_is_refused_by_name(term: str) -> None:
    with pytest.raises(InputError, match="dictionary: the term"):
        Dictionary(["phuket", term])


def test_a_mixed_term_is_refused_and_accents_are_taken_off() -> None:
    with pytest.raises(InputError, match="outside A–Z"):
        plain_term("koh ภูเก็ต samui")
    assert plain_term("Café Ko Pha-Ngan") == "cafe ko pha ngan"


def test_a_dictionary_file_names_the_line(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("phuket\nภูเก็ต\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 2"):
        load_dictionary(file)
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not a dictionary"):
        load_dictionary(file)


@pytest.mark.parametrize("load", [load_topic, load_predictor])
@pytest.mark.parametrize("body", [None, b"", b"junk"])
def test_a_model_file_that_is_none_is_named(load, body: bytes | None, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "x.model"
    if body is not None:
        file.write_bytes(body)
    with pytest.raises(InputError, match=r"x\.model"):
        load(file)


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://a.com", "http://a.com/"),
        ("http://a.com/?q=/x/y", "http://a.com/"),
        ("http://a.com/x//y.html", "http://a.com/x//"),
        ("http://a.com/x/y#z/w", "http://a.com/x/"),
        ("http://a.com:8080/x/", "http://a.com:8080/x/"),
        ("http://[2001:db8::1]/x/y", "http://[2001:db8::1]/x/"),
        ("http://a.com/%E0%B8%A0/a", "http://a.com/%E0%B8%A0/"),
        ("mailto:a@b.com", ""),
        ("javascript:void(0)", ""),
        ("", ""),
        ("http://", ""),
    ],
)
def test_the_segment_of_an_odd_address_is_defined(url: str, key: str) -> None:
    assert key_of(url) == key
