"""What is said, in one line, when a server or what is on it cannot be used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from phasa.errors import CollectionError, SettingsError
from phasa.frontier.postgres import members
from phasa.frontier.postgres.address import parse_address
from phasa.frontier.postgres.database import PostgresDatabase, in_dollars
from phasa.frontier.postgres.frontier import Member, PostgresFrontier
from phasa.frontier.postgres.reader import PostgresReader
from phasa.frontier.protocol import Ending, Offer, State, Visit
from phasa.web.url import Url


def opened(address: str) -> PostgresFrontier:
    return PostgresFrontier(address, member=Member("here"))


def line_of(address: str) -> str:
    with pytest.raises(CollectionError) as caught:
        opened(address)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_marks_become_dollars() -> None:
    assert in_dollars("UPDATE t SET a = ?, b = ? WHERE c = ?") == "UPDATE t SET a = $1, b = $2 WHERE c = $3"
    assert in_dollars("SELECT ?2, ?1, ?2") == "SELECT $2, $1, $2"


def test_a_password_is_never_shown() -> None:
    address = parse_address("postgresql://me:secret@db.example:5433/crawl?schema=th")
    assert (address.schema, address.shown) == ("th", "postgresql://db.example:5433/crawl#th")
    assert "schema" not in address.target


@pytest.mark.parametrize("text", ["mysql://a/b", "postgresql://a/b?schema=Th;drop", "postgresql://a/b?nonsense=1"])
def test_an_address_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="setting 'frontier'"):
        parse_address(text)


def test_a_server_that_is_not_there() -> None:
    assert "cannot be reached" in line_of("postgresql://me@127.0.0.1:1/db")


def test_a_database_that_is_not_there(postgres_server: str) -> None:
    assert "createdb" in line_of(postgres_server.replace("/postgres?", "/nowhere?"))


def test_a_wrong_password(postgres_server: str) -> None:
    db = PostgresDatabase(f"{postgres_server}&schema=admin")
    (hba,) = db.execute("SHOW hba_file").fetchone()
    db.execute("DROP ROLE IF EXISTS guarded")
    db.execute("CREATE ROLE guarded LOGIN PASSWORD 'right'")
    before = Path(hba).read_text(encoding="utf-8")
    try:
        Path(hba).write_text(f"local all guarded scram-sha-256\n{before}", encoding="utf-8")
        db.execute("SELECT pg_reload_conf()")
        wrong = line_of(postgres_server.replace("postgres:@", "guarded:wrong@"))
        assert "user name or password is wrong" in wrong
        assert "wrong@" not in wrong
    finally:
        Path(hba).write_text(before, encoding="utf-8")
        db.execute("SELECT pg_reload_conf()")
        db.close()


def test_a_read_only_database(postgres_server: str, postgres: str) -> None:
    opened(postgres).close()
    assert "read-only" in line_of(f"{postgres}&options=-cdefault_transaction_read_only%3Don")


def test_tables_of_a_newer_phasa(postgres: str) -> None:
    frontier = opened(postgres)
    frontier._db.execute("UPDATE meta SET value = '99' WHERE key = 'format'")
    frontier.close()
    assert "format 99" in line_of(postgres)
    assert "install the newer phasa" in line_of(postgres)
    with pytest.raises(CollectionError, match="format 99"):
        PostgresReader(postgres)


@pytest.mark.parametrize("form", [1, 2, 3])
def test_tables_of_an_older_phasa_are_brought_up_to_date(postgres: str, form: int) -> None:
    frontier = opened(postgres)
    frontier.offer([Offer(Url("http://a.example/"))])
    frontier.commit()
    if form == 2:
        frontier._db.execute("CREATE TABLE folder(folder bigint, id bigint, PRIMARY KEY (folder, id))")
    frontier._db.execute("DROP TABLE report, allowance")
    frontier._db.execute(f"UPDATE meta SET value = '{form}' WHERE key = 'format'")
    frontier.close()
    again = opened(postgres)
    assert again.stats().waiting == 1
    assert again._db.meta("format") == 4
    assert again._db.execute("SELECT to_regclass('folder')").fetchone() == (None,)
    assert again._db.execute("SELECT count(*) FROM report").fetchone() == (0,)
    assert again._db.execute("SELECT count(*) FROM allowance").fetchone() == (0,)
    again.close()


def test_a_worker_with_an_older_phasa(postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    running = PostgresFrontier(postgres, member=Member("m0", 0, 2, shared=True))
    monkeypatch.setattr(members, "__version__", "0.0.1")
    with pytest.raises(CollectionError, match="install the same on all machines"):
        PostgresFrontier(postgres, member=Member("m1", 1, 2, shared=True))
    running.close()


def test_a_connection_that_is_cut_ends_the_process_in_one_line(postgres: str) -> None:
    frontier = opened(postgres)
    frontier.offer([Offer(Url("http://a.example/"))])
    (lease,) = frontier.lease(0.0)
    other = PostgresDatabase(postgres)
    other.execute("SELECT pg_terminate_backend(?)", (frontier._server.connection.info.backend_pid,))
    frontier.finish(lease, Ending(State.DONE, "200"))
    with pytest.raises(CollectionError, match=r"closed the connection|cannot be reached"):
        frontier.commit()
    frontier.close()
    other.close()
    again = opened(postgres)
    assert again.states([lease.url]) == [State.WAITING], "nothing of it was written"
    again.close()


def test_zero_bytes_of_servers_are_left_out(postgres: str) -> None:
    frontier = opened(postgres)
    frontier.offer([Offer(Url("http://a.example/"))])
    (lease,) = frontier.lease(0.0)
    frontier.finish(lease, Ending(State.DONE, "2\x0000", visit=Visit(1.0, 200, "text/\0html")))
    frontier.commit()
    story = frontier.story(lease.url)
    assert story is not None
    assert story.visit is not None
    assert (story.reason, story.visit.mime) == ("200", "text/html")
    frontier.close()


def test_what_was_never_crawled_reads_as_nothing(postgres: str) -> None:
    with PostgresReader(postgres) as reader:
        assert not reader.begun
        assert reader.totals().waiting == 0
        assert reader.story(Url("http://a.example/")) is None


def test_nobody_who_names_no_server_imports_its_libraries() -> None:
    parts = "phasa.api, phasa.cli.group, phasa.frontiers, phasa.crawl.run.runs, phasa.cli.fleet, phasa.cli.frontier"
    check = f"import sys, {parts}; print([name for name in ('psycopg', 'ray', 'obstore') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
