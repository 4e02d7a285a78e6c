"""The engine of the thesis, against the plain form of its specification."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from phasa.language.lexicon import Lexicon, longest_first
from phasa.language.segmenters.longest_first import LongestFirst


def plain_form(text: str, lexicon: Lexicon, early_stop: bool = True) -> list[str]:
    """Overview spec. §4.8 as it is written, line by line: the oracle of the fast form."""
    return [word for line in re.split("(\n)", text) for word in _plain_line(line, lexicon, early_stop)]


def _plain_line(text: str, lexicon: Lexicon, early_stop: bool) -> list[str]:
    mark = [False] * len(text)
    cuts = {0, len(text)}
    for entries in (lexicon.cname, lexicon.reference):
        shortest = min(map(len, entries), default=0)
        for word in entries:
            if early_stop and mark.count(False) < shortest:
                break
            i = text.find(word)
            while i >= 0:
                if not any(mark[i : i + len(word)]):
                    mark[i : i + len(word)] = [True] * len(word)
                    cuts |= {i, i + len(word)}
                    i = text.find(word, i + len(word))
                else:
                    i = text.find(word, i + 1)
    for i in range(1, len(text)):
        if mark[i - 1] != mark[i]:
            cuts.add(i)
        if not mark[i - 1] and not mark[i] and (text[i - 1] == " ") != (text[i] == " "):
            cuts.add(i)
    places = sorted(cuts)
    return [text[a:b] for a, b in pairwise(places) if a < b]


def lexicon(cname: set[str], reference: set[str]) -> Lexicon:
    return Lexicon(longest_first(cname), longest_first(reference - cname), {})


short_words = st.sets(st.text(alphabet="abc ก", min_size=1, max_size=5), max_size=12)


@given(short_words, short_words, st.text(alphabet="abc ก\n", max_size=40))
def test_the_fast_form_gives_the_words_of_the_plain_form(cname: set[str], reference: set[str], text: str) -> None:
    words = lexicon(cname, reference)
    assert LongestFirst(words).words(text) == plain_form(text, words)


@given(short_words, short_words, st.text(alphabet="abc ก", max_size=30))
def test_stopping_early_changes_nothing(cname: set[str], reference: set[str], text: str) -> None:
    words = lexicon(cname, reference)
    assert plain_form(text, words) == plain_form(text, words, early_stop=False)


def test_the_longest_entry_anywhere_goes_first() -> None:
    assert LongestFirst(lexicon(set(), {"abc", "cdefg", "ab", "de"})).words("abcdefg") == ["ab", "cdefg"]


def test_a_name_outranks_a_longer_common_word() -> None:
    engine = LongestFirst(lexicon({"จินตนา"}, {"จินตนาการ", "การ"}))
    assert engine.words("จินตนาการ") == ["จินตนา", "การ"]


def test_entries_with_blanks_are_matched_before_blanks_cut() -> None:
    engine = LongestFirst(lexicon({"สม ใจ"}, {"สม"}))
    assert engine.words("สม ใจ ใจ") == ["สม ใจ", " ", "ใจ"]


def test_claims_say_which_list_they_came_from() -> None:
    claimed = LongestFirst(lexicon({"ab"}, {"cd"})).claim("abcd")
    assert sorted(zip(claimed.starts.tolist(), claimed.ends.tolist(), claimed.from_cname.tolist(), strict=True)) == [
        (0, 2, True),
        (2, 4, False),
    ]


def test_lone_surrogates_and_nul_come_through() -> None:
    text = "ab\ud800\x00ab"
    assert LongestFirst(lexicon(set(), {"ab"})).words(text) == ["ab", "\ud800\x00", "ab"]
