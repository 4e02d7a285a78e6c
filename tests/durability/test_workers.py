"""Several workers on one collection: they find what one finds, and no host is asked by two of them."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest
from tests.durability.kills import done_urls
from tests.durability.small_web import SmallWeb, collection_for, command, finish
from tests.durability.test_kill import check_archive

from phasa.archive.cdxj import read_index
from phasa.web.url import Url, authority

_WORKER = re.compile(r"-(\d\d)\.warc\.gz$")


@pytest.mark.parametrize("workers", [3])
def test_workers_do_together_what_one_does_alone(tmp_path: Path, workers: int) -> None:
    small = SmallWeb(240, hosts=16)
    with small.serving():
        alone = collection_for(tmp_path / "alone", small)
        code, _, err = finish(command("crawl", alone.path, "--quiet"))
        assert code == 0, err
        small.arrivals.clear()
        together = collection_for(tmp_path / "together", small)
        code, _, err = finish(command("crawl", together.path, "--quiet", "--workers", str(workers)))
        assert code == 0, err
    assert done_urls(together) == done_urls(alone) == small.urls()
    asked = [f"{arrival.host}{arrival.path}" for arrival in small.arrivals]
    assert len(asked) == len(set(asked)), "nothing is fetched twice, robots.txt included"
    check_archive(together)
    owners: defaultdict[str, set[str]] = defaultdict(set)
    for entry in read_index(together.archive_folder):
        found = _WORKER.search(entry.filename)
        assert found is not None
        owners[authority(Url(entry.url))].add(found[1])
    assert all(len(numbers) == 1 for numbers in owners.values()), "a host has one owner"
    assert len(set.union(*owners.values())) > 1, "the work was shared"


def test_workers_learn_as_one_and_keep_one_order(tmp_path: Path) -> None:
    small = SmallWeb(120, hosts=16)
    with small.serving():
        collection = collection_for(tmp_path / "c", small, strategy="hybrid", tolerance=0.5)
        left = collection.models_folder / "workers" / "hybrid-07.sums"
        left.parent.mkdir(parents=True)
        left.write_bytes(bytes(8) + b"of a run with more workers: its sums are in the state already")
        code, _, err = finish(command("-v", "crawl", collection.path, "--quiet", "--workers", "3"))
    assert code == 0, err
    assert done_urls(collection) == small.urls()
    heard = re.findall(r"heard of (\d+) answers that came to other workers", err)
    assert len([number for number in heard if int(number) > 0]) == 3
    assert len(list((collection.models_folder / "workers").glob("hybrid-*.sums"))) == 3
    assert [path.name for path in collection.models_folder.glob("*.state")] == ["hybrid-00.state"]
