"""Keyword weights and lists: laws that hold for any text."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasa.overview.cloud import styles_of
from phasa.overview.keywords import METHODS, PERCENTS, amtf, keyword_lists, kid, recommend
from phasa.overview.terms import Terms

elements = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=12), max_size=6)


@given(elements)
def test_lists_only_grow_with_the_percentage(page: list[list[str]]) -> None:
    lists = keyword_lists(amtf(page))
    for small, large in pairwise(PERCENTS):
        assert set(lists[small]) <= set(lists[large])


@given(elements)
def test_terms_of_equal_weight_come_together(page: list[list[str]]) -> None:
    weights = amtf(page)
    for percent in PERCENTS:
        chosen = {word.term for word in keyword_lists(weights)[percent]}
        for term, weight in weights.items():
            alike = {other for other, same in weights.items() if abs(same - weight) < 1e-12}
            assert alike <= chosen or not alike & chosen
            del term


@given(elements)
def test_at_100_percent_every_term_is_there_whatever_the_weights(page: list[list[str]]) -> None:
    terms = {term for element in page for term in element}
    for weigh in METHODS.values():
        assert {word.term for word in keyword_lists(weigh(page))[100]} == terms


@given(elements, st.floats(0, 0.99))
def test_over_the_elements_with_the_term_alone_smoothing_changes_no_list(
    page: list[list[str]], smoothing: float
) -> None:
    plain = keyword_lists(amtf(page, average="containing"))
    smooth = keyword_lists(amtf(page, average="containing", smoothing=smoothing))
    for percent in PERCENTS:
        assert [word.term for word in plain[percent]] == [word.term for word in smooth[percent]]


@given(elements)
def test_one_page_alone_merges_to_its_own_lists(page: list[list[str]]) -> None:
    weights = amtf(page)
    merged, own = kid([weights]), keyword_lists(weights)
    assert all(list(merged[percent]) == list(own[percent]) for percent in PERCENTS)


@given(elements)
def test_the_recommended_list_is_never_empty_when_there_is_a_term(page: list[list[str]]) -> None:
    lists = keyword_lists(amtf(page), least=1)
    assert bool(lists[recommend(lists.chart())]) == any(page)


@given(elements)
def test_shown_styles_reach_seven(page: list[list[str]]) -> None:
    lists = keyword_lists(amtf(page), least=1)
    for percent in PERCENTS:
        styles = styles_of(lists[percent])
        assert all(1 <= style <= 7 for style in styles)
        assert not styles or max(styles) == 7


def test_no_text_gives_empty_lists() -> None:
    assert [count for _, count in keyword_lists({}, least=1).chart()] == [0] * 20
    assert kid([])[100] == []


@pytest.mark.parametrize("weigh", METHODS.values())
def test_no_element_is_fine(weigh) -> None:  # type: ignore[no-untyped-def]
    assert weigh([]) == weigh([[], []]) == {}


@pytest.mark.parametrize(("language", "word"), [("th", "โรงพยาบาล"), ("fa", "دانشگاه"), ("ru", "больница")])
def test_english_stop_words_are_no_keywords_of_a_page_in_other_letters(language: str, word: str) -> None:
    assert Terms(language).of(f"the {word} of it hospital") == [word, "hospital"]


def test_a_language_in_latin_letters_keeps_words_that_are_stop_words_in_english() -> None:
    assert "hers" in Terms("de").of("hers Krankenhaus")
    assert "hers" not in Terms("en").of("hers hospital")


def test_the_end_of_an_english_sentence_is_no_term_of_a_thai_page() -> None:
    assert Terms("th").of("โรงพยาบาล into the. มหาวิทยาลัย as of.") == Terms("th").of("โรงพยาบาล มหาวิทยาลัย")
    assert Terms("th").of("มหาวิทยาลัย has a library.")[-1] == "library"


def test_what_was_escaped_twice_is_no_word() -> None:
    assert Terms("th").of("วัดที่ จ.หนองคาย&quot; และ &quot วัดป่า") == Terms("th").of('วัดที่ จ.หนองคาย" และ " วัดป่า')
    assert Terms("en").of("Marks&amp;Spencer &#8220;Park&#8221; &ldquo Lane") == ["marks", "spencer", "park", "lane"]
