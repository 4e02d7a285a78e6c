"""A crawl that ships and lets its local copies go is killed again and again: no page is lost, none is there twice."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from tests.durability.small_web import SmallWeb, collection_for, command, finish

from phasa.archive.damage import noted
from phasa.archive.manifest import read_manifest
from phasa.archive.reader import read_archive
from phasa.archive.shipping import verify
from phasa.archive.storage_settings import StorageSettings
from phasa.crawl.run.status import read_status

PAGES = 90


@pytest.mark.parametrize("workers", [1, 2])
def test_kills_at_any_moment_lose_no_page_and_no_file(tmp_path: Path, workers: int) -> None:
    (tmp_path / "storage").mkdir()
    random = Random(workers)
    small = SmallWeb(PAGES, hosts=6, seconds=0.05)
    words = ["--workers", str(workers), "--quiet"]
    with small.serving():
        storage = StorageSettings(url=f"file:{tmp_path}/storage", keep_local=False)
        collection = collection_for(tmp_path / "c", small, storage=storage, connections=4)
        for number in range(1, 4):
            process = command("crawl", collection.path, *words)
            # Some way into what is left, wherever that is: in a fetch, a commit, an upload or a removal.
            until, deadline = len(small.arrivals) + random.randrange(5, PAGES // 4), time.monotonic() + 60
            while process.poll() is None and len(small.arrivals) < until and time.monotonic() < deadline:
                time.sleep(0.01)
            time.sleep(random.random() / number)
            process.kill()
            process.communicate(timeout=60)
        code, out, err = finish(command("crawl", collection.path, *words))
    assert code == 0, (out, err)
    status = read_status(collection)
    assert (status.done, status.waiting, status.pages_not_shipped) == (PAGES, 0, 0)
    with noted() as damage:
        kept = Counter(stored.url for stored in read_archive(collection.archive_folder) if stored.status == 200)
    assert not damage
    assert {url for url in kept if "/p/" in url} == small.urls()
    assert [url for url, times in kept.items() if "/p/" in url and times > 1] == []
    assert {one.problem for one in verify(collection.archive_folder)} == {""}
    stored = {path.name for path in (tmp_path / "storage").iterdir()}
    assert stored == {
        f"{name}{end}" for name in read_manifest(collection.archive_folder) for end in ("", ".cdxj", ".json")
    }
    assert list(collection.archive_folder.glob("*.warc.gz*")) == []
