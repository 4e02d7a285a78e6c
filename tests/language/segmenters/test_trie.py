"""The trie in arrays, against looking everywhere for every word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from phasa.language.segmenters.characters import code_points
from phasa.language.segmenters.lattice import Occurrences
from phasa.language.segmenters.trie import Trie

word_sets = st.sets(st.text(alphabet="abกา\ud800", min_size=1, max_size=6), max_size=15)


def plain_find(words: list[str], text: str) -> set[tuple[int, int, int]]:
    """(start, length, word) of every occurrence: the oracle of the trie."""
    return {
        (start, len(word), number)
        for number, word in enumerate(words)
        for start in range(len(text))
        if text.startswith(word, start)
    }


def found_by(trie: Trie, text: str) -> list[tuple[int, int, int]]:
    return [
        (start, group.length, word)
        for group in trie.find(code_points(text))
        for start, word in zip(group.starts.tolist(), group.words.tolist(), strict=True)
    ]


@given(word_sets, st.text(alphabet="abกาข\ud800", max_size=40))
def test_every_occurrence_is_found_once(words: set[str], text: str) -> None:
    entries = list(words)
    found = found_by(Trie(entries), text)
    assert len(found) == len(set(found))
    assert set(found) == plain_find(entries, text)


@given(word_sets, st.text(alphabet="abกา", max_size=40))
def test_short_words_come_first_and_each_length_from_the_left(words: set[str], text: str) -> None:
    order = [(length, start) for start, length, _ in found_by(Trie(list(words)), text)]
    assert order == sorted(order)


def test_many_letters_need_no_table_of_pairs() -> None:
    words = [chr(0x4E00 + number) * 2 for number in range(2000)]
    text = "".join(words[::7])
    assert set(found_by(Trie(words), text)) == plain_find(words, text)


def test_a_trie_of_many_words_finds_them_all() -> None:
    words = [f"{number:x}" for number in range(5000)]
    text = "1388 ff abc 0"
    assert set(found_by(Trie(words), text)) == plain_find(words, text)


def test_no_words_are_found_nowhere() -> None:
    assert found_by(Trie([]), "กา") == []


@given(word_sets, st.text(alphabet="abกา", max_size=40))
def test_occurrences_come_by_end_the_longest_first(words: set[str], text: str) -> None:
    entries = list(words)
    starts, ends, numbers = (array.tolist() for array in Occurrences(entries).find(code_points(text)))
    assert {(s, e - s, n) for s, e, n in zip(starts, ends, numbers, strict=True)} == plain_find(entries, text)
    order = list(zip(ends, starts, strict=True))
    assert order == sorted(order)
