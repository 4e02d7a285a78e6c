"""The frame: the table of letter pairs says what a close look says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasa.language.segmenters.alphabet import SIZE, letters_of
from phasa.language.segmenters.breaks import addresses
from phasa.language.segmenters.characters import code_points
from phasa.language.segmenters.frame import BEGINS, NEVER, OPEN, close_look, frame_of

SIGNS = "กขเาำ่์ๆฯ๑ aZ09.,-_“”\"'‘!?#฿–·…\n\r\u2028\t\u200b\u200d\ufe0f😀🇹ァ漢ໆກາ់ក်က\x00\ud800"
texts = st.text(alphabet=st.sampled_from(SIGNS), max_size=40) | st.text(alphabet=st.characters(), max_size=30)


def verdicts(text: str) -> list[int]:
    codes = code_points(text)
    found: list[int] = frame_of(text, codes, letters_of(codes)).tolist()
    return found


@given(texts.filter(lambda text: not addresses(text)))
def test_pairs_of_letters_say_what_a_close_look_says(text: str) -> None:
    assert verdicts(text) == close_look(code_points(text)).tolist()


def test_every_character_has_a_letter_of_the_alphabet() -> None:
    assert int(letters_of(np.arange(0x110000, dtype=np.uint32)).max()) < SIZE


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("กา", [BEGINS, NEVER]),
        ("เก", [BEGINS, NEVER]),
        ("กข", [BEGINS, OPEN]),
        ("ab1", [BEGINS, NEVER, OPEN]),
        ("  ก", [BEGINS, NEVER, BEGINS]),
        ("!!?", [BEGINS, NEVER, OPEN]),
        ("เ\n่", [BEGINS, BEGINS, BEGINS]),
        ("ก\r\nข", [BEGINS, BEGINS, NEVER, BEGINS]),
        ("😀😀", [BEGINS, BEGINS]),
        ("👨\u200d👩", [BEGINS, NEVER, NEVER]),
    ],
)
def test_what_the_rules_say(text: str, expected: list[int]) -> None:
    assert verdicts(text) == expected


def test_an_address_is_whole() -> None:
    assert verdicts("ดูhttp://a.th/b่")[2:] == [OPEN - 1, *[NEVER] * 12, NEVER]


def test_a_line_that_needs_a_close_look_leaves_the_others_alone() -> None:
    plain, odd = "กาขา\r\n", "ก😀😀\n"
    assert verdicts(plain + odd + plain) == verdicts(plain) + verdicts(odd) + verdicts(plain)
