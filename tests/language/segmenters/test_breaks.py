"""Unicode word boundaries, and what people write that no rule book foresaw."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasa.language.segmenters import load_segmenter, segmenter_for
from phasa.language.segmenters.characters import FOLLOWING_VOWELS

spaced = load_segmenter("spaced")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hello, world", ["Hello", ",", " ", "world"]),
        ("can't stop", ["can't", " ", "stop"]),
        ("3.14 or 1,000", ["3.14", " ", "or", " ", "1,000"]),
        ("a_b c1", ["a_b", " ", "c1"]),
        ("wait......", ["wait", "......"]),
        ("a   b", ["a", "   ", "b"]),
        ("a\r\nb", ["a", "\r\n", "b"]),
        ("e\u0301te\u0301", ["e\u0301te\u0301"]),
        ("👨‍👩‍👧👍🏽", ["👨‍👩‍👧", "👍🏽"]),
        ("🇹🇭🇮🇷", ["🇹🇭", "🇮🇷"]),
        ("ดูhttp://a.th/b?c=1ครับ", ["ดู", "http://a.th/b?c=1", "ครับ"]),
        ("mail me@site.co.th.", ["mail", " ", "me@site.co.th", "."]),
    ],
)
def test_cuts_where_unicode_says(text: str, words: list[str]) -> None:
    assert spaced.words(text) == words


def test_a_persian_half_space_stays_inside_its_word() -> None:
    assert segmenter_for("fa").words("می‌روم به کتاب‌ها") == ["می‌روم", " ", "به", " ", "کتاب‌ها"]


def test_an_empty_text_has_no_words() -> None:
    assert spaced.segment("") == []
    assert spaced.words("") == []


@given(st.text(alphabet=st.characters(), max_size=60))
def test_nothing_is_added_and_nothing_lost(text: str) -> None:
    assert "".join(spaced.words(text)) == text
    assert all(spaced.words(text))


@given(st.text(alphabet="กเ่าะ \nai‍", max_size=30))
def test_no_word_begins_with_a_mark_except_on_a_new_line(text: str) -> None:
    for start, _ in spaced.segment(text)[1:]:
        assert text[start] not in FOLLOWING_VOWELS + "่\u200d" or text[start - 1] == "\n"
