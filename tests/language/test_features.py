"""N-gram buckets: a text's features depend on it alone, and the fast form equals the plain one."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from phasa.language.features import BLANK, PAD, letter_rows, letter_table, ngram_buckets

ARABIC = letter_table(("Arab",))
LATIN = letter_table(("Latn",))
_TEXTS = st.lists(st.text(alphabet="abZ é9-\nกفیـ\u064e\U0001f600", max_size=25), min_size=1, max_size=8)


def _letters(row: NDArray[np.uint16]) -> str:
    return "".join(chr(unit) for unit in row.tolist() if unit != PAD)


def test_letters_are_lowered_and_the_rest_is_one_blank() -> None:
    rows = letter_rows(["Ab, 12 c\nD!", "é"], LATIN, 50)
    assert [_letters(row) for row in rows] == [" ab c d ", " é "]


def test_marks_that_are_optional_are_dropped_and_other_scripts_blank() -> None:
    assert _letters(letter_rows(["كِتَـاب and ก"], ARABIC, 50)[0]) == " كتاب "


def test_a_row_is_cut_at_the_longest() -> None:
    assert _letters(letter_rows(["abcdefgh"], LATIN, 3)[0]) == " abc"


@given(_TEXTS)
def test_rows_equal_the_plain_form(texts: list[str]) -> None:
    for text, row in zip(texts, letter_rows(texts, LATIN, 100), strict=True):
        plain = re.sub("[\u064e\u0640]", "", text)
        plain = re.sub("[^a-zé]+", " ", plain.lower() + " ")
        assert re.sub(" +", " ", _letters(row)).strip() == plain.strip()


@given(_TEXTS)
def test_neighbours_do_not_change_a_text_s_n_grams(texts: list[str]) -> None:
    together = ngram_buckets(letter_rows(texts, LATIN, 100), 14)
    for text, buckets in zip(texts, together, strict=True):
        alone = ngram_buckets(letter_rows([text], LATIN, 100), 14)[0]
        assert sorted(buckets[buckets > 0].tolist()) == sorted(alone[alone > 0].tolist())


def test_padding_falls_into_bucket_zero() -> None:
    rows = letter_rows(["a", "a" * 30], LATIN, 100)
    buckets = ngram_buckets(rows, 16, orders=3).reshape(2, 3, -1)
    assert rows[0, 0] == BLANK
    assert np.count_nonzero(buckets[0]) == 9  # blank, letter, blank: three n-grams of each order


@given(_TEXTS)
def test_a_text_alone_has_the_row_that_it_has_among_others(texts: list[str]) -> None:
    for text, row in zip(texts, letter_rows([*texts, "x"], LATIN, 12), strict=False):
        assert _letters(letter_rows([text], LATIN, 12)[0]) == _letters(row)
