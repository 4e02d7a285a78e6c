"""Counts kept up with a crawl: the same numbers as a count of everything, whatever happened to the log."""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from tests.durability.small_web import SmallWeb, collection_for

from phasa.archive_settings import ArchiveSettings
from phasa.collection import Collection
from phasa.crawl.run.counts import Counts, HostCount, Level, SegmentCount
from phasa.crawl.run.live_status import read_history, read_live_status
from phasa.crawl.run.log_reader import LogReader
from phasa.crawl.run.runs import run_collection
from phasa.crawl.run.status import read_status

FILE = "counts.db"


def crawled(path: Path, pages: int = 40) -> Collection:
    small = SmallWeb(pages, hosts=4)
    with small.serving():
        collection = collection_for(path / "c", small, archive=ArchiveSettings(keep=False))
        with collection.locked():
            run_collection(collection)
    return collection


class Counted(NamedTuple):
    """Everything that the frontier knows too, in an order of its own."""

    hosts: list[HostCount]
    segments: list[SegmentCount]
    levels: list[Level]
    wanted_hosts: int
    languages: dict[str, int]


def counted(collection: Collection) -> Counted:
    reader = LogReader(collection, collection.path / FILE)
    reader.catch_up()
    assert reader.counted == 1.0
    counts = Counts(collection.path / FILE)
    try:
        hosts = [msgspec.structs.replace(host, id=0) for host in counts.top_hosts(99)]
        return Counted(
            sorted(hosts, key=lambda host: host.name),
            sorted(counts.segments("pages", 99), key=lambda segment: segment.name),
            counts.levels(),
            counts.wanted_hosts(),
            {share.key: share.pages for share in counts.shares("language", 99)},
        )
    finally:
        counts.close()


NOTHING = Counted([], [], [], 0, {})


def test_everything_is_counted_from_the_log(tmp_path: Path) -> None:
    collection = crawled(tmp_path)
    hosts, segments, levels, wanted_hosts, languages = counted(collection)
    assert {host.name: host.pages for host in hosts} == {f"h{n}.example": 10 for n in range(4)}
    assert {segment.name for segment in segments} == {f"http://h{n}.example/p/" for n in range(4)}
    now = read_status(collection)
    assert sum(host.wanted for host in hosts) == sum(segment.wanted for segment in segments) == now.wanted
    assert sum(host.bytes for host in hosts) == pytest.approx(now.megabytes * 1e6)
    assert levels[0] == Level(0, 1, 1, 1, 0)  # the seed is in English
    assert sum(level.known for level in levels) == 40
    assert sum(level.pages for level in levels) == 40
    assert wanted_hosts == 4
    spoken = Counter[str]()
    for host in hosts:
        for share in host.languages:
            spoken[share.language] += share.pages
        assert sum(share.share for share in host.languages) == pytest.approx(1.0)
    assert spoken == languages == {"th": now.wanted, "en": 40 - now.wanted}


def test_without_a_log_the_frontier_says_the_same(tmp_path: Path) -> None:
    collection = crawled(tmp_path)
    from_log = counted(collection)
    (collection.path / FILE).unlink()
    collection.log_file.unlink()
    assert counted(collection) == from_log


@pytest.mark.parametrize("damage", ["torn", "cut", "foreign", "doubled"])
def test_a_damaged_log_is_found_out_when_nothing_runs(tmp_path: Path, damage: str) -> None:
    collection = crawled(tmp_path)
    whole = counted(collection)
    (collection.path / FILE).unlink()
    log = collection.log_file.read_bytes()
    collection.log_file.write_bytes(
        {"torn": log[:-100], "cut": log[500:], "foreign": b"what is this\n" * 50, "doubled": log + log}[damage]
    )
    assert counted(collection) == whole


def test_what_only_the_log_knows_stays_when_pages_are_counted_again(tmp_path: Path) -> None:
    collection = crawled(tmp_path)
    log = collection.log_file.read_bytes()
    collection.log_file.write_bytes(log[: log.rindex(b"\n", 0, -1) + 1])  # the last line was lost in a crash
    counted(collection)
    counts = Counts(collection.path / FILE)
    assert counts.pages()[0] == 40
    assert [(share.key, share.fetches) for share in counts.shares("status", 9)] == [("200", 39)]
    assert sum(share.pages for share in counts.shares("charset", 9)) == 39
    assert sum(len(counts.lines("host", f"h{n}.example", 1 << 62, 99)) for n in range(4)) == 39
    counts.close()


def test_a_log_that_was_put_away_does_not_lose_the_pages(tmp_path: Path) -> None:
    collection = crawled(tmp_path)
    whole = counted(collection)
    collection.log_file.write_bytes(b"")
    assert counted(collection) == whole


def test_pages_are_right_at_once_when_the_log_changes_under_a_running_crawl(tmp_path: Path) -> None:
    collection = crawled(tmp_path)
    whole = counted(collection)
    lines = collection.log_file.read_bytes().splitlines(keepends=True)
    collection.log_file.write_bytes(b"".join(lines[30:]))
    with collection.locked():
        assert counted(collection) == whole
        counts = Counts(collection.path / FILE)
        assert sum(share.fetches for share in counts.shares("status", 9)) == 10  # of the new log
        counts.close()


def test_reading_on_counts_only_what_is_new(tmp_path: Path) -> None:
    collection = crawled(tmp_path)
    log = collection.log_file.read_bytes().splitlines(keepends=True)
    collection.log_file.write_bytes(b"".join(log[:15]))
    reader = LogReader(collection, collection.path / FILE)
    counts = Counts(collection.path / FILE)
    with collection.locked():  # a crawl is running
        reader.catch_up()
        assert counts.pages()[0] == 15
        with collection.log_file.open("ab") as file:
            file.write(b"".join(log[15:30]) + log[30][:20])
        reader.catch_up()
        assert counts.pages()[0] == 30
        with collection.log_file.open("ab") as file:
            file.write(log[30][20:] + b"".join(log[31:]))
        reader.catch_up()
        assert counts.pages()[0] == 40
    counts.close()


def test_two_readers_of_one_collection_count_everything_once(tmp_path: Path) -> None:
    collection = crawled(tmp_path)
    readers = [LogReader(collection, collection.path / FILE, every=0.01) for _ in range(2)]
    for reader in readers:
        reader.start()
    counts = Counts(collection.path / FILE)
    for _ in range(200):
        if counts.pages()[0] >= 40:
            break
        time.sleep(0.05)
    for reader in readers:
        reader.close()
    assert counts.pages()[0] == 40
    assert sum(share.fetches for share in counts.shares("status", 9)) == 40
    assert [reader.problem for reader in readers] == ["", ""]
    counts.close()


def test_a_collection_that_was_never_crawled_has_nothing(tmp_path: Path) -> None:
    assert counted(Collection.create(tmp_path / "c")) == NOTHING


def test_counts_that_are_damaged_are_counted_again(tmp_path: Path) -> None:
    collection = crawled(tmp_path, 5)
    (collection.path / FILE).write_bytes(b"this is no database" * 100)
    reader = LogReader(collection, collection.path / FILE)
    reader.catch_up()
    reader.close()
    assert reader.problem == ""
    assert (collection.path / FILE).read_bytes().startswith(b"SQLite format 3")


def test_counts_that_cannot_be_used_are_named_and_the_reader_says_so(tmp_path: Path) -> None:
    collection = crawled(tmp_path, 5)
    (collection.path / FILE).unlink(missing_ok=True)
    (collection.path / FILE).mkdir()
    reader = LogReader(collection, collection.path / FILE, every=0.01)
    reader.start()
    for _ in range(200):
        if reader.problem:
            break
        time.sleep(0.02)
    reader.close()
    assert FILE in reader.problem


def test_a_crawl_leaves_a_last_word_and_its_history(tmp_path: Path) -> None:
    collection = crawled(tmp_path)
    status = read_live_status(collection)
    assert status is not None
    assert status.ended == "nothing is left to fetch"
    assert status.metrics.done == 40
    assert status.fetching == ()
    assert read_history(collection.reports_folder)[-1].pages == 40


def test_looking_whether_a_crawl_runs_never_stops_one_from_starting(tmp_path: Path) -> None:
    collection = Collection.create(tmp_path / "c")
    assert not collection.is_locked()
    with collection.locked():
        assert collection.is_locked()
    with (collection.path / Collection.LOCK).open("rb"):
        assert not collection.is_locked()


def test_a_frontier_that_is_being_made_this_moment_is_no_error(tmp_path: Path) -> None:
    collection = Collection.create(tmp_path / "c")
    sqlite3.connect(collection.frontier_file).execute("PRAGMA journal_mode=WAL").close()
    assert read_status(collection).done == 0
    assert counted(collection) == NOTHING
