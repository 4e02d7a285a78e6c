"""The same text as the web writes it: cut short, with Arabic letters for Persian ones, without half-spaces."""

from __future__ import annotations

import random
import re

_PERSIAN_LETTERS = str.maketrans({"ی": "ي", "ک": "ك"})
_BARE = str.maketrans({"أ": "ا", "إ": "ا", "آ": "ا", "ؤ": "و", "ئ": "ی", "ۀ": "ه", "ة": "ه"})
_FILLERS = ("2024", "123", "۱۴۰۲", "(", ")", "PDF", "iPhone", "Windows", "www", "COVID-19", "Google", "km", "٪", "…")
_LATIN_MARKS = re.compile("[\u0300-\u036f]")


def cut(text: str, length: int, chance: random.Random) -> str:
    """`length` characters of a text: from its start half of the time, else from the start of some word."""
    if len(text) <= length:
        return text
    if chance.random() < 0.5:
        return text[:length]
    start = chance.randrange(len(text) - length + 1)
    blank = text.find(" ", start, start + length)
    if blank >= 0 and blank + 1 + length // 2 <= len(text):
        start = blank + 1
    return text[start : start + length]


def vary(text: str, label: str, chance: random.Random) -> str:
    """A text in another spelling of the same language, or as it is."""
    if chance.random() < 0.12:
        words = text.split(" ")
        for _ in range(1 + len(words) // 12):
            words.insert(chance.randrange(len(words) + 1), chance.choice(_FILLERS))
        text = " ".join(words)
    if label in ("fa", "ur", "ckb", "azb", "glk", "mzn", "ug", "kmr-Arab", "hac"):
        if label in ("fa", "azb", "glk", "mzn") and chance.random() < 0.15:
            text = text.translate(_PERSIAN_LETTERS)
        if "\u200c" in text and chance.random() < 0.25:
            text = text.replace("\u200c", chance.choice(("", " ")))
    if label in ("ar", "fa") and chance.random() < 0.1:
        text = text.translate(_BARE)
    if chance.random() < 0.03:
        text = text.upper()
    return text
