"""What some fetches come to: counted in memory, to be added to the counts of a collection in one go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Literal

from phasa.crawl.run.crawl_log import Logged
from phasa.web.url import Url, host, segment_key

Kind = Literal["language", "domain", "charset", "status", "type", "size"]
OF_THE_LOG: tuple[Kind, ...] = ("status", "type", "charset")
"""Kinds that only the log knows; the frontier has the others too."""
EVERY_DAY = ""
"""The day that stands for all days."""

MOST_NAMES = 400
LONGEST_NAME = 80
LONGEST_SEGMENT = 500
UNKNOWN = "unknown"
OPEN_KINDS: tuple[Kind, ...] = ("status", "domain", "type")
"""Kinds whose values servers choose: without a bound there would be no end of them."""


class Names:
    """The names of the open kinds that are counted apart; beyond so many, the rest is one."""

    def __init__(self) -> None:
        self._names: dict[Kind, set[str]] = {kind: set() for kind in OPEN_KINDS}

    def know(self, kind: Kind, names: set[str]) -> None:
        """These were counted before."""
        self._names[kind] |= names

    def of(self, kind: Kind, name: str) -> str:
        """The name that a value is counted under."""
        names, short = self._names[kind], name[:LONGEST_NAME]
        if short not in names:
            if len(names) >= MOST_NAMES:
                return "other"
            names.add(short)
        return short


class Batch:
    """Counts to be added: [fetches, pages, wanted, bytes] by kind, day and key and by host; [pages, wanted, bytes] by
    segment; [known, tried, pages, wanted] by level; and the places of the lines of the log."""

    def __init__(self, names: Names | None = None) -> None:
        self._names = names or Names()
        self._tallies: dict[tuple[Kind, str, str], list[int]] = {}
        self.hosts: dict[str, list[int]] = {}
        self.last: dict[str, str] = {}
        self.spoken: Counter[tuple[str, str]] = Counter()
        self.segments: dict[str, list[int]] = {}
        self.levels: dict[int, list[int]] = {}
        self.lines: dict[tuple[str, str], list[int]] = {}

    def line(self, line: Logged, at: int) -> None:
        """Count what only the log knows of a fetch, whose line begins at this place."""
        judged = int(line.wanted is not None)
        added = (1, judged, int(line.wanted is True), line.size)
        day = line.time[:10]
        answer = self._names.of("status", line.outcome)
        self._tally("status", day, answer, added)
        self.lines.setdefault(("host", host(Url(line.url))), []).append(at)
        self.lines.setdefault(("status", answer), []).append(at)
        if line.status:
            self._tally("type", day, self._names.of("type", line.mime or UNKNOWN), added)
        if judged:
            charset = line.charset or UNKNOWN
            self._tally("charset", day, charset, added)
            self.lines.setdefault(("charset", charset), []).append(at)
            self.lines.setdefault(("language", line.language or "und"), []).append(at)

    def fetch(self, url: Url, depth: int, time: str, size: int, wanted: bool | None, language: str) -> None:
        """Count what log and frontier know of a fetch. `time` is written as in the log."""
        judged, hit, name = int(wanted is not None), int(wanted is True), host(url)
        added = (1, judged, hit, size)
        day = time[:10]
        self._tally("domain", day, self._names.of("domain", _top_level(name)), added)
        _add(self.hosts.setdefault(name, [0, 0, 0, 0]), added)
        self.last[name] = max(time, self.last.get(name, ""))
        _add(self.levels.setdefault(depth, [0, 0, 0, 0]), (0, 1, judged, hit))
        if judged:
            spoken = language or "und"
            self.spoken[name, spoken] += 1
            self._tally("language", day, spoken, added)
            self._tally("size", day, str(size.bit_length()), added)
            segment = self.segments.setdefault(segment_key(url)[:LONGEST_SEGMENT], [0, 0, 0])
            segment[0] += 1
            segment[1] += hit
            segment[2] += size

    def discovered(self, depth: int, known: int) -> None:
        """Count URLs that became known at a distance from the seeds."""
        self.levels.setdefault(depth, [0, 0, 0, 0])[0] += known

    def tallies(self) -> Iterator[tuple[tuple[Kind, str, str], list[int]]]:
        """The counts by kind, day and key, and those of all days."""
        every: dict[tuple[Kind, str, str], list[int]] = {}
        for (kind, day, key), counts in self._tallies.items():
            _add(every.setdefault((kind, EVERY_DAY, key), [0, 0, 0, 0]), counts)
            yield (kind, day, key), counts
        yield from every.items()

    def _tally(self, kind: Kind, day: str, key: str, added: tuple[int, int, int, int]) -> None:
        _add(self._tallies.setdefault((kind, day, key), [0, 0, 0, 0]), added)


def _add(sums: list[int], added: list[int] | tuple[int, int, int, int]) -> None:
    sums[0] += added[0]
    sums[1] += added[1]
    sums[2] += added[2]
    sums[3] += added[3]


def _top_level(name: str) -> str:
    return name.rpartition(".")[2] if name[-1] != "]" and not name[-1].isdigit() else "address"
