"""How large an export would be, before it is made: from what the search index counted, and from a corpus that upkeep
made of a few hundred pages (phasa.service.size_sample)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from phasa.archive.shelf import finished_files, size_of
from phasa.collection import Collection
from phasa.language.profile import profile_for
from phasa.service.search_index import LanguageSize

PER_PAGE = 130
"""Bytes of a page in the list of a WACZ, as a rule."""


class CorpusSample(msgspec.Struct, frozen=True):
    """What a corpus of some pages kept, with repetitions: documents, bytes of what grows with them, and of the rest."""

    pages: int
    kept: int
    bytes: int
    fixed: int


class Sizes(msgspec.Struct, frozen=True):
    """What sizes are estimated from. `packed`: bytes of Parquet for a byte of JSON lines; 0 where it is not known."""

    languages: list[LanguageSize] = []
    packed: float = 0.0
    whole: CorpusSample | None = None
    clean: CorpusSample | None = None


class Estimate(msgspec.Struct, frozen=True):
    """How much an export will hold, about. `language` is '' for all; `clean` and `repeats` are those of a corpus."""

    form: Literal["wacz", "jsonl", "parquet", "corpus"]
    pages: int
    bytes: int
    language: str = ""
    clean: bool = False
    repeats: bool = False


def estimates(collection: Collection, sizes: Sizes) -> list[Estimate]:
    """What each export of the Collection page would hold, as far as it is known."""
    found = [*_archive(collection, sum(one.pages for one in sizes.languages))]
    every = ("", sum(one.pages for one in sizes.languages), sum(one.lines for one in sizes.languages))
    for language, pages, lines in [every, *((one.language, one.pages, one.lines) for one in sizes.languages)]:
        if pages:
            found.append(Estimate("jsonl", _round(pages), _round(lines), language))
            if sizes.packed:
                found.append(Estimate("parquet", _round(pages), _round(lines * sizes.packed), language))
    for one in sizes.languages:
        if profile_for(one.language) is None:
            continue
        for clean, sample in ((False, sizes.whole), (True, sizes.clean)):
            found += [_corpus(one, sample, clean, repeats) for repeats in (False, True)] if sample else []
    return found


def _corpus(one: LanguageSize, sample: CorpusSample, clean: bool, repeats: bool) -> Estimate:
    pages = one.pages if repeats else one.pages - one.repeats
    documents = pages * sample.kept / max(1, sample.pages)
    grown = sample.bytes / max(1, sample.kept) * documents
    return Estimate("corpus", _round(documents), _round(sample.fixed + grown), one.language, clean, repeats)


def _archive(collection: Collection, pages: int) -> Iterator[Estimate]:
    folder = collection.archive_folder
    files = finished_files(folder) if folder.is_dir() else []
    if files:
        index = folder / "index.cdxj"
        listed = pages * PER_PAGE + (index.stat().st_size if index.is_file() else 0)
        yield Estimate("wacz", _round(pages), _round(sum(map(size_of, files)) + listed))


def _round(value: float) -> int:
    """Three figures are enough for what is about right."""
    return int(float(f"{value:.3g}"))
