"""The default detector: right on plain sentences, sane on anything."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.language.texts import SENTENCES

from phasa.errors import InputError
from phasa.language.detectors import METHODS, detect, detector
from phasa.language.verdict import Document, Verdict


@pytest.mark.parametrize("language", SENTENCES)
def test_a_sentence_is_recognised(language: str) -> None:
    verdict = detect(SENTENCES[language])
    assert verdict.language == language
    assert verdict.score > 0.4


@pytest.mark.parametrize("language", ["fa", "ar", "ur", "th", "ckb", "ug", "sd"])
def test_forty_characters_are_enough(language: str) -> None:
    assert detect(SENTENCES[language][:40]).language == language


def test_persian_with_arabic_letters_and_without_half_spaces() -> None:
    text = SENTENCES["fa"].replace("ی", "ي").replace("ک", "ك").replace("\u200c", "")
    assert detect(text).language == "fa"


def test_foreign_words_do_not_hide_the_language() -> None:
    assert detect("กทม.ร่วมสนับสนุนการท่องเที่ยว Amazing Thailand 2009").language == "th"
    assert detect("iPhone 15 Pro Max " + SENTENCES["fa"] + " Apple Inc.").language == "fa"


def test_a_long_text_is_judged_by_samples_of_all_of_it() -> None:
    assert detect(SENTENCES["en"] * 3 + SENTENCES["fa"] * 5000).language == "fa"


BAD = {
    "empty": "",
    "blank": " \n\t\u00a0",
    "digits": "2009 ๒๕๕๒ ۱۳۸۸ 3.14",
    "punctuation": "?!… — «»",
    "NUL": "\x00" * 1000,
    "NULs in text": "a\x00b\x00c\x00d\x00" * 100,
    "lone surrogates": "\ud800\udc00\udfff" * 50,
    "undecoded bytes": "".join(chr(0xDC80 + value % 128) for value in range(500)),
    "replacement characters": "\ufffd" * 300 + "abc",
    "one letter": "ก",
    "one character repeated": "ก" * 1_000_000,
    "emoji": "😀🎉" * 40,
    "private use": "\ue000\uf8ff" * 20,
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD.keys())
def test_what_is_no_text_is_undetermined(text: str) -> None:
    verdict = detect(text)
    assert (verdict.language, verdict.score) == ("und", 0.0)
    assert verdict.evidence


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("text", BAD.values(), ids=BAD.keys())
def test_no_method_fails_on_what_is_no_text(method: str, text: str) -> None:
    language, score, evidence = detector(method).detect(text)
    assert language
    assert 0 <= score <= 1
    assert evidence


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=25, deadline=None)
@given(text=st.text(max_size=300))
@example("\ud800 abc กขค")
@example("ﷺ" * 20)
def test_every_text_gets_a_verdict(method: str, text: str) -> None:
    verdict = detector(method).detect(text)
    assert isinstance(verdict, Verdict)
    assert 0 <= verdict.score <= 1
    assert (verdict.language == "und") == (verdict.score == 0)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(list(SENTENCES.values())) | st.text(max_size=40), max_size=12))
def test_many_at_once_are_judged_as_one_by_one(texts: list[str]) -> None:
    for together, alone in zip(detector().detect_many(texts), [detect(text) for text in texts], strict=True):
        assert together.language == alone.language
        assert together.evidence == alone.evidence
        assert together.score == pytest.approx(alone.score, abs=2e-4)


@pytest.mark.parametrize("method", METHODS)
def test_time_does_not_grow_faster_than_the_text(method: str) -> None:
    """Fifty million characters cost no more than fifty times one million, with room for noise."""
    chosen = detector(method)
    short, long = "a" * 1_000_000, "a" * 50_000_000
    chosen.detect(short)
    spent = []
    for text in (short, long):
        start = time.process_time()
        chosen.detect(text)
        spent.append(time.process_time() - start)
    assert spent[1] <= 50 * max(spent[0], 0.02)


def test_mixed_encodings_are_not_taken_for_a_language() -> None:
    thai = SENTENCES["th"].encode("tis-620", "ignore")
    mixed = (SENTENCES["th"].encode() + thai * 4).decode("utf-8", "surrogateescape")
    assert detect(mixed).language == "und"


def test_a_page_without_text_is_taken_at_its_word_unless_that_is_english() -> None:
    assert detector().judge(Document("", declared="fa-IR")).language == "fa"
    assert detector().judge(Document("12 — 34", declared="th")).language == "th"
    assert detector().judge(Document("", declared="en")).language == "und"
    assert detector().judge(Document("", declared="no language")).language == "und"
    assert detector().judge(Document(SENTENCES["ar"], declared="fa")).language == "ar"
    assert detector().judge(Document("\x00" * 99, declared="fa")).language == "fa"


def test_an_unknown_method_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"method 'guess'.*auto, model"):
        detector("guess")


def test_scores_are_plain_numbers() -> None:
    assert not isinstance(detect(SENTENCES["fa"]).score, np.floating)
