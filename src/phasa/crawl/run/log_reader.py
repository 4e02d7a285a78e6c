"""Keeps the counts of a collection up with its crawl: reads on in crawl.log and in the frontier from a bookmark.

The crawl pays nothing for it: crawl.log names every fetch in its order, and URLs are numbered in the order of their
discovery. After a crash the log may have a few lines too many or too few: when nothing runs and the pages that were
counted are not those that the frontier has, the pages are counted again from the frontier. So they are when the log
was put away and another one began.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from pathlib import Path

import msgspec

from phasa.collection import Collection
from phasa.crawl.run.batch import OPEN_KINDS, Batch, Names
from phasa.crawl.run.counts import Bookmark, Counts, drop_counts
from phasa.crawl.run.crawl_log import parse_line, time_text
from phasa.errors import CollectionError
from phasa.frontier.reader import FrontierReader
from phasa.frontiers import read_frontier
from phasa.web.url import Url

PART = 1 << 20  # bytes of the log that are counted at a time
VISITS = 5_000  # visits of the frontier that are counted at a time
DISCOVERIES = 100_000
_HEAD = 64  # bytes at the beginning of a log by which it is known again
_REST = 0.02  # seconds between two parts: whoever asks for a page comes first

_logger = logging.getLogger(__name__)


class LogReader:
    """Counts in a thread of its own. `counted` says how far it is, `problem` why it cannot go on; it tries again."""

    def __init__(self, collection: Collection, counts_file: Path, every: float = 1.0) -> None:
        self._collection = collection
        self._log = collection.log_file
        self._path = counts_file
        self._every = every
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None
        self._looked: object = None
        self.counted = 0.0 if self._log.exists() else 1.0
        """The share of the crawl that is counted, 0 to 1; what was logged in the last seconds is not missed."""
        self.problem = ""

    def start(self) -> None:
        self._thread = threading.Thread(target=self._follow, name="log-reader", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._ending.set()
        if self._thread is not None:
            self._thread.join(10)

    def catch_up(self) -> None:
        """Count all that is there now. Raises CollectionError or sqlite3.Error when it cannot be read or counted."""
        counts = Counts(self._path)
        try:
            names = Names()
            for kind in OPEN_KINDS:
                names.know(kind, {share.key for share in counts.shares(kind, 1000)})
            with read_frontier(self._collection) as frontier:
                while not self._ending.is_set() and self._count_some(counts, frontier, names):
                    self._ending.wait(_REST)
        finally:
            counts.close()

    def _follow(self) -> None:
        while not self._ending.is_set():
            looked = self._look()
            if looked != self._looked:
                try:
                    self.catch_up()
                    self._looked, self.problem = looked, ""
                except (CollectionError, sqlite3.Error, msgspec.DecodeError, OSError) as problem:
                    if isinstance(problem, (sqlite3.DatabaseError, msgspec.DecodeError)) and not isinstance(
                        problem, sqlite3.OperationalError
                    ):
                        drop_counts(self._path)  # damaged: counted again
                    if str(problem) != self.problem:
                        _logger.warning("%s: cannot be counted: %s", self._log, problem)
                    self.problem = str(problem)
            self._ending.wait(self._every)

    def _look(self) -> object:
        """Tells two states of the crawl apart: nothing is read again while nothing happens."""
        frontier = self._collection.frontier_file
        files = (self._log, frontier, frontier.with_name(f"{frontier.name}-wal"), self._path)
        return [_state(path) for path in files], self._collection.is_locked()

    def _count_some(self, counts: Counts, frontier: FrontierReader, names: Names) -> bool:
        """Count one more part; False when there is nothing more to count."""
        bookmark = counts.bookmark()
        if bookmark.recounting:
            more = self._count_visits(counts, frontier, names, bookmark)
        else:
            more = self._count_lines(counts, frontier, names, bookmark)
        more = self._count_discoveries(counts, frontier) or more or self._must_recount(counts, frontier)
        self.counted = self._share(counts, frontier) if more else 1.0
        return more

    def _count_lines(self, counts: Counts, frontier: FrontierReader, names: Names, before: Bookmark) -> bool:
        if not self._log.exists():
            return False
        with self._log.open("rb") as file:
            head = file.read(_HEAD)
            if before.log and (head.hex() != before.log or file.seek(0, 2) < before.read):
                # Another log: what only a log knows begins with it, the pages are those of the frontier.
                _logger.info("%s: another log, counted from its beginning", self._log)
                recounting = frontier.totals().pages > 0
                counts.clear(before, Bookmark(url=before.url, recounting=recounting))
                return True
            if len(head) < _HEAD:
                return False  # the first line is still being written
            file.seek(before.read)
            part = file.read(PART)
        end = part.rfind(b"\n") + 1
        if not end:
            if len(part) < PART:
                return False
            end = PART  # a line as long as a part is no line: skip it
        batch = count_lines(part[:end], before.read, names, pages_from=before.pages_from)
        counts.add(batch, before, msgspec.structs.replace(before, log=head.hex(), read=before.read + end))
        return True

    def _count_visits(self, counts: Counts, frontier: FrontierReader, names: Names, before: Bookmark) -> bool:
        """Count some more pages from the frontier; when all are counted the log is followed again from its end."""
        visits = frontier.visits_after(before.visit, VISITS)
        batch = Batch(names)
        for visit in visits:
            batch.fetch(visit.url, visit.depth, time_text(visit.at), visit.size, visit.wanted, visit.language)
        if visits:
            after = msgspec.structs.replace(before, visit=visits[-1].id)
        else:
            size = self._log.stat().st_size if self._log.exists() else 0
            after = msgspec.structs.replace(before, recounting=False, visit=0, pages_from=size)
        counts.add(batch, before, after)
        return True

    def _count_discoveries(self, counts: Counts, frontier: FrontierReader) -> bool:
        before = counts.bookmark()
        found = frontier.discoveries_after(before.url, DISCOVERIES)
        if found.last == before.url:
            return False
        batch = Batch()
        for depth, known in found.by_depth.items():
            batch.discovered(depth, known)
        counts.add(batch, before, msgspec.structs.replace(before, url=found.last))
        return True

    def _must_recount(self, counts: Counts, frontier: FrontierReader) -> bool:
        """When nothing runs, the pages that were counted must be those of the frontier."""
        before = counts.bookmark()
        if not frontier.begun or self._collection.is_locked():
            return False
        totals = frontier.totals()
        # A page that was fetched twice is one visit and two pages: that is no reason to begin again and again.
        if counts.pages() == (totals.pages, totals.wanted) or before.recounted == totals.pages:
            return False
        _logger.info("%s: counts %s pages, the frontier has %d: counted again", self._log, counts.pages(), totals.pages)
        after = msgspec.structs.replace(before, recounting=True, visit=0, recounted=totals.pages)
        counts.clear_pages(before, after)
        return True

    def _share(self, counts: Counts, frontier: FrontierReader) -> float:
        bookmark = counts.bookmark()
        if bookmark.recounting:
            pages = frontier.totals().pages
            return min(1.0, counts.pages()[0] / pages) if pages else 1.0
        size = self._log.stat().st_size if self._log.exists() else 0
        return bookmark.read / size if size - bookmark.read > PART else 1.0


def count_lines(lines: bytes, begin: int, names: Names, *, pages_from: int = 0) -> Batch:
    """What the lines of a log come to; `begin` is where they stand in it. Pages before `pages_from` are counted."""
    batch = Batch(names)
    at = begin
    for raw in lines.split(b"\n"):
        place, at = at, at + len(raw) + 1
        line = parse_line(raw.decode("utf-8", "replace")) if raw else None
        if line is None:
            continue  # torn
        try:
            if place >= pages_from:
                batch.fetch(Url(line.url), line.depth, line.time, line.size, line.wanted, line.language)
            batch.line(line, place)
        except (ValueError, IndexError):
            continue  # no address
    return batch


def _state(path: Path) -> tuple[int, int] | None:
    try:
        there = path.stat()
    except OSError:
        return None
    return there.st_mtime_ns, there.st_size
