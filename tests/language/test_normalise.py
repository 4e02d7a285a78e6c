"""One spelling for what is written in several."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasa.errors import SettingsError
from phasa.language.normalise import STEPS, half_spaces, normalise, normalise_all, normalise_as, thai_marks
from phasa.language.profile import known_languages, load_profile

_LETTERS = st.text(alphabet="กขเแาํ้่ิ๊ี็ำ์ัยيىكکیه\u200c\u200d ًّـ٠۱a\u00ad\ufeffﻻﷲأ", max_size=30)


@pytest.mark.parametrize(
    ("language", "text", "same"),
    [
        ("fa", "كتاب\u064eي", "کتابی"),
        ("fa", "می\u200c\u200cشود \u200cکه", "می\u200cشود که"),
        ("fa", "ﻓﺎرﺳﻲ", "فارسی"),
        ("th", "เเมว", "แมว"),
        ("th", "นํ้า", "น้ำ"),
        ("th", "น้ํา", "น้ำ"),
        ("th", "ที่่", "ที่"),
        ("en", "The END", "the end"),
        ("de", "u\u0308ber", "über"),
    ],
)
def test_spellings_are_brought_together(language: str, text: str, same: str) -> None:
    assert normalise(text, language) == same


def test_digits_of_all_scripts() -> None:
    assert STEPS["digits"]("๒๕๕๒ ۱۳۸۸ ٢٠٠٩ ៤") == "2552 1388 2009 4"


def test_half_space_stays_inside_words_only() -> None:
    assert half_spaces("\u200cمی\u200cرود\u200c ") == "می\u200cرود "


@pytest.mark.parametrize("language", known_languages())
@given(text=_LETTERS | st.text(max_size=20))
def test_twice_is_once(language: str, text: str) -> None:
    once = normalise(text, language)
    assert normalise(once, language) == once


@given(_LETTERS)
def test_thai_marks_only_touch_marks(text: str) -> None:
    def consonants(value: str) -> str:
        return "".join(character for character in value if character in "กขย")

    assert consonants(thai_marks(text)) == consonants(text)


def test_an_unknown_step_is_named() -> None:
    import msgspec

    profile = msgspec.structs.replace(load_profile("th"), normalise=("shout",))
    with pytest.raises(SettingsError, match="unknown step 'shout'"):
        normalise_as("x", profile)


@pytest.mark.parametrize("language", known_languages())
@given(texts=st.lists(st.text(alphabet="กเแาํ้่ิ๊ำيىكک\u200c\u200d ًّـaΣ\u00ad\ufeffﻻﷲ\u0301\n\r", max_size=9), max_size=6))
def test_many_texts_together_are_normalised_as_each_by_itself(language: str, texts: list[str]) -> None:
    profile = load_profile(language)
    assert normalise_all(texts, profile) == [normalise_as(text, profile) for text in texts]
