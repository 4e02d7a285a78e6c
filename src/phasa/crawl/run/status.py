"""Where a collection stands, read beside a crawl that may be running: nothing here writes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from phasa.collection import Collection
from phasa.crawl.run.control import read_orders
from phasa.crawl.run.reports import NAMES, Report, query_of
from phasa.errors import CollectionError, InputError


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """A collection in numbers. `coverage` is absent: on the live web nobody knows what there is to find."""

    language: str
    strategy: str
    waiting: int
    done: int
    dropped: int
    quarantined: int
    hosts: int
    pages: int
    wanted: int
    harvest: float | None
    megabytes: float
    words_per_megabyte: float | None
    running: bool
    what_next: str


def read_status(collection: Collection) -> Status:
    """The numbers of this moment. Raises CollectionError when the frontier cannot be read."""
    settings = collection.settings
    tally: dict[str, int] = {}
    if has_begun(collection):
        with reading(collection) as db:
            tally = dict(db.execute("SELECT name, n FROM tally"))
    judged, size = tally.get("judged", 0), tally.get("bytes", 0)
    running = is_running(collection)
    return Status(
        language=settings.language,
        strategy=settings.strategy,
        waiting=tally.get("waiting", 0),
        done=tally.get("done", 0),
        dropped=tally.get("dropped", 0),
        quarantined=tally.get("quarantined", 0),
        hosts=tally.get("hosts", 0),
        pages=judged,
        wanted=tally.get("wanted", 0),
        harvest=tally.get("wanted", 0) / judged if judged else None,
        megabytes=size / 1e6,
        words_per_megabyte=tally.get("words", 0) / (size / 1e6) if size else None,
        running=running,
        what_next=_what_next(collection, tally, running),
    )


def table(collection: Collection, name: str, limit: int = -1) -> Report:
    """One report. Raises InputError that lists the names."""
    if name not in NAMES:
        raise InputError(f"no report '{name}'; there are {', '.join((*NAMES, 'segments'))}")
    columns, query = query_of(name)
    if not has_begun(collection):
        return Report(name, columns, [])
    with reading(collection) as db:
        return Report(name, columns, db.execute(f"{query} LIMIT ?", (limit,)).fetchall())


def quarantined(collection: Collection) -> list[tuple[str, str]]:
    """(template, evidence) of every template in quarantine, and single URLs that looked like traps."""
    if not has_begun(collection):
        return []
    with reading(collection) as db:
        rows = db.execute("SELECT key, evidence FROM template ORDER BY key").fetchall()
        rows += db.execute("SELECT url, reason FROM url WHERE state = 3 ORDER BY id LIMIT 1000").fetchall()
    return rows


def is_running(collection: Collection) -> bool:
    """Whether somebody works on the collection now."""
    return collection.is_locked()


def has_begun(collection: Collection) -> bool:
    """Whether there is a frontier to read; one that is being made this moment has no tables yet."""
    if not collection.frontier_file.exists():
        return False
    with reading(collection) as db:
        return db.execute("SELECT 1 FROM sqlite_master WHERE name = 'tally'").fetchone() is not None


def _what_next(collection: Collection, tally: dict[str, int], running: bool) -> str:
    if read_orders(collection).paused:
        return f"paused; go on with: phasa crawl {collection.path} --resume"
    if running:
        return f"a crawl is running; see it in a browser: phasa serve {collection.path}"
    if not collection.frontier_file.exists():
        return f"not crawled yet: phasa crawl {collection.path}"
    if tally.get("waiting", 0):
        return f"go on with: phasa crawl {collection.path}"
    if not tally.get("done", 0) and not tally.get("dropped", 0):
        return "nothing was ever offered: put addresses into seeds.txt"
    return "nothing waits: every URL found is done or dropped (phasa status --report dropped says why)"


@contextmanager
def reading(collection: Collection) -> Iterator[sqlite3.Connection]:
    """The frontier's file, for reading only. Raises CollectionError when it cannot be read."""
    db = None
    try:
        db = sqlite3.connect(f"{collection.frontier_file.resolve().as_uri()}?mode=ro", uri=True, timeout=30.0)
        yield db
    except sqlite3.DatabaseError as problem:
        raise CollectionError(f"{collection.frontier_file}: cannot be read: {problem}") from None
    finally:
        if db is not None:
            db.close()
