"""The related-word dictionary of a country: its terms, and the Soundexed twin (segment-focused-crawling §4.4.1).

On disk it is text, one term a line, `#` for comments (where the terms are from), plain or `.zst`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cached_property
from importlib.resources import files
from pathlib import Path

import zstandard

from phasa.crawl.segments.soundex import soundex
from phasa.errors import InputError
from phasa.files import replace_file, unpacked

_TOKEN = re.compile(r"[^\W_]+")
# Of ASCII bytes: lower case, and a blank for all that parts words
_PARTED = bytes(ord(chr(byte).lower()) if byte < 128 and chr(byte).isalnum() else ord(" ") for byte in range(256))
_PLAIN = re.compile(r"(?=[0-9 ]*[a-z])[a-z0-9]+(?: [a-z0-9]+)*")
_FLAT = str.maketrans({"æ": "ae", "ø": "o", "ß": "ss", "ł": "l", "đ": "d", "ı": "i", "œ": "oe", "þ": "th"})
SHIPPED = "thailand"


def tokens_of(text: str) -> list[str]:
    """The words of a text, lower-case: runs of letters and digits, everything else parts them (A38, A39)."""
    if text.isascii():  # the usual case, without looking at every character by its own
        return text.encode().translate(_PARTED).decode().split()
    return _TOKEN.findall(text.lower())


def plain_term(raw: str) -> str:
    """A term as it is kept: lower-case words of ASCII letters and digits, one blank between them, without accents.

    Raises InputError when nothing is left, or when a letter of another script is in it.
    """
    if _PLAIN.fullmatch(raw):
        return raw
    text = unicodedata.normalize("NFKD", raw.lower().translate(_FLAT))
    text = "".join(letter for letter in text if not unicodedata.combining(letter))
    term = " ".join(tokens_of(text))
    if not any("a" <= letter <= "z" for letter in term):
        raise InputError(f"dictionary: the term {raw!r} has no Latin letter; leave it out or give its romanised form")
    if not term.isascii():
        raise InputError(f"dictionary: the term {raw!r} has letters outside A–Z; give its romanised form")
    return term


class Dictionary:
    """Terms as `plain_term` writes them, and the codes of their sounds. Frozen."""

    def __init__(self, terms: Iterable[str], sources: Iterable[str] = ()) -> None:
        """Raises InputError for a term that is empty or not in Latin letters, and when there is no term at all."""
        self.terms = frozenset(plain_term(term) for term in terms)
        if not self.terms:
            raise InputError("dictionary: no terms in it")
        self.sources = tuple(sources)

    def __len__(self) -> int:
        return len(self.terms)

    def __contains__(self, term: object) -> bool:
        return term in self.terms

    @cached_property
    def longest(self) -> int:
        """Words of the longest term."""
        return max(term.count(" ") + 1 for term in self.terms)

    @cached_property
    def sounds(self) -> frozenset[str]:
        """The Soundexed dictionary: the code of every term."""
        return frozenset(soundex(term) for term in self.terms)

    @cached_property
    def lengths(self) -> dict[str, tuple[int, ...]]:
        """Code → how many words the terms of that code have, longest first."""
        found: dict[str, set[int]] = {}
        for term in self.terms:
            found.setdefault(soundex(term), set()).add(term.count(" ") + 1)
        return {code: tuple(sorted(numbers, reverse=True)) for code, numbers in found.items()}

    @cached_property
    def beginnings(self) -> dict[str, tuple[int, ...]]:
        """First word → how many words the terms that begin with it have, longest first."""
        found: dict[str, set[int]] = {}
        for term in self.terms:
            found.setdefault(term.partition(" ")[0], set()).add(term.count(" ") + 1)
        return {first: tuple(sorted(sizes, reverse=True)) for first, sizes in found.items()}

    def save(self, path: Path) -> None:
        """Write the dictionary; compressed when the name ends in .zst."""
        lines = [*(f"# {source}" for source in self.sources), *sorted(self.terms)]
        body = ("\n".join(lines) + "\n").encode()
        replace_file(path, zstandard.compress(body, 19) if path.suffix == ".zst" else body)


def load_dictionary(name: str | Path = SHIPPED) -> Dictionary:
    """The shipped dictionary of that name ('thailand'), or the one in a file.

    Raises InputError that names the file and the line of a term that cannot be used.
    """
    shipped = files("phasa.crawl.segments") / "data" / f"{name}.txt.zst"
    path = Path(name)
    if not path.suffix and shipped.is_file():
        body, packed = shipped.read_bytes(), True
    else:
        if not path.is_file():
            raise InputError(f"{name}: no such dictionary; shipped: {SHIPPED}; make one with: phasa learn dictionary")
        body, packed = path.read_bytes(), path.suffix == ".zst"
    try:
        lines = (unpacked(body) if packed else body).decode("utf-8").splitlines()
    except ValueError as problem:
        raise InputError(f"{name}: not a dictionary (UTF-8 text, one term a line): {problem}") from None
    terms, sources = [], []
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            sources.append(line[1:].strip())
        elif line.strip():
            try:
                terms.append(plain_term(line))
            except InputError as problem:
                raise InputError(f"{name}, line {number}: {problem}") from None
    if not terms:
        raise InputError(f"{name}: no terms in it")
    return Dictionary(terms, sources)
