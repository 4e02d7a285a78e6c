"""A crawl ships its files while it runs; storage that is away never stops it, and nothing is lost meanwhile."""

from __future__ import annotations

import itertools
import json
import threading
import time
from pathlib import Path

import pytest
from tests.archive.s3 import write_archive
from tests.cli.test_crawl import phasa
from tests.durability.small_web import SmallWeb, collection_for

from phasa.archive.manifest import read_manifest
from phasa.archive.reader import read_archive
from phasa.archive.shipping import verify
from phasa.archive.storage_settings import StorageSettings
from phasa.collection import Collection
from phasa.crawl.run import shipping
from phasa.crawl.run.runs import run_collection
from phasa.crawl.run.shipping import read_trouble
from phasa.crawl.run.status import read_status
from phasa.errors import SettingsError
from phasa.frontier.budgets import Budgets

PAGES = 60


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipping, "_LOOK", 0.05)
    monkeypatch.setattr(shipping, "_FIRST_PAUSE", 0.05)


def crawl(collection: Collection, workers: int = 1) -> None:
    with collection.locked():
        run_collection(collection, workers=workers)


def local(collection: Collection) -> list[str]:
    return [path.name for path in collection.archive_folder.glob("*.warc.gz*") if path.suffix != ".cdxj"]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_crawl_ships_what_it_finishes_and_reads_it_back(
    tmp_path: Path, workers: int, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "storage").mkdir()
    small = SmallWeb(PAGES, hosts=6)
    with small.serving():
        storage = StorageSettings(url=f"file:{tmp_path}/storage", keep_local=False)
        collection = collection_for(tmp_path / "c", small, storage=storage)
        crawl(collection, workers)
        assert local(collection) == []
        assert len(read_manifest(collection.archive_folder)) > 1
        assert {stored.url for stored in read_archive(collection.archive_folder)} >= small.urls()
        before = len(small.arrivals)
        crawl(collection, workers)
        asked = [one for one in small.arrivals[before:] if one.path != "/robots.txt"]
        assert asked == [], "a resumed crawl knows what storage has"
    status = read_status(collection)
    assert (status.done, status.pages_not_shipped) == (PAGES, 0)
    assert status.storage.endswith(" 0 waiting")
    code, _, _ = phasa(capsys, "export", collection.path, "--to", "jsonl", "-o", tmp_path / "out.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert (code, {line["url"] for line in lines}) == (0, small.urls())
    assert {one.problem for one in verify(collection.archive_folder)} == {""}


def test_storage_that_is_away_stops_nothing_and_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    small = SmallWeb(PAGES, hosts=6)
    with small.serving():
        storage = StorageSettings(url=f"file:{tmp_path}/storage", keep_local=False, durable="shipped")
        collection = collection_for(tmp_path / "c", small, storage=storage)
        crawl(collection)
        files = local(collection)
        assert len(files) > 1
        trouble = read_trouble(collection)
        assert trouble is not None
        assert trouble.what == f"storage file:{tmp_path}/storage: there is no such folder; make it, or mount its disk"
        said = [record.getMessage() for record in caplog.records if trouble.what in record.getMessage()]
        assert len(said) == 1, "the log says it once, not at every try"
        code, out, _ = phasa(capsys, "status", collection.path)
        assert code == 0
        assert "no such folder" in out
        assert f"{len(files)} waiting; fails since" in out
        kept = sum(1 for _ in read_archive(collection.archive_folder))
        assert read_status(collection).pages_not_shipped == kept >= PAGES
        (tmp_path / "storage").mkdir()
        crawl(collection)
    assert (local(collection), read_trouble(collection)) == ([], None)
    assert sum(1 for _ in read_archive(collection.archive_folder)) == kept
    assert read_status(collection).pages_not_shipped == 0


def test_a_crawl_goes_on_while_the_storage_of_its_files_is_away(tmp_path: Path) -> None:
    (tmp_path / "storage").mkdir()
    small = SmallWeb(PAGES, hosts=6)
    with small.serving():
        storage = StorageSettings(url=f"file:{tmp_path}/storage", keep_local=False)
        collection = collection_for(tmp_path / "c", small, storage=storage, budgets=Budgets(pages=PAGES // 2))
        crawl(collection)
        assert local(collection) == []
        (tmp_path / "storage").rename(tmp_path / "away")
        whole = collection.with_settings(budgets=Budgets(idle_seconds=20.0, free_disk_megabytes=0.0))
        crawl(whole)
        assert read_status(collection).done == PAGES
        assert read_trouble(collection) is not None
        (tmp_path / "away").rename(tmp_path / "storage")
        crawl(whole)
    assert (local(collection), read_trouble(collection)) == ([], None)
    kept = [stored.url for stored in read_archive(collection.archive_folder) if "/p/" in stored.url]
    assert sorted(kept) == sorted(small.urls())


def test_tries_come_at_growing_pauses_and_end_with_the_crawl(tmp_path: Path) -> None:
    made = Collection.create(tmp_path / "c")
    made.archive_folder.mkdir()
    collection = made.with_settings(storage=StorageSettings(url=f"file:{tmp_path}/storage", retry_seconds=0.2))
    tries: list[float] = []
    seen: set[int] = set()
    with shipping.shipping(collection):
        while len(tries) < 5:
            one = read_trouble(collection)
            if one is not None and one.tries not in seen:
                seen.add(one.tries)
                tries.append(one.again)
            time.sleep(0.005)
    last = read_trouble(collection)
    assert last is not None
    pauses = [after - before for before, after in itertools.pairwise(tries)]
    assert pauses[0] >= 0.1
    assert pauses[-1] >= 0.2, "they double up to the setting"


def test_storage_that_can_never_be_is_refused_before_the_crawl(tmp_path: Path) -> None:
    small = SmallWeb(3, hosts=1)
    with small.serving():
        collection = collection_for(tmp_path / "c", small, storage=StorageSettings(url="webdav://x/y"))
        with pytest.raises(SettingsError, match=r"neither s3://bucket/prefix nor file:/path"):
            crawl(collection)
    assert small.arrivals == []


def test_without_storage_nothing_is_said_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    collection = Collection.create(tmp_path / "c")
    status = read_status(collection)
    assert (status.storage, status.pages_not_shipped) == ("", None)
    assert "\nstorage" not in phasa(capsys, "status", collection.path)[1]


def test_a_file_that_is_finished_at_the_very_end_is_shipped_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "storage").mkdir()
    made = Collection.create(tmp_path / "c")
    made.archive_folder.mkdir()
    collection = made.with_settings(storage=StorageSettings(url=f"file:{tmp_path}/storage"))
    looked = threading.Event()
    look = shipping._Job._round

    def slow(self: shipping._Job, pause: float) -> bool:
        taken = look(self, pause)
        looked.set()
        self._ending.wait(30)  # it is still at work when the crawl ends
        return taken

    monkeypatch.setattr(shipping._Job, "_round", slow)
    with shipping.shipping(collection):
        assert looked.wait(30)
        write_archive(collection.archive_folder, 3)
    assert [row.records for row in read_manifest(collection.archive_folder).values()] == [3]
