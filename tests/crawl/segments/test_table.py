"""Segments as `phasa status` and `phasa why` show them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.test_crawl import phasa
from tests.durability.small_web import SmallWeb, collection_for

from phasa.collection import Collection
from phasa.crawl.run.segment_table import segment_row, segment_table
from phasa.frontier.protocol import Offer
from phasa.frontier.sqlite import SqliteFrontier
from phasa.web.url import Url


@pytest.fixture
def crawled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    small = SmallWeb(24, hosts=3)
    with small.serving():
        path = collection_for(tmp_path / "c", small).path
        code, _, errors = phasa(capsys, "crawl", path, "--strategy", "best-segment", "--pages", "12", "--quiet")
    assert code == 0, errors
    return path


def test_the_table_has_what_the_crawl_did(crawled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = segment_table(Collection.open(crawled), -1)
    assert sum(row.pages for row in rows) == 12
    assert rows == sorted(rows, key=lambda row: -row.wanted)
    assert all(row.degree == row.wanted / row.pages for row in rows if row.pages)
    assert {row.state for row in rows} <= {"new", "queued", "crawling", "done", "abandoned", "discarded", "open"}
    assert any(row.state in ("crawling", "done", "abandoned") for row in rows)
    code, out, _ = phasa(capsys, "status", crawled, "--report", "segments", "--limit", "2", "--json")
    shown = json.loads(out)
    assert code == 0
    assert [row["segment"] for row in shown] == [row.segment for row in rows[:2]]
    assert set(shown[0]) == {"segment", "state", "degree", "pages", "wanted", "pending", "score", "run"}


def test_why_tells_of_the_segment(crawled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seed = Collection.open(crawled).seeds()[0]
    _, out, _ = phasa(capsys, "why", crawled, seed, "--json")
    told = json.loads(out)["segment"]
    assert "relevance degree" in told
    assert "waiting" in told


def test_one_segment_is_counted_as_in_the_table(tmp_path: Path) -> None:
    collection = collection_for(tmp_path / "c", SmallWeb(4, hosts=1))
    names = ["a/1", "a/2?x=/y/", "a/b/3", "ab/4", "", "a/"]
    urls = [f"http://{who}h{host}.example/{name}" for host in (1, 2) for name in names for who in ("", "me:secret@")]
    frontier = SqliteFrontier(collection.frontier_file)
    frontier.offer([Offer(Url(url), 0.5, 0) for url in urls[:14]])
    frontier.close()
    frontier = SqliteFrontier(collection.frontier_file)
    frontier.offer([Offer(Url(url), 0.5, 0) for url in urls])
    rows = segment_table(collection, -1)
    assert sum(row.pending for row in rows) == len(urls)
    assert [segment_row(collection, row.segment + "new.html") for row in rows] == rows
    frontier.close()
    assert [segment_row(collection, row.segment) for row in rows] == rows


def test_a_large_segment_is_counted_from_a_part_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("phasa.crawl.run.segment_table.MOST_READ", 5)
    collection = collection_for(tmp_path / "c", SmallWeb(4, hosts=1))
    frontier = SqliteFrontier(collection.frontier_file)
    frontier.offer([Offer(Url(f"http://h.example/a/{number}"), 0.5, 0) for number in range(20)])
    frontier.offer([Offer(Url(f"http://h.example/b/{number}"), 0.5, 0) for number in range(5)])
    large, small = (segment_row(collection, f"http://h.example/{name}/1") for name in "ab")
    frontier.close()
    assert large is not None
    assert (large.pending, large.part) == (5, True)
    assert large.summary.endswith("5 waiting among its first 5 addresses")
    assert small is not None
    assert (small.pending, small.part) == (5, False)


def test_a_segment_that_nobody_saw_has_no_row(crawled: Path) -> None:
    assert segment_row(Collection.open(crawled), "http://nowhere.example/a/") is None
    assert segment_row(Collection.open(crawled), "no address") is None


def test_before_the_first_crawl_there_are_none(tmp_path: Path) -> None:
    collection = collection_for(tmp_path / "c", SmallWeb(4, hosts=1))
    assert segment_table(collection) == []
    assert segment_row(collection, "http://h0.example/") is None
