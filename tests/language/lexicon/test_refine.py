"""Frequency Based Corpus Refinement."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from phasa.language.lexicon import (
    Inconsistency,
    Line,
    Word,
    find_inconsistencies,
    raw_text,
    read_line,
    refine,
    write_line,
)


def refined(*lines: str) -> list[str]:
    corpus = [read_line(line) for line in lines]
    return [write_line(line) for line in refine(corpus, find_inconsistencies(corpus))]


def test_the_more_frequent_split_form_replaces_the_joined_one() -> None:
    assert refined("ไม่|ได้", "ไม่|ได้", "ไม่ได้|ดี") == ["ไม่|ได้", "ไม่|ได้", "ไม่|ได้|ดี"]


def test_the_more_frequent_joined_form_replaces_the_split_one() -> None:
    assert refined("ชาวบ้าน", "ชาวบ้าน", "ชาว|บ้าน") == ["ชาวบ้าน"] * 3


def test_on_equal_counts_the_joined_form_wins() -> None:
    assert refined("ก|ข", "กข") == ["กข", "กข"]


def test_three_words_are_compared_too() -> None:
    assert refined("ก|ข|ค", "ก|ข|ค", "กขค") == ["ก|ข|ค"] * 3


def test_sequences_do_not_cross_blanks_tags_or_line_ends() -> None:
    lines = ["กข", "ก| |ข", "<NE>ก</NE>|ข", "ก", "ข"]
    assert refined(*lines) == lines


def test_a_tagged_span_is_never_rewritten() -> None:
    assert refined("ก|ข", "ก|ข", "กข", "<NE>กข</NE>")[-1] == "<NE>กข</NE>"


def test_a_word_that_lost_to_two_words_is_not_compared_with_three() -> None:
    cases = find_inconsistencies([read_line(line) for line in ("ก|ขค", "ก|ขค", "กขค", "ก|ข|ค")])
    assert cases == [Inconsistency(("ก", "ขค"), 2, 1), Inconsistency(("ข", "ค"), 1, 2)]


lines = st.lists(
    st.lists(st.builds(Word, st.sampled_from(["ก", "ข", "กข", "ขก", "กขก", " "]), st.just("")), max_size=8)
)


@given(lines)
def test_refining_never_changes_the_text(corpus: list[Line]) -> None:
    after = refine(corpus, find_inconsistencies(corpus))
    assert [raw_text(line) for line in after] == [raw_text(line) for line in corpus]
