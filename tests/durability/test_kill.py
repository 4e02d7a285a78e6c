"""kill -9 at any instant: no URL is lost, every record is whole and indexed, every line is in the log, and what was
answered is not asked for again, as long as the answer had come to the archive.

The crawl is a real process that crawls a real web on the loopback, with WARC files so small that rotation is
frequent; it is killed at random instants, start-up included, and before and after every point at which it commits
something to the disk.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.durability.kills import (
    POINTS,
    Toll,
    done_urls,
    kill_at_point,
    kill_at_random,
    kill_point,
    kill_workers,
    one_life,
)
from tests.durability.small_web import SmallWeb, collection_for, command, finish

from phasa.archive.cdxj import read_index
from phasa.archive.reader import read_archive, read_entry
from phasa.collection import Collection

HOSTS = 10
"""Pages in flight at most: each host is asked for one at a time."""
KINDS: dict[str, Callable[[Path, random.Random, SmallWeb], bool]] = {
    "random": lambda path, dice, _: kill_at_random(path, dice, 2.5),
    "points": lambda path, dice, _: kill_at_point(path, dice, 10),
    "workers": kill_workers,
}


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


def live(path: Path, kind: str, dice: random.Random, pages: int, kills: int) -> Toll:
    """The life of one collection under kills; what cannot be excused is asserted, the rest is counted."""
    small = SmallWeb(pages, hosts=HOSTS, seconds=0.08)  # slow, so that on a fast machine too it lives to be killed
    small.counts_answers = True
    with small.serving():
        collection = collection_for(path, small)
        toll = one_life(collection, small, lambda: KINDS[kind](path, dice, small), kills)
    assert toll.lost == toll.broken_records == toll.index_wrong == toll.lines_missing == toll.lines_twice == 0, toll
    assert toll.asked_again <= toll.kills * HOSTS, "only what was in flight"
    assert toll.kept_twice <= toll.asked_again
    with sqlite3.connect(collection.frontier_file) as db:
        assert dict(db.execute("SELECT state, count(*) FROM url GROUP BY state")) == {1: pages}
    return toll


@pytest.mark.parametrize(("kind", "pages"), [("random", 1000), ("points", 240)])
def test_kill_nine_loses_nothing(tmp_path: Path, kind: str, pages: int) -> None:
    toll = live(tmp_path / "c", kind, random.Random(5), pages=pages, kills=10)
    assert toll.kills >= 5


@pytest.mark.parametrize("point", ["after a record", "before a commit"])
def test_an_answer_that_was_kept_is_not_asked_for_again(tmp_path: Path, point: str) -> None:
    small = SmallWeb(60, hosts=1)  # one page at a time
    small.counts_answers = True
    with small.serving():
        collection = collection_for(tmp_path / "c", small)
        toll = one_life(collection, small, lambda: kill_point(collection.path, point, 12), 1)
    assert toll == Toll(kills=1, answered=60)


@pytest.mark.parametrize("point", POINTS)
def test_every_point_can_be_reached(tmp_path: Path, point: str) -> None:
    """A suite whose points nobody reaches would prove nothing."""
    small = SmallWeb(60, hosts=6)
    with small.serving():
        collection = collection_for(tmp_path / "c", small)
        if "recalled" in point or "open files" in point:
            assert kill_point(collection.path, "after a record", 20)
        assert kill_point(collection.path, point, 1)
        code, _, err = finish(command("crawl", collection.path, "--quiet"))
        assert code == 0, err
    assert done_urls(collection) == small.urls()


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", KINDS)
def test_a_thousand_kills(tmp_path: Path, kind: str, seed: int) -> None:
    """All parameters together: 1,000 kills and more."""
    dice, total = random.Random(seed), Toll()
    wanted = 130 if kind != "workers" else 55
    for life in range(100):
        total += live(tmp_path / str(life), kind, dice, pages=500, kills=12 if kind != "workers" else 5)
        if total.kills >= wanted:
            break
    print(kind, seed, total)
    assert total.kills >= wanted
