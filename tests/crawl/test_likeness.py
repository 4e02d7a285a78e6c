"""Γ of short texts: the quick way gives what the dictionary gives."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phasa.crawl.likeness import likeness_of
from phasa.language.detectors.dictionary import dictionary
from phasa.language.profile import load_profile

PIECES = st.sampled_from(["ภาษา", "ไทย", "news", " ", "2026", "خبر", "روزنامه", "کتاب", "ж", "-", "ๆ"])


@pytest.mark.parametrize("code", ["th", "fa"])
def test_the_quick_way_equals_the_dictionary(code: str) -> None:
    profile = load_profile(code)
    quick, slow = likeness_of(profile), dictionary(profile)

    @settings(max_examples=60, deadline=None)
    @given(st.lists(PIECES, max_size=8).map("".join))
    def equal(text: str) -> None:
        assert quick(text) == slow.gamma(text)

    equal()


def test_anchors_of_the_specification() -> None:
    gamma = likeness_of(load_profile("th"))
    assert gamma("ภาษาไทย") == 1.0
    assert gamma("university") == 0.0
    assert gamma("") == 0.0
