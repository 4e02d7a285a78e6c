"""Text of the web on our pages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from phasa.service.formatting import address, foreign, plain, visible


def test_markup_is_shown_as_text() -> None:
    assert "<script>" not in foreign("<script>alert(1)</script>")
    assert "&lt;script&gt;" in foreign("<script>alert(1)</script>")
    assert 'lang="&#34;' in foreign("x", lang='"><script>')


def test_what_turns_the_direction_of_writing_is_named() -> None:
    assert plain("abc\u202efdp.exe") == "abc⟨RLO⟩fdp.exe"
    assert plain("a\u2066b\u2069c\u200fd") == "a⟨LRI⟩b⟨PDI⟩c⟨RLM⟩d"


def test_joiners_that_persian_needs_stay() -> None:
    assert plain("می‌خواهم") == "می‌خواهم"
    assert plain("น้ำ") == "น้ำ"


def test_control_characters_are_drawn() -> None:
    assert plain("a\x00b\x1bc\x7f") == "a␀b␛c␡"
    assert visible("one\ntwo\tthree") == "one\ntwo\tthree"


def test_a_title_of_a_megabyte_is_cut() -> None:
    shown = plain("ก" * 1_000_000)
    assert len(shown) == 300
    assert shown.endswith("…")
    assert plain("short") == "short"


@given(st.text(), st.integers(2, 50))
def test_a_shown_line_is_short_printable_and_isolated(text: str, most: int) -> None:
    line = plain(text, most)
    assert len(line) <= most
    assert "\n" not in line
    assert not any("\u202a" <= letter <= "\u202e" or "\u2066" <= letter <= "\u2069" for letter in line)
    line.encode("utf-8")
    assert str(foreign(text)).startswith("<bdi")
    assert str(foreign(text)).count("<") == 2


def test_addresses_run_left_to_right_and_are_no_links() -> None:
    assert str(address("http://x/\u202e?a=<b>")) == '<bdi dir="ltr" class="url">http://x/⟨RLO⟩?a=&lt;b&gt;</bdi>'
