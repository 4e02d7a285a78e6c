"""How a crawl went over time: a bounded series of samples, kept in the collection (reports/history.jsonl).

Samples hold totals, so that rates between any two of them are exact however many were thinned out. When there are
`MOST`, every second one goes and the next ones come half as often: the series covers the whole crawl, evenly, in the
time it worked. Pauses and the time between runs leave no samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from phasa.crawl.meter import Metrics

FILE = "history.jsonl"
MOST = 2000
FIRST_EVERY = 1.0


class Sample(msgspec.Struct, frozen=True, array_like=True):
    """The totals of a collection at one moment."""

    time: float
    pages: int
    """Pages that were judged."""
    wanted: int
    done: int
    megabytes: float
    words: int
    queue: int
    ready_hosts: int
    resting_hosts: int
    hosts: int
    last_100: float
    """Share of wanted pages among the last hundred."""

    @classmethod
    def of(cls, metrics: Metrics) -> Sample:
        m = metrics
        return cls(
            *(round(m.time, 1), m.pages, m.wanted, m.done, round(m.megabytes, 3)),
            *(round(m.words_per_megabyte * m.megabytes), m.queue, m.ready_hosts, m.resting_hosts, m.hosts),
            round(m.harvest_last_100, 3),
        )


class _Head(msgspec.Struct, frozen=True):
    every: float = FIRST_EVERY


class History:
    """Takes samples and keeps them. A file that cannot be read is begun anew: it is a record, not the truth."""

    def __init__(self, folder: Path, most: int = MOST) -> None:
        self._path = folder / FILE
        self._most = most
        self.every, self.samples = _read(self._path)
        if not self._path.exists():
            self._write()

    def note(self, metrics: Metrics, *, last_word: bool = False) -> None:
        """Take a sample when it is time for one, or for the last, and something happened since the one before."""
        if not metrics.fetches:
            return  # a run that has not begun has no last hundred pages and no ready hosts
        if self.samples:
            last = self.samples[-1]
            # A clock that was set back must not stop the record.
            early = 0.0 <= metrics.time - last.time < self.every and not last_word
            if early or (metrics.done == last.done and (metrics.paused or last_word)):
                return
        self.samples.append(Sample.of(metrics))
        if len(self.samples) > self._most:
            self.samples = thinned(self.samples)
            self.every *= 2.0
            self._write()
        else:
            with self._path.open("ab") as file:
                file.write(msgspec.json.encode(self.samples[-1]) + b"\n")

    def _write(self) -> None:
        lines = [msgspec.json.encode(_Head(self.every)), *map(msgspec.json.encode, self.samples)]
        beside = self._path.with_name(f"{FILE}.new")
        beside.write_bytes(b"\n".join(lines) + b"\n")
        beside.replace(self._path)


def read_history(folder: Path) -> list[Sample]:
    """The samples of a collection, oldest first; none when it was never crawled."""
    return _read(folder / FILE)[1]


def thinned(samples: Sequence[Sample]) -> list[Sample]:
    """Every second sample, the first and the last among them."""
    kept = list(samples[::2])
    if samples and kept[-1] is not samples[-1]:
        kept.append(samples[-1])
    return kept


def _read(path: Path) -> tuple[float, list[Sample]]:
    try:
        first, *lines = path.read_bytes().splitlines() or [b""]
        every = msgspec.json.decode(first, type=_Head).every
    except (OSError, msgspec.DecodeError):
        return FIRST_EVERY, []
    samples = []
    for line in lines:
        try:
            samples.append(msgspec.json.decode(line, type=Sample))
        except msgspec.DecodeError:
            continue  # torn by a crash
    return max(every, FIRST_EVERY), samples
