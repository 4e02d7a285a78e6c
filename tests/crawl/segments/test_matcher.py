"""Soundex, the dictionary and the TextTokenizer, against the plain form of Figure 5."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasa.crawl.segments.builder import (
    Builder,
    ambiguous,
    anchor_texts,
    country_names,
    short_forms,
    voted,
)
from phasa.crawl.segments.dictionary import Dictionary, load_dictionary, plain_term, tokens_of
from phasa.crawl.segments.matcher import Match, Matcher
from phasa.crawl.segments.soundex import SILENCE, digits_of, grow, soundex
from phasa.errors import InputError, SettingsError

B3 = Dictionary(["nakhon pratom", "pattaya", "thailand", "samui", "koh samui", "phuket", "bangkok"])
SENTENCE = "cheap hotel near nakhon pratom temple with swimming pool and breakfast"
WORDS = ["nakhon", "nakon", "pratom", "patom", "koh", "samui", "same", "some", "pocket", "phuket", "the", "with", "a"]
WORDS += ["2014", "café", "ภูเก็ต", "x"]
texts = st.lists(st.sampled_from(WORDS) | st.text(alphabet="abhkmnostuwy", max_size=5), max_size=12).map(" ".join)


def figure_five(text: str, dictionary: Dictionary, mode: str, deaf: frozenset[str] = frozenset()) -> Match:
    """The figure, word by word: slow and plainly right."""
    tokens = tokens_of(text)
    related: list[str] = []
    normal: list[str] = []
    at = 0
    while at < len(tokens):
        longest = 0
        for end in range(at + 1, len(tokens) + 1):
            word, size = " ".join(tokens[at:end]), end - at
            heard = soundex(word) in dictionary.sounds
            if mode != "literal":
                heard = size in {term.count(" ") + 1 for term in dictionary.terms if soundex(term) == soundex(word)}
                heard = heard and mode != "exact" and not (size == 1 and word in deaf)
            if word in dictionary or heard:
                longest = size
        if longest:
            related.append(" ".join(tokens[at : at + longest]))
        else:
            normal.append(tokens[at])
        at += max(longest, 1)
    return Match(related, normal)


@given(texts, st.sampled_from(["literal", "bounded", "exact"]))
def test_the_matcher_is_figure_five(text: str, mode: str) -> None:
    matcher = Matcher(B3, mode)
    assert matcher.match(text) == figure_five(text, B3, mode, matcher.stop)


@given(texts, st.sampled_from(["literal", "bounded", "guarded", "exact"]))
def test_every_token_is_in_exactly_one_item(text: str, mode: str) -> None:
    found = Matcher(B3, mode).match(text)
    assert sorted(" ".join(found.related + found.normal).split()) == sorted(tokens_of(text))
    assert 0.0 <= Matcher(B3, mode).ratio(text) <= 1.0


@given(st.lists(st.text(max_size=6), max_size=5))
def test_a_code_grown_token_by_token_is_that_of_the_whole(parts: list[str]) -> None:
    sound = SILENCE
    for part in parts:
        sound = grow(sound, part)
    assert sound.padded == soundex(" ".join(parts))
    assert sound.padded == "" or len(sound.padded) == 4


def test_the_guarded_mode_spares_frequent_words_but_not_names() -> None:
    bounded, guarded = Matcher(B3, "bounded"), Matcher(B3, "guarded")
    assert bounded.match("pocket").related == ["pocket"]
    assert guarded.match("pocket").related == []
    assert guarded.match("phuket phukett").related == ["phuket", "phukett"]


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(SettingsError, match="literal, bounded"):
        Matcher(B3, "loose")


def test_a_ratio_leaves_stop_words_out() -> None:
    dictionary = Dictionary(["Pattaya", "Thailand"])
    text = "Pattaya is a city in Thailand, http Thailand beach html"
    assert Matcher(dictionary, "exact").ratio(text) == pytest.approx(3 / 5)
    assert Matcher(dictionary, "exact").ratio("") == 0.0


@pytest.mark.parametrize("term", ["", "  ", "ภูเก็ต", "123", "เกาะ samui", "!?"])
def test_a_term_that_cannot_be_used_is_named(term: str) -> None:
    with pytest.raises(InputError, match="dictionary"):
        Dictionary([term])


def test_accents_and_case_are_taken_off() -> None:
    assert plain_term("  Café—São_Tomé ") == "cafe sao tome"


def test_a_dictionary_without_terms_is_refused() -> None:
    with pytest.raises(InputError, match="no terms"):
        Dictionary([])


@pytest.mark.parametrize("name", ["words.txt", "words.txt.zst"])
def test_a_dictionary_survives_its_file(tmp_path: Path, name: str) -> None:
    kept = Dictionary(["Koh Samui", "Phuket"], ["my list: 2 terms"])
    kept.save(tmp_path / name)
    read = load_dictionary(tmp_path / name)
    assert (read.terms, read.sources) == (kept.terms, kept.sources)


def test_a_bad_file_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text("phuket\n\nภูเก็ต\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"bad\.txt, line 3"):
        load_dictionary(tmp_path / "bad.txt")
    (tmp_path / "bad.zst").write_bytes(b"no")
    with pytest.raises(InputError, match="not a dictionary"):
        load_dictionary(tmp_path / "bad.zst")
    with pytest.raises(InputError, match="no such dictionary"):
        load_dictionary("atlantis")


def test_the_shipped_dictionary_is_large_and_sane() -> None:
    shipped = load_dictionary()
    assert len(shipped) >= 8000
    assert {"phuket", "koh samui", "samui", "pad thai", "chulalongkorn", "thailand"} <= shipped.terms
    assert not {"hot", "the", "long", "don"} & shipped.terms
    assert len(shipped.sources) == 5


def test_votes_need_a_majority_unless_told_otherwise() -> None:
    lines = ["Koh Samui\t1\t1\t0", "Paris\t1\t0\t0", "# comment", "", "Phuket\t1\t1\t1"]
    assert voted(lines, "votes") == {"koh samui", "phuket"}
    assert voted(lines, "votes", 1) == {"koh samui", "paris", "phuket"}
    for broken in ("Koh Samui", "Koh Samui\tyes", "\t1\t1"):
        with pytest.raises(InputError, match="votes, line 1"):
            voted([broken], "votes")


def test_a_list_page_gives_its_anchor_texts_and_votes_choose_among_them() -> None:
    html = '<ul><li><a href="/a">Wat Arun</a> and <a href="/b">edit</a><li><a href="/c">วัด</a><li><a>Wat Pho</a></ul>'
    assert anchor_texts(html) == ["Wat Arun", "edit", "วัด"]
    builder = Builder()
    builder.add_page(html, "temples.html", {"wat arun"})
    assert builder.terms == {"wat arun"}
    assert builder.refused == 1


def test_short_forms_are_added_where_something_is_left() -> None:
    assert short_forms({"koh samui", "koh tao", "amphoe mueang nan", "wat arun"}) == {"samui", "mueang nan"}


def test_single_words_that_are_everywhere_are_ambiguous() -> None:
    found = ambiguous({"hot", "don", "phuket", "thai", "hot spring"}, frozenset({"thai", "hot"}), frozenset({"thai"}))
    assert found == {"hot", "don"}


def test_a_country_has_its_names_or_is_refused() -> None:
    found = country_names("IR")
    assert sum(len(names) for names in found.values()) > 500
    with pytest.raises(InputError, match="ISO 3166"):
        country_names("XX")


def test_a_hand_written_list_names_its_bad_line() -> None:
    with pytest.raises(InputError, match="mine, line 2"):
        Builder().add_list(["phuket", "ภูเก็ต"], "mine")


@given(texts, st.sampled_from(["literal", "bounded", "guarded", "exact"]))
def test_the_ratio_counted_in_one_pass_is_that_of_the_match(text: str, mode: str) -> None:
    matcher = Matcher(B3, mode)
    related, normal = matcher.match(text)
    kept = [sum(item not in matcher.stop for item in items) for items in (related, normal)]
    assert matcher.ratio(text) == (kept[0] / sum(kept) if sum(kept) else 0.0)


@given(st.text(alphabet="abdfghklmnoprstuwy2é", max_size=9), st.text(alphabet="abdfghklmnoprstuwy2é", max_size=9))
def test_words_with_equal_digits_grow_a_sound_alike(first: str, second: str) -> None:
    begun = grow(SILENCE, first)
    if not begun.code or begun.full:
        return
    room = 4 - len(begun.code)
    same = digits_of(second, room).translate(str.maketrans("0123456", "ABCDLMR"))
    grown, again = grow(begun, second), grow(begun, same)
    assert grown.code == again.code
    assert grown.full or grown.last == again.last
