"""Lao, Khmer and Myanmar: cut by their own spelling, whatever language was named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasa.language.segmenters import load_segmenter, segmenter_for

LAO, KHMER, BURMESE = "ສະ|ບາຍ|ດີ", "សួ|ស្តី", "မြန်|မာ|နိုင်|ငံ"
THAI = "ภาษา|ไทย|ง่าย|มาก"


@pytest.mark.parametrize("language", ["lo", "km", "my", "th"])
@pytest.mark.parametrize("words", [LAO, KHMER, BURMESE, THAI])
def test_the_text_itself_says_by_which_rules_it_is_cut(language: str, words: str) -> None:
    assert segmenter_for(language).words(words.replace("|", "")) == words.split("|")


@pytest.mark.parametrize("language", ["lo", "th"])
def test_thai_and_its_neighbours_in_one_line_are_each_cut_by_their_own_rules(language: str) -> None:
    words = [*THAI.split("|"), *LAO.split("|"), " ", *KHMER.split("|"), *BURMESE.split("|"), "2018"]
    assert segmenter_for(language).words("".join(words)) == words


def test_the_model_for_thai_never_decides_inside_another_script() -> None:
    for words in (LAO, KHMER, BURMESE):
        text = words.replace("|", "")
        assert load_segmenter("phasa").words(f"{text} ไทย")[:-2] == load_segmenter("syllables").words(text)


@given(st.text(alphabet="กา่ເລາ່ກខ្ម្រ\u1000\u103a\u1039 2a\n", max_size=40))
def test_words_joined_are_the_text_and_lines_do_not_depend_on_each_other(text: str) -> None:
    for engine in (segmenter_for("lo"), load_segmenter("phasa", style="general")):
        assert "".join(engine.words(text)) == text
        by_line = [word for line in text.splitlines(keepends=True) for word in engine.words(line)]
        if "\n" in text:
            assert engine.words(text) == by_line


def test_a_line_of_thai_does_not_change_the_lines_around_it() -> None:
    engine = segmenter_for("lo")
    assert engine.words("2a\nก")[:-2] == engine.words("2a") == ["2a"]
