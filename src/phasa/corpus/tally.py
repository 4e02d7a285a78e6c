"""What is counted of a corpus: records by step and reason, hosts, months, words, licences, and samples to show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from heapq import nsmallest

import msgspec

from phasa.corpus.document import Document, Drop
from phasa.corpus.hashing import number_of
from phasa.corpus.row import Row

SAMPLES = 12
"""Documents shown as they were and as they are,"""
PER_REASON = 3
"""and documents shown of each reason for leaving out."""
_SHOWN = 400


class Shown(msgspec.Struct, frozen=True):
    """A document to show: the beginning of the page as it was, and of what was kept or would have been."""

    url: str
    before: str
    after: str
    detail: str = ""

    @property
    def order(self) -> tuple[int, str]:
        return number_of(self.url), self.url


class Tally(msgspec.Struct):
    """Counts of one shard, or of all. `reasons` are "step/reason"; lengths are powers of two of words."""

    records: int = 0
    kept: int = 0
    words: int = 0
    characters: int = 0
    paragraphs: int = 0
    wrong_paragraphs: int = 0
    boilerplate_paragraphs: int = 0
    reasons: dict[str, int] = {}
    hosts: dict[str, int] = {}
    months: dict[str, int] = {}
    licences: dict[str, int] = {}
    languages: dict[str, int] = {}
    pages: dict[str, int] = {}
    lengths: dict[str, int] = {}
    clusters: dict[str, int] = {}
    masked: dict[str, int] = {}
    samples: list[Shown] = []
    dropped: dict[str, list[Shown]] = {}

    def keep(self, row: Row, before: str) -> None:
        """Count a document that stays."""
        self.records += 1
        self.kept += 1
        words = int(row.signals["words"])
        self.words += words
        self.characters += int(row.signals["characters"])
        self.paragraphs += len(row.paragraphs)
        self.wrong_paragraphs += int(row.signals["other_paragraphs"])
        self.boilerplate_paragraphs += int(row.signals["boilerplate"])
        _add(self.hosts, row.host)
        _add(self.months, row.date[:7])
        _add(self.licences, row.licence or "none stated")
        _add(self.languages, row.language)
        _add(self.pages, row.page)
        _add(self.lengths, str(words.bit_length()))
        _add(self.clusters, str(row.cluster_size.bit_length()))
        for kind, count in row.masked.items():
            _add(self.masked, kind, count)
        if before:
            self.samples.append(Shown(row.url, before[:_SHOWN], row.text[:_SHOWN]))

    def leave_out(self, document: Document, drop: Drop) -> None:
        """Count a record that does not."""
        self.records += 1
        reason = f"{drop.step}/{drop.reason}"
        _add(self.reasons, reason)
        if drop.step == "language":
            _add(self.languages, document.language)
        numbers = ", ".join(f"{name} {value:g}" for name, value in drop.numbers.items())
        shown = self.dropped.setdefault(reason, [])
        detail = "; ".join(part for part in (drop.detail, numbers) if part)
        shown.append(Shown(document.url, document.before[:_SHOWN], document.text[:_SHOWN], detail))
        if len(shown) > 50 * PER_REASON:
            shown[:] = _fewest(shown, PER_REASON)

    def settle(self) -> Tally:
        """The same with no more samples than are shown, and everything in an order of its own."""
        self.samples = _fewest(self.samples, SAMPLES)
        self.dropped = {name: _fewest(shown, PER_REASON) for name, shown in sorted(self.dropped.items())}
        for name in ("reasons", "hosts", "months", "licences", "languages", "pages", "lengths", "clusters", "masked"):
            counts: dict[str, int] = getattr(self, name)
            setattr(self, name, dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))))
        return self


def add_up(tallies: Iterable[Tally]) -> Tally:
    """The counts of several shards together."""
    total = Tally()
    for tally in tallies:
        for field in msgspec.structs.fields(Tally):
            value = getattr(tally, field.name)
            if isinstance(value, int):
                setattr(total, field.name, getattr(total, field.name) + value)
            elif field.name == "samples":
                total.samples = _fewest([*total.samples, *value], SAMPLES)
            elif field.name == "dropped":
                for reason, shown in value.items():
                    total.dropped[reason] = _fewest([*total.dropped.get(reason, []), *shown], PER_REASON)
            else:
                merged = Counter(getattr(total, field.name))
                merged.update(value)
                setattr(total, field.name, dict(merged))
    return total.settle()


def _add(counts: dict[str, int], name: str, count: int = 1) -> None:
    counts[name] = counts.get(name, 0) + count


def _fewest(shown: list[Shown], count: int) -> list[Shown]:
    return nsmallest(count, shown, key=lambda one: one.order)
