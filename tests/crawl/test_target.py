"""Γ of short texts: the quick way gives what the dictionary gives."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phasa.crawl.target import LanguageSimilarity
from phasa.language.detectors.dictionary import dictionary
from phasa.language.profile import load_profile

PIECES = st.sampled_from(
    [
        "ภาษา",
        "ไทย",
        "news",
        " ",
        "2026",
        "خبر",
        "روزنامه",
        "کتاب",
        "ж",
        "-",
        "ๆ",
        "\u0e48",
        "\u0e33",
        "เ",
        "\n",
        "\r",
        "ﷲ",
    ]
)
TEXTS = st.lists(PIECES, max_size=8).map("".join)


@pytest.mark.parametrize("code", ["th", "fa"])
def test_the_quick_way_equals_the_dictionary(code: str) -> None:
    profile = load_profile(code)
    quick, slow = LanguageSimilarity(profile), dictionary(profile)

    @settings(max_examples=60, deadline=None)
    @given(TEXTS)
    def equal(text: str) -> None:
        assert quick(text) == slow.gamma(text)

    equal()


@pytest.mark.parametrize("code", ["th", "fa"])
def test_many_texts_together_have_the_similarity_of_each(code: str) -> None:
    profile = load_profile(code)
    slow = dictionary(profile)

    @settings(max_examples=80, deadline=None)
    @given(st.lists(TEXTS, max_size=8))
    def equal(texts: list[str]) -> None:
        assert slow.gammas(texts) == [slow.gamma(text) for text in texts]
        assert LanguageSimilarity(profile).of_each(texts) == [slow.gamma(text) for text in texts]

    equal()


def test_what_is_forgotten_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LanguageSimilarity, "REMEMBERED", 3)
    gamma = LanguageSimilarity(load_profile("th"))
    for _ in range(3):
        for text, expected in (("ภาษา", 1.0), ("ไทย", 1.0), ("news", 0.0), ("ข่าว", 1.0), ("today", 0.0)):
            assert gamma(text) == expected


def test_anchors_of_the_specification() -> None:
    gamma = LanguageSimilarity(load_profile("th"))
    assert gamma("ภาษาไทย") == 1.0
    assert gamma("university") == 0.0
    assert gamma("") == 0.0
