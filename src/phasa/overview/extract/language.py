"""The language of extracted text: what the page declares or its commonest words say, otherwise what the detector says.

The detector is right more often than a page, but it costs more than the extraction; so a declaration that the script of
the text bears out is taken, except where it is known to be a template's default, and a text full of the little words of
one large language needs no detector.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final


def _listed(words: str, by: str | None = None) -> list[str]:
    return words.split(by)


UNKNOWN: Final = "und"
_SAMPLE: Final = 1000  # characters
_OPENING: Final = 300  # of them, whose script is looked at
_LATIN: Final = "a-z"
# Declarations we check by script alone. English is the default of templates, so it must show English words.
_SCRIPTS: Final[dict[str, str]] = {
    **dict.fromkeys(
        _listed("en de fr es it pt nl pl cs sk sv da no nb nn fi is et lv lt hu ro hr sl tr id ms vi sw"),
        _LATIN,
    ),
    **dict.fromkeys(["ru", "uk", "bg", "sr", "mk", "be", "kk"], "\u0400-\u04ff"),
    "th": "\u0e00-\u0e7f",
    "lo": "\u0e80-\u0eff",
    "my": "\u1000-\u109f",
    "km": "\u1780-\u17ff",
    "ja": "\u3040-\u30ff",
    "ko": "\uac00-\ud7af",
    "zh": "\u4e00-\u9fff",
    "he": "\u0590-\u05ff",
    "el": "\u0370-\u03ff",
    "hi": "\u0900-\u097f",
}
# Little words that near relatives of the language do not share, and how many a sample of text must have.
_LITTLE_WORDS: Final[dict[str, frozenset[str]]] = {
    "en": frozenset(_listed("the and that with was this from have which they are been were their would of to for")),
    "de": frozenset(
        _listed("und nicht ist auch eine einen für sich werden wird oder über wurde durch nach der das zum zur bei")
    ),
    "fr": frozenset(_listed("dans est une pour qui avec sur aux cette sont pas été mais leur cela")),
    "pt": frozenset(_listed("não uma são também pelo pela dos das com mais seus foi muito você")),
    "nl": frozenset(_listed("een niet zijn wordt naar bij aan uit werd deze worden heeft")),
}
_ENOUGH: Final = 6
_SHARE: Final = 0.07
_LEAST_SHARE: Final = 0.03  # of the words, when there is none of another language
_SURELY_ENGLISH: Final = frozenset(_listed("the and with from this that"))
_HAN = re.compile(r"[\u4e00-\u9fff]")
_KANA = re.compile(r"[\u3040-\u30ff\uac00-\ud7af]")
_ENGLISH = re.compile(r"\b(?:the|and|of|to|that|is)\b")


def language_of(text: str, declared: str) -> str:
    """The BCP 47 code of the language of `text`, `und` when it is empty or cannot be told."""
    sample = text[:_SAMPLE].lower()
    code = declared.replace("_", "-").split("-")[0]
    if code in _SCRIPTS and _bears_out(sample, code):
        return code
    if not sample.strip():
        return UNKNOWN
    if sure := _by_little_words(sample):
        return sure
    if code in ("", "zh") and 2 * len(_HAN.findall(sample)) > len(sample) and not _KANA.search(sample):
        return "zh"
    from phasa.language.detectors import detect  # loads the model, which most pages do without

    return detect(text[:_SAMPLE]).language


@cache
def _letters_of(code: str) -> re.Pattern[str]:
    return re.compile(f"[{_SCRIPTS[code]}]")


def _bears_out(sample: str, code: str) -> bool:
    opening = sample[:_OPENING]
    fitting, letters = len(_letters_of(code).findall(opening)), sum(map(str.isalpha, opening))
    if fitting < 20 or fitting < 0.5 * letters:
        return False
    return code != "en" or len(_ENGLISH.findall(sample)) > len(sample) / 200 or _only_english(sample)


def _only_english(sample: str) -> bool:
    """Whether a text with few little words, such as a table of results, has some of English and none of another."""
    words = sample.split()
    return any(word in _SURELY_ENGLISH for word in words) and not any(
        word in little for code, little in _LITTLE_WORDS.items() if code != "en" for word in words
    )


def _by_little_words(sample: str) -> str:
    """The language whose little words a text is full of, while it has hardly any of another's; '' when unsure."""
    words = sample.split()
    counts = sorted((sum(map(little.__contains__, words)), code) for code, little in _LITTLE_WORDS.items())
    most, code = counts[-1]
    share = _SHARE if counts[-2][0] else _LEAST_SHARE
    return code if most >= _ENOUGH and most > share * len(words) and counts[-2][0] * 5 <= most else ""
