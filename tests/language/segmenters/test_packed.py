"""Engines that are shipped ready-made are the engines that their word lists make."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from phasa.language.detectors.dictionary import dictionary
from phasa.language.lexicon import Lexicon
from phasa.language.profile import load_profile
from phasa.language.segmenters import load_segmenter
from phasa.language.segmenters.characters import code_points
from phasa.language.segmenters.lexto import Lexto
from phasa.language.segmenters.longest_first import LongestFirst
from phasa.language.segmenters.packed import DATA, read_packed, write_packed
from phasa.language.segmenters.trie import Trie
from phasa.language.wordlists import word_list

TEXT = "ภาษาไทยง่ายนิดเดียว ตากลม มากกว่า abc 12 โรงเรียนอนุบาลกรุงเทพมหานคร\nบรรทัดที่สอง ๆ ฯลฯ"
WORDS = st.lists(st.text("กขคงาิ่ab", min_size=1, max_size=5), min_size=1, max_size=30, unique=True)


def test_the_shipped_files_are_those_that_the_word_list_gives_today(tmp_path: Path) -> None:
    write_packed("th", tmp_path, level=1)
    for written in sorted(tmp_path.iterdir()):
        shipped = zstandard.ZstdDecompressor().decompress((DATA / written.name).read_bytes())
        assert shipped == zstandard.ZstdDecompressor().decompress(written.read_bytes()), written.name


def test_a_loaded_engine_cuts_as_one_that_was_built() -> None:
    words = word_list("th")
    assert load_segmenter("lexto").words(TEXT) == Lexto(words).words(TEXT)
    assert load_segmenter("longest-first").words(TEXT) == LongestFirst(Lexicon((), words, {})).words(TEXT)


def test_the_dictionary_that_is_shipped_counts_as_one_that_is_built() -> None:
    shipped = load_profile("th")
    built = msgspec.structs.replace(shipped, code="th-x-own")
    assert dictionary(shipped).count(TEXT) == dictionary(built).count(TEXT) != (0, 0)


def test_a_profile_with_other_words_has_a_dictionary_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "more.txt").write_text("ฃฅฃฅ\n", encoding="utf-8")
    shipped = load_profile("th")
    other = msgspec.structs.replace(shipped, extra_words=str(tmp_path / "more.txt"))
    assert dictionary(shipped).count("ฃฅฃฅ")[0] == 0
    assert dictionary(other).count("ฃฅฃฅ")[0] == 1


@given(WORDS, st.text("กขคงาิ่ab ", max_size=40))
@settings(max_examples=50)
def test_a_trie_written_and_read_finds_the_same(words: list[str], text: str) -> None:
    codes = code_points(text)
    grown, read = Trie(words), Trie.from_bytes(Trie(words).to_bytes())
    for one, other in zip(grown.find(codes), read.find(codes), strict=True):
        assert (one.length, one.starts.tolist(), one.words.tolist()) == (
            other.length,
            other.starts.tolist(),
            other.words.tolist(),
        )


@given(WORDS, st.text("กขคงาิ่ab ", max_size=40))
@settings(max_examples=50)
def test_lexto_written_and_read_cuts_the_same(words: list[str], text: str) -> None:
    assert Lexto.from_bytes(Lexto(words).to_bytes()).tokens(text) == Lexto(words).tokens(text)


@pytest.mark.parametrize("data", [b"", b"no zstandard", zstandard.compress(b"x" * 30)])
def test_a_file_that_does_not_fit_is_passed_over(data: bytes, tmp_path: Path) -> None:
    for name, read in (("lexto", Lexto.from_bytes), ("longest-first", Trie.from_bytes)):
        assert read_packed(name, "xx", read, tmp_path) is None
        (tmp_path / f"packed-{name}-xx.zst").write_bytes(data)
        assert read_packed(name, "xx", read, tmp_path) is None
