"""kill -9 at any instant: no URL is lost, nothing done is fetched again, every record is whole and indexed.

The crawl is a real process that crawls a real web on the loopback, with WARC files so small that rotation is
frequent; it is killed at random instants, start-up included, and started again.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.durability.small_web import SmallWeb, collection_for, command, finish

from phasa.archive.cdxj import read_index
from phasa.archive.reader import read_archive, read_entry
from phasa.collection import Collection

Start = Callable[[Path], Callable[[], None]]


def crawl(path: str) -> None:
    """What `phasa crawl` does, in a process that has its modules already."""
    from phasa.crawl.run.runs import run_collection

    collection = Collection.open(Path(path))
    with collection.locked():
        run_collection(collection)


def kill_at_random(path: Path, dice: random.Random, seconds: float, as_command: bool) -> bool:
    """Start the crawl, kill it after a random time; True when it had ended by itself before."""
    if as_command:
        process = command("crawl", path, "--quiet")
        time.sleep(dice.uniform(0.0, seconds))
        ended = process.poll() is not None
        process.send_signal(signal.SIGKILL)
        process.communicate()
        return ended
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        ["phasa.crawl.run.runs", "phasa.crawl.run.assembly", "phasa.language.detectors.auto"]
    )
    child = context.Process(target=crawl, args=(str(path),))
    child.start()
    child.join(dice.uniform(0.0, seconds))
    ended = child.exitcode is not None
    if child.pid is not None and not ended:
        os.kill(child.pid, signal.SIGKILL)
    child.join()
    return ended


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


def check_archive(collection: Collection) -> None:
    """Every record can be read, every record is in the index, every index line leads to its record."""
    folder = collection.archive_folder
    assert not list(folder.glob("*.open")), "nothing is left open"
    stored = list(read_archive(folder))
    entries = list(read_index(folder))
    assert len(entries) == len(stored)
    assert sorted(entry.url for entry in entries) == sorted(record.url for record in stored)
    for entry in entries[:: max(1, len(entries) // 50)]:
        assert read_entry(folder, entry).url == entry.url
    pages = {record.url for record in stored if record.status == 200}
    assert done_urls(collection) <= pages, "what is done is in the archive"


def crawl_under_fire(tmp_path: Path, pages: int, kills: int, seconds: float, as_command: bool, seed: int) -> None:
    dice = random.Random(seed)
    small = SmallWeb(pages, hosts=12, seconds=0.1)  # slow enough that kills fall into the crawl on any machine
    with small.serving():
        calm = collection_for(tmp_path / "calm", small)
        code, _, err = finish(command("crawl", calm.path, "--quiet"), timeout=600.0)
        assert code == 0, err
        undisturbed = done_urls(calm)
        assert undisturbed == small.urls()

        small.arrivals.clear()
        stormy = collection_for(tmp_path / "stormy", small)
        done_at_kill: list[tuple[int, set[str]]] = []
        killed = 0
        for _ in range(kills):
            ended = kill_at_random(stormy.path, dice, seconds, as_command)
            killed += not ended
            done_at_kill.append((len(small.arrivals), done_urls(stormy)))
        code, _, err = finish(command("crawl", stormy.path, "--quiet"), timeout=600.0)
        assert code == 0, err
        assert killed >= kills * 0.5, "the crawl was killed in the middle, not after its end"

    assert done_urls(stormy) == undisturbed
    for asked, done in done_at_kill:
        later = {f"http://{arrival.host}{arrival.path}" for arrival in small.arrivals[asked:]}
        assert not later & done, "what was done before the kill is not fetched again"
    check_archive(stormy)
    db = sqlite3.connect(stormy.frontier_file)
    states = dict(db.execute("SELECT state, count(*) FROM url GROUP BY state"))
    db.close()
    assert states == {1: pages}, "no URL waits, none is lost"


def test_kill_nine_loses_nothing(tmp_path: Path) -> None:
    crawl_under_fire(tmp_path, pages=400, kills=8, seconds=0.8, as_command=False, seed=5)


@pytest.mark.soak
@pytest.mark.parametrize("seed", [1, 2])
def test_kill_nine_sixty_times(tmp_path: Path, seed: int) -> None:
    crawl_under_fire(tmp_path, pages=6000, kills=60, seconds=4.0, as_command=True, seed=seed)
