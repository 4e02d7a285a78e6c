"""Keeps the ledger up with crawl.log: reads on from where it stopped, a part at a time, beside a crawl that writes."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path

from phasa.service.ledger import ALL, FORMAT, Chunk, Count, Kind, Ledger
from phasa.web.url import Url, host, segment_key

PART = 1 << 20
MOST_KEYS = 400
MOST_KEY = 80
_OPEN: tuple[Kind, ...] = ("status", "domain", "type")
_HEAD = 64  # bytes at the beginning of the log by which it is known again


class Following:
    """The thread that follows the log. `state` says how far it is."""

    def __init__(self, log: Path, ledger: Path, every: float = 1.0) -> None:
        self._log = log
        self._path = ledger
        self._every = every
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None
        self.read = 0
        self.size = 0
        self.problem = ""

    def start(self) -> None:
        self._thread = threading.Thread(target=self._follow, name="following", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._ending.set()
        if self._thread is not None:
            self._thread.join(10)

    @property
    def share(self) -> float:
        """How much of the log has been counted, 0 to 1."""
        return self.read / self.size if self.size else 1.0

    def catch_up(self) -> None:
        """Read all that is there now. Raises sqlite3.Error when the ledger cannot be written."""
        ledger = Ledger(self._path)
        try:
            while self._step(ledger) and not self._ending.is_set():
                pass
        finally:
            ledger.close()

    def _follow(self) -> None:
        while not self._ending.is_set():
            try:
                self.catch_up()
                self.problem = ""
            except (sqlite3.Error, OSError) as problem:
                self.problem = str(problem)  # shown on the Collection page; tried again
            self._ending.wait(self._every)

    def _step(self, ledger: Ledger) -> bool:
        """Count one more part of the log; False when there is none yet."""
        if not self._log.exists():
            return False
        with self._log.open("rb") as file:
            self.size = self._log.stat().st_size
            head = file.read(_HEAD)
            known = f"{FORMAT}:{head.hex()}" if len(head) == _HEAD else ""
            self.read = int(ledger.meta("read") or 0)
            if not known:
                return False  # the first line is still being written
            if ledger.meta("log") != known or self.read > self.size:
                ledger.clear()
                ledger.set_meta(log=known)
                self.read = 0
            file.seek(self.read)
            part = file.read(PART)
        if not part:
            return False
        whole = part[: part.rfind(b"\n") + 1]
        if not whole:
            if len(part) < PART:
                return False
            whole = part  # a line as long as a part is no line: skip it
        ledger.add(count(whole, self.read, Known(ledger)), self.read + len(whole))
        self.read += len(whole)
        return True


class Known:
    """The names that are counted apart. Servers choose some of them: beyond so many, the rest is one."""

    def __init__(self, ledger: Ledger | None = None) -> None:
        self._names: dict[str, set[str]] = {
            kind: {share.key for share in ledger.shares(kind, MOST_KEYS + 1)} if ledger else set() for kind in _OPEN
        }

    def name(self, kind: Kind, name: str) -> str:
        names, short = self._names[kind], name[:MOST_KEY]
        if short not in names:
            if len(names) >= MOST_KEYS:
                return "other"
            names.add(short)
        return short


def count(lines: bytes, begin: int, known: Known) -> Chunk:
    """What the lines of a log come to. `begin` is where they stand in it; `known` the names counted so far."""
    tallies: dict[tuple[str, str, str], list[int]] = {}
    hosts: dict[str, list[int]] = {}
    last: dict[str, str] = {}
    segments: dict[str, list[int]] = {}
    places: dict[tuple[str, str], list[int]] = {}
    at = begin
    for raw in lines.splitlines(keepends=True):
        place, at = at, at + len(raw)
        fields = raw.decode("utf-8", "replace").rstrip("\n").split(" ")
        if len(fields) not in (12, 13) or not fields[0].endswith("Z"):
            continue  # torn
        time, status, size, url, _, _, mime, _, reason, wanted, language, _ = fields[:12]
        charset = fields[12] if len(fields) == 13 else "-"
        try:
            name, weight = host(Url(url)), int(size) if size != "-" else 0
        except (ValueError, IndexError):
            continue
        judged, hit = int(wanted != "-"), int(wanted == "wanted")
        added = (1, judged, hit, weight)
        answer = known.name("status", status if status != "-" else _failure(reason))
        keys = [("status", answer), ("domain", known.name("domain", _top_level(name)))]
        if status != "-":
            keys.append(("type", known.name("type", mime if mime != "-" else "unknown")))
        if judged:
            keys += [("language", language), ("charset", charset), ("size", str(weight.bit_length()))]
            segment = segments.setdefault(segment_key(Url(url))[:500], [0, 0])
            segment[0] += 1
            segment[1] += hit
            places.setdefault(("language", language), []).append(place)
            places.setdefault(("charset", charset), []).append(place)
        day = time[:10]
        for kind, key in keys:
            _add(tallies.setdefault((kind, day, key), [0, 0, 0, 0]), added)
        _add(hosts.setdefault(name, [0, 0, 0, 0]), added)
        last[name] = max(time, last.get(name, ""))
        places.setdefault(("host", name), []).append(place)
        places.setdefault(("status", answer), []).append(place)
    for (kind, _, key), counts in list(tallies.items()):
        _add(tallies.setdefault((kind, ALL, key), [0, 0, 0, 0]), counts)
    return Chunk(
        {key: Count(*counts) for key, counts in tallies.items()},
        {name: (Count(*counts), last[name]) for name, counts in hosts.items()},
        {name: (counts[0], counts[1]) for name, counts in segments.items()},
        places,
    )


def _add(sums: list[int], added: Sequence[int]) -> None:
    sums[0] += added[0]
    sums[1] += added[1]
    sums[2] += added[2]
    sums[3] += added[3]


def _failure(reason: str) -> str:
    """Why nothing came, without its details."""
    return reason.split(":")[0].replace("_", " ") if reason != "-" else "no answer"


def _top_level(name: str) -> str:
    return name.rpartition(".")[2] if name[-1] != "]" and not name[-1].isdigit() else "address"
