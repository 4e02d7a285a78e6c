"""Left-to-right longest matching and the types of its tokens."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from phasa.language.segmenters import load_segmenter
from phasa.language.segmenters.lexto import Lexto, TokenType

lexitron_like = Lexto(["กทม", "ร่วม", "สนับสนุน", "การ", "ท่องเที่ยว", "ท่อง", "เที่ยว"])


def test_the_sentence_of_table_6_gets_the_types_of_the_thesis() -> None:
    text = "กทม.ร่วมสนับสนุนการท่องเที่ยว Amazing Thailand 2009"
    tokens = [token for token in lexitron_like.tokens(text) if token.type is not TokenType.SPECIAL]
    assert [text[token.start : token.end] for token in tokens] == [
        *("กทม", "ร่วม", "สนับสนุน", "การ", "ท่องเที่ยว"),
        *("Amazing", "Thailand", "2009"),
    ]
    assert [token.type for token in tokens] == [TokenType.KNOWN] * 5 + [TokenType.FOREIGN] * 3


def test_the_longest_word_wins_from_the_left() -> None:
    assert Lexto(["abc", "cdefg", "ab", "de"]).words("abcdefg") == ["abc", "de", "fg"]


def test_a_run_that_is_no_word_is_unknown_and_makes_the_word_before_it_ambiguous() -> None:
    types = [token.type for token in lexitron_like.tokens("การฮฮฮ ร่วม")]
    assert types == [TokenType.AMBIGUOUS, TokenType.UNKNOWN, TokenType.SPECIAL, TokenType.KNOWN]


def test_a_match_that_would_tear_off_a_mark_is_no_match() -> None:
    assert lexitron_like.words("การ่") == ["การ่"]


def test_counts_agree_with_tokens() -> None:
    text = "กทม.ร่วมฮฮ การ 12"
    tokens = lexitron_like.tokens(text)
    (counts,) = lexitron_like.count_types_of_each([text]).tolist()
    assert counts == [sum(token.type is kind for token in tokens) for kind in TokenType]


def test_an_empty_list_knows_nothing_but_loses_nothing() -> None:
    assert Lexto([]).words("กข ab") == ["กข", " ", "ab"]


def test_the_shipped_list_knows_everyday_words() -> None:
    assert load_segmenter("lexto").words("ภาษาไทยง่ายมาก") == ["ภาษาไทย", "ง่าย", "มาก"]


@given(st.text(alphabet=st.sampled_from("กทมร่วสนับุารทง่อเี่ยว .a1\n\ud800\x00😀‍"), max_size=40))
def test_nothing_is_added_and_nothing_lost(text: str) -> None:
    assert "".join(lexitron_like.words(text)) == text
