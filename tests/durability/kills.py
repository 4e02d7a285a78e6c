"""Kills at random and at chosen instants, and what must hold after them."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import random
import signal
import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from tests.durability.small_web import SmallWeb, command, finish

from phasa.archive.cdxj import read_index
from phasa.archive.damage import noted
from phasa.archive.reader import read_archive, read_entry
from phasa.collection import Collection
from phasa.crawl.run.crawl_log import read_log

# name -> (module, class or '', function, kill before the call (0) or after it (1))
POINTS: dict[str, tuple[str, str, str, int]] = {
    "before a commit": ("phasa.frontier.database", "Database", "commit", 0),
    "after a commit": ("phasa.frontier.database", "Database", "commit", 1),
    "before a transaction": ("phasa.frontier.database", "Database", "begin", 0),
    "before the archive is synced": ("phasa.archive.warc", "WarcWriter", "sync", 0),
    "after the archive was synced": ("phasa.archive.warc", "WarcWriter", "sync", 1),
    "before a record": ("phasa.archive.warc", "WarcWriter", "write", 0),
    "after a record": ("phasa.archive.warc", "WarcWriter", "write", 1),
    "between a record and its index line": ("phasa.archive.cdxj", "IndexFile", "add", 0),
    "before lines of the log": ("phasa.crawl.run.crawl_log", "CrawlLog", "append", 0),
    "after lines of the log": ("phasa.crawl.run.crawl_log", "CrawlLog", "append", 1),
    "between the two names of a WARC file": ("phasa.archive.cdxj", "IndexFile", "finish", 0),
    "after a WARC file was finished": ("phasa.archive.cdxj", "IndexFile", "finish", 1),
    "before digests are committed": ("phasa.archive.digests", "Digests", "commit", 0),
    "while open files are finished": ("phasa.archive.repair", "", "write_sorted", 0),
    "after open files were finished": ("phasa.archive.repair", "", "write_sorted", 1),
    "while answers are recalled": ("phasa.frontier.outbox", "Outbox", "remember", 1),
}
MODULES = ["phasa.crawl.run.runs", "phasa.crawl.run.assembly", "phasa.language.detectors.auto"]


def crawl(path: str, point: str = "", call: int = 0, workers: int = 1) -> None:
    """What `phasa crawl` does, in a process that has its modules already; it kills itself at a call of a function."""
    from phasa.crawl.run.runs import run_collection, with_limits

    collection = Collection.open(Path(path))
    if point:
        collection = with_limits(collection, pages=40)  # a run that never comes to its point leaves work for the next
        module, owner, name, after = POINTS[point]
        die_at(module, owner, name, after, call)
    with collection.locked():
        run_collection(collection, workers=workers)


def die_at(module: str, owner: str, name: str, after: int, call: int) -> None:
    """Let this process kill itself at a call of a function or method, before it or after it."""
    home: Any = getattr(import_module(module), owner) if owner else import_module(module)
    whole, calls = getattr(home, name), [0]

    def deadly(*words: Any, **options: Any) -> Any:
        calls[0] += 1
        if calls[0] == call and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        result = whole(*words, **options)
        if calls[0] == call:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(home, name, deadly)


def _forked(path: Path, point: str = "", call: int = 0, workers: int = 1) -> Any:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(MODULES)
    child = context.Process(target=crawl, args=(str(path), point, call, workers))
    child.start()
    return child


def kill_at_random(path: Path, dice: random.Random, seconds: float) -> bool:
    """Start the crawl, kill it after a random time; False when it had ended by itself before."""
    child = _forked(path)
    child.join(dice.uniform(0.0, seconds))
    killed = child.exitcode is None
    if killed:
        os.kill(child.pid, signal.SIGKILL)
    child.join()
    return killed


def kill_at_point(path: Path, dice: random.Random, calls: int) -> bool:
    """Start a crawl that kills itself before or after some call; a few times when it never comes to that."""
    tries = range(5)
    return any(kill_point(path, dice.choice(list(POINTS)), 1 + int(calls * dice.random() ** 2)) for _ in tries)


def kill_point(path: Path, point: str, call: int) -> bool:
    """Start a crawl that kills itself at some call; False when it ended before."""
    child = _forked(path, point, call)
    child.join(120.0)
    assert child.exitcode in (0, -signal.SIGKILL), child.exitcode
    return bool(child.exitcode)


def kill_workers(path: Path, dice: random.Random, small: SmallWeb, most: int = 80) -> bool:
    """Start a crawl of two workers, and kill the process that started them, or one of them; False when it had ended.

    The instant is that of some answer of this run, so that requests are under way; at times it is during the start.
    """
    child = _forked(path, workers=2)
    if dice.random() < 0.8:
        wanted = len(small.answered) + dice.randint(1, most)
        _wait(child, lambda: len(small.answered) >= wanted)
    else:
        _wait(child, lambda: bool(workers_of(child.pid)))
        child.join(dice.uniform(0.0, 2.0))
    workers = workers_of(child.pid)
    victims = [child.pid] if dice.random() < 0.5 else workers or [child.pid]
    killed = child.exitcode is None
    if killed:
        try:
            os.kill(dice.choice(victims), signal.SIGKILL)  # of a worker: the others end in good order
        except ProcessLookupError:
            killed = False
    child.join(300.0)
    until = time.monotonic() + 60.0
    while (left := [number for number in workers if _is_worker(str(number))]) and time.monotonic() < until:
        time.sleep(0.02)
    assert child.exitcode is not None and not left, "the other processes did not end"  # noqa: PT018
    return killed


def workers_of(process: int) -> list[int]:
    """The workers that a process has started and that live, by their numbers."""
    with contextlib.suppress(OSError):
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
        return [int(number) for number in children if _is_worker(number)]
    return []


def _is_worker(number: str) -> bool:
    with contextlib.suppress(OSError):
        return b"spawn_main" in Path(f"/proc/{number}/cmdline").read_bytes()
    return False


def _wait(child: Any, ready: Callable[[], bool], seconds: float = 120.0) -> None:
    until = time.monotonic() + seconds
    while child.exitcode is None and not ready() and time.monotonic() < until:
        child.join(0.01)


class Toll(NamedTuple):
    """What kills have cost. Everything but `asked_again` must be 0."""

    kills: int = 0
    lost: int = 0
    broken_records: int = 0
    index_wrong: int = 0
    lines_missing: int = 0
    lines_twice: int = 0
    answered: int = 0
    asked_again: int = 0
    kept_twice: int = 0

    def __add__(self, other: object) -> Toll:
        assert isinstance(other, Toll)
        return Toll(*(one + two for one, two in zip(self, other, strict=True)))


def done_urls(collection: Collection) -> set[str]:
    if not collection.frontier_file.exists():
        return set()
    db = sqlite3.connect(collection.frontier_file, timeout=30.0)
    try:
        return {row[0] for row in db.execute("SELECT url FROM url WHERE state = 1")}
    except sqlite3.OperationalError:  # killed before the tables were there
        return set()
    finally:
        db.close()


def toll_of(collection: Collection, small: SmallWeb, kills: int) -> Toll:
    """Compare a collection that was crawled to its end with the web that it crawled."""
    folder = collection.archive_folder
    done = done_urls(collection)
    with noted() as damage:
        stored = list(read_archive(folder))
        entries = list(read_index(folder))
        misled = 0
        for entry in entries:
            misled += read_entry(folder, entry).url != entry.url
    pages = Counter(record.url for record in stored if record.status == 200 and not record.url.endswith("robots.txt"))
    indexed = Counter(entry.url for entry in entries)
    differ = (Counter(record.url for record in stored) - indexed) + (indexed - Counter(r.url for r in stored))
    lines = Counter(line.url for line in read_log(collection.log_file))
    answered = Counter(f"http://{arrival.host}{arrival.path}" for arrival in small.answered)
    answers = {url: n for url, n in answered.items() if not url.endswith("robots.txt")}
    return Toll(
        kills=kills,
        lost=len(small.urls() - done) + len(done - set(pages)),
        broken_records=len(damage) + len(list(folder.glob("*.open"))),
        index_wrong=differ.total() + misled,
        lines_missing=len(done - set(lines)),
        lines_twice=sum(n - 1 for url, n in lines.items() if url in done and n > 1),
        answered=sum(answers.values()),
        asked_again=sum(n - 1 for n in answers.values() if n > 1),
        kept_twice=sum(n - 1 for n in pages.values() if n > 1),
    )


def one_life(collection: Collection, small: SmallWeb, kill: Callable[[], bool], most: int) -> Toll:
    """Kill a crawl so many times, or until it has ended, let it end, and count."""
    kills = 0
    for _ in range(most):
        if not kill():
            break
        kills += 1
    code, _, err = finish(command("crawl", collection.path, "--quiet"), timeout=300.0)
    assert code == 0, err
    return toll_of(collection, small, kills)
