"""The same crawl on frontier.db and on a PostgreSQL server: the same pages in the same order, the same answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.durability.small_web import SmallWeb, collection_for, command, finish

from phasa.collection import Collection
from phasa.crawl.run.explain import explain
from phasa.crawl.run.reports import read_report
from phasa.crawl.run.runs import run_collection
from phasa.crawl.run.status import read_status
from phasa.frontier.postgres.frontier import PostgresFrontier
from phasa.frontier.reader import REPORTS
from phasa.frontier.stored import StoredFrontier

STRICT: dict[str, Any] = {"connections": 1, "tolerance": 1.0, "strategy": "best-first"}


def crawl(collection: Collection, workers: int = 1) -> None:
    with collection.locked():
        run_collection(collection, workers=workers)


def test_one_worker_on_postgres_does_what_one_on_sqlite_does(
    tmp_path: Path, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(StoredFrontier, "PATIENCE", 0.0)  # what a page links to competes at once, however fast we are
    small = SmallWeb(150, hosts=12)
    with small.serving():
        one = collection_for(tmp_path / "one", small, **STRICT)
        crawl(one)
        order = [arrival[1:] for arrival in small.arrivals]
        small.arrivals.clear()
        two = collection_for(tmp_path / "two", small, frontier=postgres, **STRICT)
        crawl(two)
    assert [arrival[1:] for arrival in small.arrivals] == order
    assert len(order) >= 150
    assert not two.frontier_file.exists()
    for name in REPORTS:
        assert sorted(map(str, read_report(one, name).rows)) == sorted(map(str, read_report(two, name).rows)), name
    ours, theirs = read_status(one), read_status(two)
    assert (theirs.done, theirs.pages, theirs.wanted, theirs.hosts) == (ours.done, ours.pages, ours.wanted, ours.hosts)
    address = small.url(77)
    assert explain(two, address).found_on == explain(one, address).found_on
    assert len(two.log_file.read_text().splitlines()) == len(one.log_file.read_text().splitlines())


def test_several_workers_of_one_machine_share_a_server(tmp_path: Path, postgres: str) -> None:
    small = SmallWeb(120, hosts=16)
    with small.serving():
        collection = collection_for(tmp_path / "c", small, frontier=postgres)
        code, _, err = finish(command("crawl", collection.path, "--quiet", "--workers", "2"))
        assert code == 0, err
        assert "not crawled yet" not in finish(command("status", collection.path))[1]
    asked = [f"{arrival.host}{arrival.path}" for arrival in small.arrivals]
    assert len(asked) == len(set(asked)), "nothing is fetched twice"
    assert read_status(collection).done == 120
    assert len({path.name[-10:] for path in collection.archive_folder.glob("*.warc.gz")}) == 2


@pytest.mark.parametrize("words", [["crawl"], ["status"], ["why", "http://h0.example/p/0.html"]])
def test_a_server_that_does_not_answer_is_one_line(tmp_path: Path, words: list[str]) -> None:
    small = SmallWeb(1, hosts=1)
    collection = collection_for(tmp_path / "c", small, frontier="postgresql://me@127.0.0.1:1/db")
    code, _, err = finish(command(words[0], collection.path, *words[1:]))
    assert code == 1
    assert "cannot be reached" in err
    assert len(err.strip().splitlines()) == 1


def test_before_every_request_it_is_asked_whether_the_sites_are_still_ours(
    tmp_path: Path, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = SmallWeb(60, hosts=6)
    looks: list[int] = []
    real = PostgresFrontier.assure

    def assure(frontier: PostgresFrontier) -> None:
        looks.append(len(small.arrivals))
        real(frontier)

    monkeypatch.setattr(PostgresFrontier, "assure", assure)
    with small.serving():
        crawl(collection_for(tmp_path / "c", small, frontier=postgres, **STRICT))
    # Once when the address of a page is known, and once when a connection is there, for robots.txt files too.
    assert len(looks) >= 60 + len(small.arrivals)
