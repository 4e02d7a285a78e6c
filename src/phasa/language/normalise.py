"""One spelling for what is written in several: the steps that a profile names, each a pure function."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

from phasa.errors import SettingsError
from phasa.language.profile import Profile, profile_for

_DIGITS = str.maketrans(
    {
        chr(zero + value): str(value)
        for zero in (0x0660, 0x06F0, 0x0E50, 0x0ED0, 0x17E0, 0x1040, 0x1090, 0x0966, 0x09E6)
        for value in range(10)
    }
)
_PERSIAN = str.maketrans({"ي": "ی", "ى": "ی", "ې": "ی", "ك": "ک", "ڪ": "ک", "ۀ": "ه", "ة": "ه", "ە": "ه"})
_ARABIC_YEH_KAF = str.maketrans({"ي": "ی", "ى": "ی", "ك": "ک"})
_ARABIC_MARKS = re.compile("[\u064b-\u0652\u0670\u0640\u0610-\u061a]")
_INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_PRESENTATION = re.compile("[\ufb50-\ufdff\ufe70-\ufefc]")
_HALF_SPACES = re.compile("[\u200c\u200d]+")
_STRAY_HALF_SPACE = re.compile("(?:(?<=\\s)|^)\u200c+|\u200c+(?=\\s|$)")
_NIKHAHIT_AA = re.compile("([\u0e48-\u0e4b]?)\u0e4d([\u0e48-\u0e4b]?)\u0e32")
_TONE_BEFORE_VOWEL = re.compile("([\u0e48-\u0e4c])([\u0e31\u0e34-\u0e3a\u0e47\u0e4d])")
_REPEATED_MARK = re.compile("([\u0e31\u0e34-\u0e3a\u0e47-\u0e4e])\\1+")


def half_spaces(text: str) -> str:
    """One U+200C where several joiners stand, none beside a blank or at an end: there it joins nothing."""
    return _STRAY_HALF_SPACE.sub("", _HALF_SPACES.sub("\u200c", text))


def thai_marks(text: str) -> str:
    """Thai marks in the order of the standard: SARA AM whole, vowel before tone, no mark twice, no doubled SARA E."""
    text = text.replace("\u0e40\u0e40", "\u0e41")
    text = _NIKHAHIT_AA.sub("\\1\\2\u0e33", text)
    while True:
        ordered = _REPEATED_MARK.sub("\\1", _TONE_BEFORE_VOWEL.sub("\\2\\1", text))
        if ordered == text:
            return text
        text = ordered


STEPS: dict[str, Callable[[str], str]] = {
    "nfc": lambda text: unicodedata.normalize("NFC", text),
    "presentation": lambda text: unicodedata.normalize("NFKC", text) if _PRESENTATION.search(text) else text,
    "invisible": lambda text: _INVISIBLE.sub("", text),
    "digits": lambda text: text.translate(_DIGITS),
    "persian-letters": lambda text: text.translate(_PERSIAN),
    "arabic-yeh-kaf": lambda text: text.translate(_ARABIC_YEH_KAF),
    "arabic-marks": lambda text: _ARABIC_MARKS.sub("", text),
    "half-spaces": half_spaces,
    "thai-marks": thai_marks,
    "lower": str.lower,
}


def normalise(text: str, language: str, *, keep_case: bool = False) -> str:
    """The text in its language's one spelling. A language without a profile gets NFC only. Idempotent."""
    profile = profile_for(language)
    return normalise_as(text, profile, keep_case=keep_case) if profile else STEPS["nfc"](text)


def normalise_as(text: str, profile: Profile, *, keep_case: bool = False) -> str:
    """The text after the steps its profile names; `keep_case` leaves capitals, for text that is shown. Raises
    SettingsError for a step there is not."""
    for step in profile.normalise:
        if step not in STEPS:
            raise SettingsError(
                f"profile {profile.code!r}: unknown step {step!r} in 'normalise'; known: {', '.join(STEPS)}"
            )
    # A later step can make an earlier one apply again (a mark dropped lets two others meet): go on until it rests.
    steps = [STEPS[step] for step in profile.normalise if not (keep_case and step == "lower")]
    while True:
        before = text
        for change in steps:
            text = change(text)
        if text == before:
            return text


def normalise_all(texts: Sequence[str], profile: Profile) -> list[str]:
    """`normalise_as` of each text, all of them in one go: no step looks past a line end."""
    joined = "\n".join(texts)
    # Presentation forms change the whole text that they stand in, so each text is taken by itself then.
    if joined.count("\n") != len(texts) - 1 or _PRESENTATION.search(joined):
        return [normalise_as(text, profile) for text in texts]
    return normalise_as(joined, profile).split("\n")
