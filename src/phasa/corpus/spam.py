"""Pages made to lead to gambling and adult sites: known by how many different words of that trade they have.

One such word stands in news too. A page is spam when several different ones stand close together.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from daachorse import MATCH_KIND_LEFTMOST_LONGEST, CharwiseDoubleArrayAhoCorasick
from msgspec.structs import replace

from phasa.corpus.document import Document, dropped
from phasa.language.profile import Profile

DIFFERENT = 4
"""Different terms of one kind that a page of spam has at least,"""
PER_THOUSAND = 12.0
"""and occurrences among a thousand words."""
_LISTS = ("th", "fa", "en")


class Spam:
    """The step; the terms of English stand in pages of every language, so they are always asked for."""

    name = "spam"

    def __init__(self, profile: Profile, *, only: bool = True) -> None:
        """`only` False: it is told and nothing is left out."""
        self._only = only
        code = profile.code.partition("-")[0]
        self._terms = terms_of(tuple(dict.fromkeys(name for name in (code, "en") if name in _LISTS)))
        self._find = CharwiseDoubleArrayAhoCorasick(
            [term for term, _ in self._terms], match_kind=MATCH_KIND_LEFTMOST_LONGEST
        )

    def __call__(self, documents: Sequence[Document]) -> list[Document]:
        return [self._judged(one) for one in documents]

    def _judged(self, document: Document) -> Document:
        text = f"{document.title}\n{document.text}".lower()
        hits: dict[str, list[str]] = {}
        for start, end, number in self._find.find(text):
            term, kind = self._terms[number]
            if _is_whole(text, start, end):
                hits.setdefault(kind, []).append(term)
        words = max(len(document.words), 1)
        rates = {kind: round(1000 * len(found) / words, 2) for kind, found in hits.items()}
        document = replace(document, signals=document.signals | {kind: rates.get(kind, 0.0) for kind in KINDS})
        if not self._only:
            return document
        for kind in KINDS:
            found = hits.get(kind, [])
            different = len(set(found))
            if different >= DIFFERENT and rates[kind] >= PER_THOUSAND:
                numbers = {"different": float(different), "per_thousand": rates[kind]}
                return dropped(document, self.name, kind, numbers, ", ".join(sorted(set(found))[:8]))
        return document


KINDS = ("gambling", "adult")


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether a match is whole words where the script parts them: not `bet` in `better`. Thai has no such parts."""
    if "\u0e00" <= text[start] <= "\u0e7f":
        return True
    before, after = text[start - 1 : start], text[end : end + 1]
    return not (before.isalnum() or after.isalnum() or after == "\u200c")


@cache
def terms_of(languages: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """(term, kind) of the lists of some languages, each term once."""
    found: dict[str, str] = {}
    for language in languages:
        source = files("phasa.corpus") / "data" / f"spam-{language}.txt"
        kind = ""
        for line in source.read_text(encoding="utf-8").splitlines():
            if line.startswith("["):
                kind = line.strip("[] ")
            elif line.strip() and not line.startswith("#"):
                found.setdefault(line.strip().lower(), kind)
    return tuple(found.items())
