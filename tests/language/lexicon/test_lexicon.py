"""Word lists and their file."""

from __future__ import annotations

from pathlib import Path

import pytest

from phasa.errors import InputError
from phasa.language.lexicon import build_lexicon, load_lexicon, longest_first, read_line

LINES = [read_line("แมว|กิน|ปลา| |<NE>สม ใจ</NE>|ก|OK|<AB>ซม.</AB>"), read_line("แมว|นอน")]


def test_reference_holds_plain_words_and_cname_tagged_ones() -> None:
    lexicon = build_lexicon(LINES, names=["สมชาย", " "])
    assert set(lexicon.reference) == {"แมว", "กิน", "ปลา", "นอน"}
    assert set(lexicon.cname) == {"สม ใจ", "ซม.", "สมชาย"}
    assert (lexicon.counts["แมว"], lexicon.counts["สมชาย"]) == (2, 0)


def test_lists_are_longest_first_and_always_in_the_same_order() -> None:
    assert longest_first({"b", "aaa", "a", "bb"}) == ("aaa", "bb", "a", "b")


def test_a_saved_lexicon_is_loaded_again(tmp_path: Path) -> None:
    lexicon = build_lexicon(LINES)
    lexicon.save(tmp_path / "a.lex")
    assert load_lexicon(tmp_path / "a.lex") == lexicon


def test_a_plain_word_list_is_a_reference(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("แมว\nปลาทู\n\n", encoding="utf-8")
    assert load_lexicon(tmp_path / "words.txt").reference == ("ปลาทู", "แมว")


@pytest.mark.parametrize("content", [b"\x28\xb5\x2f\xfd broken", b"\xff\xfe\x00", b"phasa lexicon 1\nX\t1\tw"])
def test_a_broken_file_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.lex").write_bytes(content)
    with pytest.raises(InputError, match=r"bad\.lex"):
        load_lexicon(tmp_path / "bad.lex")
