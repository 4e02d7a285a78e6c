"""The index as one: keys, and what a crash leaves is completed from the URL table."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from phasa.frontier.database import Database
from phasa.frontier.index import Head, IndexOptions, NewUrl, UrlIndex, ids_of_host, next_key, url_keys

HOST = 5
URLS = [f"http://a.example/{n}" for n in range(6)]
KEYS = url_keys([HOST] * len(URLS), URLS)


@pytest.fixture
def db(tmp_path: Path) -> Database:
    return Database(tmp_path / "frontier.db")


def add(db: Database, index: UrlIndex, first: int, n: int) -> None:
    """URLs that wait, the later the better."""
    rows: list[NewUrl] = [
        (HOST, KEYS[id - 1], 0, float(id), 0, None, URLS[id - 1], None, None) for id in range(first, first + n)
    ]
    db.executemany(
        "INSERT INTO url(host, key, state, priority, depth, source, url, note, reason, attempts)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)",
        rows,
    )
    index.add(first, rows)


def test_the_keys_of_a_host_lie_side_by_side_and_follow_each_other_in_a_ring() -> None:
    others = url_keys([HOST - 1, HOST + 1], ["http://b.example/", "http://c.example/"])
    assert others[0] < min(KEYS) <= max(KEYS) < others[1]
    last = url_keys([HOST], [""], lambda url: -1)[0]
    assert next_key(last) == url_keys([HOST], [""], lambda url: 0)[0]


def test_memtable_and_file_answer_together(db: Database) -> None:
    index = UrlIndex(db.connection)
    add(db, index, 1, 3)
    index.merge()
    add(db, index, 4, 3)
    assert [index.find(key) for key in KEYS] == [1, 2, 3, 4, 5, 6]
    assert index.find_many([*KEYS, 1]) == dict(zip(KEYS, range(1, 7), strict=True))
    assert index.best(HOST) == Head(-6.0, 6)
    assert [head.id for head in index.waiting(HOST, 4)] == [6, 5, 4, 3]
    assert sorted(ids_of_host(db.connection, HOST)) == [1, 2, 3], "what is merged"
    index.change_ranks([(2, HOST, KEYS[1], -2.0, -9.0), (5, HOST, KEYS[4], -5.0, -8.0)])
    db.executemany("UPDATE url SET priority = ? WHERE id = ?", [(9.0, 2), (8.0, 5)])
    assert [head.id for head in index.waiting(HOST, 3)] == [2, 5, 6]
    assert index.take_queue(HOST) == [1, 2, 3, 4, 5, 6]
    assert index.best(HOST) is None


def test_a_merge_is_due_when_the_memtable_is_full(db: Database) -> None:
    index = UrlIndex(db.connection, options=IndexOptions(memtable=3))
    add(db, index, 1, 2)
    assert not index.merge_due
    add(db, index, 3, 1)
    assert index.merge_due
    index.merge()
    assert not index.merge_due


def test_what_a_crash_left_out_is_completed_and_said(db: Database, caplog: pytest.LogCaptureFixture) -> None:
    before = UrlIndex(db.connection)
    add(db, before, 1, 2)
    before.merge()
    add(db, before, 3, 4)  # in the memtable, and then the process dies
    after = UrlIndex(db.connection)
    with caplog.at_level(logging.INFO, logger="phasa.frontier"):
        assert after.recover(workers=2) == [(HOST, Head(-6.0, 6))]
    assert "4 were added after the last merge" in caplog.text
    assert [after.find(key) for key in KEYS] == [1, 2, 3, 4, 5, 6]
    caplog.clear()
    with caplog.at_level(logging.INFO, logger="phasa.frontier"):
        assert UrlIndex(db.connection).recover(workers=2) == []
    assert not caplog.text, "nothing to repair, nothing to say"
