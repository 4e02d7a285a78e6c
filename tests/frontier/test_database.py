"""The file of a frontier: files of the format before are brought up to date, others are refused."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from phasa.errors import CollectionError
from phasa.frontier.protocol import Offer, State
from phasa.frontier.sqlite import SqliteFrontier
from phasa.web.url import Url


def a_file_of_format_2(path: Path) -> None:
    """As an earlier phasa left it: one row for each entry of both indexes."""
    frontier = SqliteFrontier(path)
    frontier.offer([Offer(Url(f"http://h{n % 3}.example/{n}"), n / 10) for n in range(30)])
    frontier.close()
    with sqlite3.connect(path) as db:
        db.execute("DROP TABLE seen")
        db.execute("DROP TABLE queue")
        db.execute("CREATE TABLE seen(key INTEGER PRIMARY KEY, id INTEGER NOT NULL)")
        db.execute("CREATE TABLE queue(host INTEGER, rank REAL, id INTEGER, PRIMARY KEY(host, rank, id)) WITHOUT ROWID")
        db.execute("INSERT INTO seen SELECT key, id FROM url")
        db.execute("INSERT INTO queue SELECT host, -priority, id FROM url")
        db.execute("UPDATE meta SET value = 2 WHERE key = 'format'")
    db.close()


def test_a_file_of_the_format_before_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "frontier.db"
    a_file_of_format_2(path)
    frontier = SqliteFrontier(path)
    assert frontier.stats().waiting == 30
    assert frontier.states([Url("http://h0.example/3"), Url("http://h0.example/x")]) == [State.WAITING, None]
    assert [lease.url[-2:] for lease in frontier.lease(1e9, n=3)] == ["29", "28", "27"]
    frontier.close()


def test_a_format_that_is_not_known_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "frontier.db"
    SqliteFrontier(path).close()
    with sqlite3.connect(path) as db:
        db.execute("UPDATE meta SET value = 99 WHERE key = 'format'")
    db.close()
    with pytest.raises(CollectionError, match="format 99"):
        SqliteFrontier(path)
