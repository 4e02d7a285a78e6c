"""Reading segmented corpora."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasa.errors import InputError
from phasa.language.lexicon import Word, lots_of_five, raw_text, read_corpus, read_line, write_line

plain_text = st.text(alphabet="กขค ab.", min_size=1, max_size=6)
words = st.builds(Word, plain_text, st.sampled_from(["", "NE", "AB", "POEM"]))


def test_a_tagged_span_is_one_word_even_with_bars_inside() -> None:
    assert read_line("<NE>กรม|ควบคุมโรค</NE>|ออก| |<AB>ซม.</AB>|") == [
        Word("กรมควบคุมโรค", "NE"),
        Word("ออก"),
        Word(" "),
        Word("ซม.", "AB"),
    ]


def test_an_empty_line_has_no_words() -> None:
    assert read_line("") == read_line("||") == []


@given(st.lists(words, max_size=8))
def test_what_is_written_is_read_again(line: list[Word]) -> None:
    assert read_line(write_line(line)) == line
    assert raw_text(read_line(write_line(line))) == "".join(word.text for word in line)


def test_a_tag_without_its_partner_is_named_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "broken.seg"
    file.write_text("ดี|\n<NE>ไม่|ดี\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"broken\.seg, line 2: .*<NE> has no partner"):
        list(read_corpus(file))


def test_gzip_and_blank_lines_are_read(tmp_path: Path) -> None:
    file = tmp_path / "corpus.seg.gz"
    file.write_bytes(gzip.compress("ก|ข\n\nค\r\n".encode()))
    assert [[word.text for word in line] for line in read_corpus(file)] == [["ก", "ข"], ["ค"]]


def test_of_five_files_the_first_is_for_testing() -> None:
    assert lots_of_five([1, 2, 3, 4, 5, 6, 7]) == ([2, 3, 4, 5, 7], [1, 6])
