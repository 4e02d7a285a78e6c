"""The words of the application in each language of its interface: one file each in `words/`, the same keys in all.

`[phrases]` are sentences that the library says in English. The English form is the pattern by which they are
recognised, so that they can be said in the reader's language; what is not recognised is shown as it is.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from markupsafe import Markup, escape

OWN_NAMES = {"en": "English", "th": "ไทย", "fa": "فارسی"}
"""The languages of the interface, each by its own name."""
DEFAULT = "en"
LONGEST_SENTENCE = 600
_PERSIAN = str.maketrans("0123456789,.", "۰۱۲۳۴۵۶۷۸۹٬٫")
_FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?")
_FIELD = re.compile(r"\{(\w+)\}")
_QUALITY = re.compile(r"^\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*$")
_NESTED = 3


@dataclass(frozen=True)
class Words:
    """What the interface says in one language. Calling it gives the text of a key with its fields filled in."""

    code: str
    texts: Mapping[str, str] = field(repr=False)

    @property
    def direction(self) -> str:
        return "rtl" if self.code == "fa" else "ltr"

    def __call__(self, key: str, /, **values: object) -> Markup:
        """The text of a key; what is filled in is escaped unless it is Markup. Raises KeyError for an unknown key."""
        shown = {name: self._figure(value) for name, value in values.items()}
        return Markup(self.texts[key]).format(**shown)

    def count(self, key: str, number: int, /, **values: object) -> Markup:
        """A text with `{n}`: the form for one where the number is one."""
        return self(f"{key}_one" if number == 1 else key, n=number, **values)

    def has(self, key: str) -> bool:
        return key in self.texts

    def language(self, code: str) -> str:
        """The name of a language; its code where no name is known."""
        return self.texts.get(f"languages.{code}") or self.texts.get(f"languages.{code.partition('-')[0]}") or code

    def digits(self, text: str) -> str:
        """A number as this language writes it."""
        return text.translate(_PERSIAN) if self.code == "fa" else text

    def script(self) -> dict[str, str]:
        """What the scripts of the pages say."""
        return {key.partition(".")[2]: text for key, text in self.texts.items() if key.startswith("script.")}

    def said(self, sentence: str, depth: int = 0) -> str:
        """A sentence of the library in this language, or a failure in plain words; as it is where it is not known."""
        sentence = sentence.strip()
        kind = re.match(r"[a-z_]+", sentence)
        if kind and sentence[kind.end() : kind.end() + 1] in ("", ":", " ") and self.has(f"failures.{kind[0]}"):
            rest = sentence[kind.end() :]
            if not rest.startswith(" ") or "_" in kind[0]:
                return self.texts[f"failures.{kind[0]}"]
        if plain := self.texts.get(f"failures.{sentence.replace(' ', '_')}"):
            return plain
        if self.code == DEFAULT or len(sentence) > LONGEST_SENTENCE:
            return sentence
        for pattern, key in _patterns():
            if found := pattern.fullmatch(sentence):
                parts = {name: self._part(value, depth) for name, value in found.groupdict().items()}
                return self.texts[key].format(**parts)
        return sentence

    def _part(self, value: str, depth: int) -> str:
        if _FIGURE.fullmatch(value):
            return self.digits(value)
        return self.said(value, depth + 1) if depth < _NESTED else value

    def _figure(self, value: object) -> object:
        if isinstance(value, int) and not isinstance(value, bool):
            return self.digits(f"{value:,}")
        return escape(value)


@cache
def words(code: str) -> Words:
    """The catalogue of a language. Raises KeyError for a language that the interface does not speak."""
    if code not in OWN_NAMES:
        raise KeyError(code)
    return Words(code, _texts(code))


def chosen(asked: str, kept: str, accepted: str) -> str:
    """The language for a reader: what the address asks for, what a cookie keeps, what the browser prefers."""
    for code in (asked, kept):
        if code in OWN_NAMES:
            return code
    wishes: list[tuple[float, int, str]] = []
    for place, part in enumerate(accepted[:1000].split(",")):
        name, _, quality = part.partition(";")
        found = _QUALITY.match(quality) if quality else None
        weight = float(found[1]) if found else (0.0 if quality else 1.0)
        wishes.append((-weight, place, name.strip().lower().partition("-")[0]))
    return next((code for weight, _, code in sorted(wishes) if weight < 0 and code in OWN_NAMES), DEFAULT)


@cache
def _texts(code: str) -> dict[str, str]:
    content = (files("phasa.service") / "words" / f"{code}.toml").read_text(encoding="utf-8")
    sections = tomllib.loads(content)
    return {f"{section}.{key}": text for section, keys in sections.items() for key, text in keys.items()}


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    """English sentences as patterns, the ones with the most words of their own first."""
    found = [(text, key) for key, text in _texts(DEFAULT).items() if key.startswith("phrases.")]
    found.sort(key=lambda pair: -len(_FIELD.sub("", pair[0])))
    return tuple((re.compile(_pattern(text), re.DOTALL), key) for text, key in found)


def _pattern(text: str) -> str:
    parts = _FIELD.split(text)
    return "".join(f"(?P<{part}>.*?)" if place % 2 else re.escape(part) for place, part in enumerate(parts))
