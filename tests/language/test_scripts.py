"""Scripts of characters, counted through one table."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from phasa.language.scripts import BLOCKS, count_scripts


def test_letters_are_counted_by_script() -> None:
    assert count_scripts("กทม. Amazing 2009") == {"Thai": 3, "Latn": 7}


def test_text_without_letters_has_no_scripts() -> None:
    assert count_scripts("2009 — ! ๒๕๕๒ ۱۲۳ \ud800 \x00") == {}


def test_persian_letters_and_half_space() -> None:
    assert count_scripts("می\u200cشود") == {"Arab": 5}


def _plain_count(text: str) -> dict[str, int]:
    """The plain form that the table replaces: look through the blocks for every character."""
    counts: dict[str, int] = {}
    for character in text:
        scripts = [script for script, first, last in BLOCKS if first <= ord(character) <= last]
        if scripts:
            counts[scripts[-1]] = counts.get(scripts[-1], 0) + 1
    return counts


@given(st.text(alphabet=st.characters(max_codepoint=0xFFFF, exclude_categories=())))
def test_the_table_agrees_with_the_blocks(text: str) -> None:
    assert count_scripts(text) == _plain_count(text)
