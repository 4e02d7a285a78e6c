"""Hosts, segments and levels counted beside a crawl: the same numbers as a count of everything."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from pathlib import Path

import pytest
from tests.durability.small_web import SmallWeb, collection_for

from phasa.collection import Collection
from phasa.crawl.run.history import read_history
from phasa.crawl.run.live_status import read_live_status
from phasa.crawl.run.runs import run_collection
from phasa.crawl.run.shadow import Level
from phasa.crawl.run.status import read_status
from phasa.crawl.run.summary import FILE, Summary


def crawled(path: Path, pages: int = 40, *, runs: int = 1) -> Collection:
    small = SmallWeb(pages, hosts=4)
    with small.serving():
        collection = collection_for(path / "c", small, archive=False)
        with collection.locked():
            run_collection(collection)
    return collection


def counted(collection: Collection) -> tuple[object, ...]:
    with Summary(collection) as summary:
        while not summary.follow():
            pass
        return summary.hosts(), summary.segments(), summary.levels(), summary.wanted_hosts(), summary.progress()


def test_everything_is_counted_from_the_log(tmp_path: Path) -> None:
    collection = crawled(tmp_path)
    hosts, segments, levels, wanted_hosts, progress = counted(collection)
    assert isinstance(hosts, list)
    assert {host.name: host.pages for host in hosts} == {f"h{n}.example": 10 for n in range(4)}
    assert {segment.name for segment in segments} == {f"http://h{n}.example/p/" for n in range(4)}  # type: ignore[attr-defined]
    now = read_status(collection)
    assert sum(host.wanted for host in hosts) == now.wanted
    assert sum(host.bytes for host in hosts) == pytest.approx(now.megabytes * 1e6)
    assert isinstance(levels, list)
    assert levels[0] == Level(0, 1, 1, 1, 0)  # the seed is in English
    assert sum(level.known for level in levels) == 40
    assert sum(level.judged for level in levels) == 40
    assert wanted_hosts == (4, 0, 0)
    assert progress == 1.0
    languages = Counter[str]()
    for host in hosts:
        for share in host.languages:
            languages[share.language] += share.pages
        assert sum(share.share for share in host.languages) == pytest.approx(1.0)
    assert languages == {"th": now.wanted, "en": 40 - now.wanted}


def test_without_a_log_the_frontier_says_the_same(tmp_path: Path) -> None:
    collection = crawled(tmp_path)
    from_log = counted(collection)
    (collection.reports_folder / FILE).unlink()
    collection.log_file.unlink()
    assert counted(collection) == from_log


@pytest.mark.parametrize("damage", ["torn", "cut", "foreign", "doubled"])
def test_a_damaged_log_is_found_out_when_nothing_runs(tmp_path: Path, damage: str) -> None:
    collection = crawled(tmp_path)
    whole = counted(collection)
    (collection.reports_folder / FILE).unlink()
    log = collection.log_file.read_bytes()
    collection.log_file.write_bytes(
        {"torn": log[:-100], "cut": log[500:], "foreign": b"what is this\n" * 50, "doubled": log + log}[damage]
    )
    assert counted(collection) == whole


def test_a_log_that_was_put_away_does_not_lose_what_was_counted(tmp_path: Path) -> None:
    collection = crawled(tmp_path)
    whole = counted(collection)
    collection.log_file.write_bytes(b"")
    assert counted(collection) == whole


def test_reading_on_counts_only_what_is_new(tmp_path: Path) -> None:
    collection = crawled(tmp_path)
    log = collection.log_file.read_bytes().splitlines(keepends=True)
    collection.log_file.write_bytes(b"".join(log[:15]))
    with collection.locked(), Summary(collection) as summary:  # a crawl is running
        assert summary.follow(5.0)
        assert summary.pages() < 40
        with collection.log_file.open("ab") as file:
            file.write(b"".join(log[15:30]) + log[30][:20])
        assert summary.follow(5.0)
        with collection.log_file.open("ab") as file:
            file.write(log[30][20:] + b"".join(log[31:]))
        assert summary.follow(5.0)
        assert summary.pages() == 40


def test_a_collection_that_was_never_crawled_has_nothing(tmp_path: Path) -> None:
    collection = Collection.create(tmp_path / "c")
    assert counted(collection) == ([], [], [], (0, 0, 0), 1.0)


def test_a_collection_that_may_only_be_read_is_counted_in_memory(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere; run the tests as another user to run this one")
    collection = crawled(tmp_path)
    collection.reports_folder.chmod(0o500)
    try:
        assert counted(collection)[-1] == 1.0
    finally:
        collection.reports_folder.chmod(0o700)


def test_a_crawl_leaves_a_last_word_and_its_history(tmp_path: Path) -> None:
    collection = crawled(tmp_path)
    bulletin = read_live_status(collection)
    assert bulletin is not None
    assert bulletin.ended == "nothing is left to fetch"
    assert bulletin.metrics.done == 40
    assert bulletin.fetching == ()
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
    assert counted(collection) == ([], [], [], (0, 0, 0), 1.0)
