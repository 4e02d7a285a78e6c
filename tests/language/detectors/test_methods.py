"""The detectors of the literature, each on what makes it what it is."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.language.texts import SENTENCES

from phasa.errors import SettingsError
from phasa.language.detectors import METHODS, detector
from phasa.language.detectors.charset import CharsetOnly, charset_only
from phasa.language.detectors.dictionary import Dictionary, dictionary
from phasa.language.detectors.kernel import StringKernel, kernel_value, spectrum
from phasa.language.detectors.ngram import NgramRanks, ngrams, out_of_place, ranked_ngrams
from phasa.language.profile import load_profile
from phasa.language.verdict import Document


@pytest.mark.parametrize("language", ["th", "lo", "km", "my", "en", "fa", "ar", "ur", "ckb", "ug"])
@pytest.mark.parametrize("method", ["ngram", "kernel"])
def test_whole_sentences_are_recognised_by_the_older_methods(method: str, language: str) -> None:
    assert detector(method).detect(SENTENCES[language]).language == language


@pytest.mark.parametrize("language", ["th", "fa", "en", "ar", "ur"])
def test_gamma_is_high_in_the_language_and_low_elsewhere(language: str) -> None:
    gamma = dictionary(load_profile(language)).gamma
    assert gamma(SENTENCES[language]) >= 0.5
    assert gamma(SENTENCES["ru"]) == 0


def test_gamma_of_nothing_is_zero() -> None:
    assert dictionary(None).gamma(" … ") == 0.0


def test_a_language_without_a_dictionary_is_refused() -> None:
    with pytest.raises(SettingsError, match="names no dictionary"):
        dictionary(load_profile("hi"))


@given(st.lists(st.sampled_from(["zorbi", "quux", "plimf"]), max_size=6), st.lists(st.sampled_from(["a", "b9"])))
def test_gamma_is_the_share_of_known_words(known: list[str], others: list[str]) -> None:
    import msgspec

    profile = msgspec.structs.replace(load_profile("en"), code="qtz")
    gamma = Dictionary(profile, ["zorbi", "quux", "plimf"]).gamma(" ".join(known + others))
    assert gamma == (len(known) / len(known + others) if known or others else 0)


def test_script_ratio_counts_letters_only() -> None:
    thai = detector("script", "th")
    assert thai.detect("ก1234567890!a").score == 0.5
    assert thai.detect("x" * 99 + "ก" * 11).language == "th"
    assert thai.detect("x" * 99 + "ก" * 10).language == "und"


def test_a_shared_charset_decides_only_when_one_language_is_asked_for() -> None:
    page = Document("", charset="CP1256")
    assert charset_only(None).judge(page).language == "und"
    assert CharsetOnly([load_profile("fa")]).judge(page).language == "fa"


def test_charset_only_needs_a_declaration() -> None:
    assert charset_only(None).detect(SENTENCES["th"]).language == "und"


def test_ranks_put_the_most_frequent_first() -> None:
    assert ranked_ngrams("aab ab", kept=3, longest=1) == ["a", "_", "b"]


def test_out_of_place_is_zero_for_a_text_against_itself() -> None:
    grams = ranked_ngrams(SENTENCES["de"])
    assert out_of_place(grams, {gram: rank for rank, gram in enumerate(grams)}) == 0
    assert NgramRanks({"de": grams}).detect(SENTENCES["de"]).score == 1


@given(st.text(alphabet="abc", min_size=1, max_size=9), st.integers(1, 5))
def test_n_grams_cover_the_word(word: str, n: int) -> None:
    grams = ngrams(word, n)
    assert all(len(gram) == n for gram in grams)
    assert "".join(gram[0] for gram in grams).startswith(word)


def _plain_kernel(x: bytes, y: bytes, longest: int) -> float:
    def counts(body: bytes) -> Counter[bytes]:
        return Counter(body[i : i + n] for n in range(1, longest + 1) for i in range(len(body) - n + 1))

    def product(a: Counter[bytes], b: Counter[bytes]) -> int:
        return sum(times * b[string] for string, times in a.items())

    a, b = counts(x), counts(y)
    norm = (product(a, a) * product(b, b)) ** 0.5
    return product(a, b) / norm if norm else 0.0


@settings(max_examples=60)
@given(st.binary(max_size=40), st.binary(max_size=40), st.integers(1, 6))
def test_the_kernel_equals_its_definition(x: bytes, y: bytes, longest: int) -> None:
    fast = kernel_value(spectrum(x, longest), spectrum(y, longest))
    assert fast == pytest.approx(_plain_kernel(x, y, longest))


def test_the_nearest_sample_wins() -> None:
    chosen = StringKernel([("one", b"aaaa bbbb"), ("two", b"cccc dddd")])
    assert chosen.detect_bytes(b"ccdd").language == "two"
    assert chosen.detect_bytes(b"\xff\xfe").language == "und"


def test_every_method_says_what_it_does() -> None:
    for method, (_, _, line) in METHODS.items():
        assert line
        assert detector(method) is detector(method)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("text", ["\0", "\0" * 9000, "\ufffd", "\ufffd\ufffd 12", "\x1b\x7f", "12 345", "\ufeff\u200b"])
def test_no_method_knows_the_language_of_what_has_no_letters(method: str, text: str) -> None:
    assert detector(method).judge(Document(text)).language == "und"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("charset", ["", "idna", "hex", "no\0name", "x" * 100_000, "utf-16", "undefined"])
def test_no_method_fails_on_a_charset_that_is_none(method: str, charset: str) -> None:
    detector(method).judge(Document("สวัสดี \0 hello", charset=charset))
