"""The lists the thesis segments with: Reference Corpus and CName (overview spec. §4.7.3), and their file.

A lexicon file is UTF-8 text in zstandard: a header line, then one entry a line, `list <tab> count <tab> word`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import zstandard

from phasa.errors import InputError
from phasa.files import unpacked
from phasa.language.lexicon.corpus import Line

HEADER = "phasa lexicon 1"
_ENGLISH = re.compile(r"[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Two word lists in the order of the thesis: longest first, code-point order within a length."""

    cname: tuple[str, ...]
    reference: tuple[str, ...]
    counts: dict[str, int]  # how often each word of either list stands in the corpus; 0 for words from outside it

    def save(self, path: Path) -> None:
        """Write the lexicon as one compact file."""
        rows = [HEADER]
        rows += [f"C\t{self.counts.get(word, 0)}\t{word}" for word in self.cname]
        rows += [f"R\t{self.counts.get(word, 0)}\t{word}" for word in self.reference]
        path.write_bytes(zstandard.ZstdCompressor(level=19).compress("\n".join(rows).encode()))


def build_lexicon(lines: Iterable[Line], names: Iterable[str] = ()) -> Lexicon:
    """The lists of a corpus; `names` are further entries for CName (lists of names, titles, abbreviations).

    Reference Corpus: untagged words, without those of one character and those with Latin letters. CName: tagged spans.
    """
    plain: Counter[str] = Counter()
    tagged: Counter[str] = Counter()
    for line in lines:
        for word in line:
            if word.tag:
                tagged[word.text] += 1
            elif not word.text.isspace():
                plain[word.text] += 1
    reference = {word for word in plain if len(word) > 1 and not _ENGLISH.search(word)}
    cname = tagged.keys() | {name for name in names if name.strip()}
    counts = {word: plain[word] + tagged[word] for word in reference | cname}
    return Lexicon(longest_first(cname), longest_first(reference), counts)


def plain_names(lexicon: Lexicon) -> Lexicon:
    """The lexicon without names that begin or end with a blank or have fewer than three characters (§4.7.4): such
    entries (`ๆ `, `ฯ `) come before every word and break many."""
    kept = tuple(name for name in lexicon.cname if len(name) > 2 and name == name.strip())
    return Lexicon(kept, lexicon.reference, lexicon.counts)


def longest_first(words: Iterable[str]) -> tuple[str, ...]:
    """The words by length, longest first; code-point order within a length, so that the result is always the same."""
    return tuple(sorted(words, key=lambda word: (-len(word), word)))


def load_lexicon(path: Path | str) -> Lexicon:
    """Read a lexicon file, or a plain text file with one word a line as a Reference Corpus. Raises InputError."""
    packed = Path(path).read_bytes()
    try:
        rows = (unpacked(packed) if packed[:4] == b"\x28\xb5\x2f\xfd" else packed).decode().split("\n")
    except ValueError:
        raise InputError(
            f"{path}: not a lexicon; `phasa lexicon build` makes one, a plain word list is UTF-8"
        ) from None
    if rows[0] != HEADER:
        words = {row.strip() for row in rows} - {""}
        return Lexicon((), longest_first(words), {})
    cname: list[str] = []
    reference: list[str] = []
    counts: dict[str, int] = {}
    for number, row in enumerate(rows[1:], 2):
        kind, _, rest = row.partition("\t")
        count, _, word = rest.partition("\t")
        if kind not in ("C", "R") or not (count.isdecimal() and len(count) < 19) or not word:
            raise InputError(
                f"{path}, entry {number}: expected list, count and word between tabs; build the file again"
            )
        (cname if kind == "C" else reference).append(word)
        counts[word] = int(count)
    return Lexicon(tuple(cname), tuple(reference), counts)
