"""Titles on one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasa.feeds.post import headline


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("ข่าว <b>ใหม่</b>", "ข่าว ใหม่"),
        ("R&amp;D &#8212; news", "R&D — news"),
        ("two\nlines\tand tabs", "two lines and tabs"),
        ("\x1b[31mred\x9b31m", "[31mred 31m"),
        ("a\u202eb", "a b"),
        ("می\u200cخواهم", "می\u200cخواهم"),
    ],
)
def test_markup_controls_and_lines_go(written: str, shown: str) -> None:
    assert headline(written) == shown


def test_what_is_long_is_cut() -> None:
    assert headline("x" * 400) == "x" * 299 + "…"


@given(st.text())
def test_one_line_without_controls_whatever_comes(text: str) -> None:
    line = headline(text)
    assert len(line.splitlines()) <= 1
    assert "\x1b" not in line
    assert "\t" not in line
