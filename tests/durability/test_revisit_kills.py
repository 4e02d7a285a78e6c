"""kill -9 while pages are visited again: nothing is lost, no record is broken, and the schedule goes on."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from tests.crawl.test_revisits import OFTEN, Changing
from tests.durability.small_web import collection_for, command, finish

from phasa.archive.damage import noted
from phasa.archive.reader import positions
from phasa.frontier.budgets import Budgets

KILLS = int(os.environ.get("PHASA_REVISIT_KILLS", "3"))


def test_kills_lose_no_page_no_record_and_no_date(tmp_path: Path) -> None:
    small = Changing()
    with small.serving():
        budgets = Budgets(free_disk_megabytes=0.0, idle_seconds=20.0)
        collection = collection_for(tmp_path / "c", small, fresh=OFTEN, budgets=budgets)
        for number in range(KILLS):
            before = len(small.arrivals)
            process = command("crawl", collection.path)
            end = time.monotonic() + 60
            while len(small.arrivals) < before + 20 + 7 * (number % 5) and time.monotonic() < end:
                time.sleep(0.02)
            assert process.poll() is None, process.communicate()
            process.send_signal(signal.SIGKILL)
            finish(process)
        before = len(small.arrivals)
        process = command("crawl", collection.path)
        end = time.monotonic() + 60
        while len(small.arrivals) < before + 30 and time.monotonic() < end:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        code, _, err = finish(process)
    assert code == 0, err
    with closing(sqlite3.connect(collection.frontier_file)) as db:
        states = dict(db.execute("SELECT state, count(*) FROM url GROUP BY state"))
        undated = db.execute(
            "SELECT count(*) FROM url u LEFT JOIN revisit r ON r.id = u.id WHERE u.state = 1 AND r.due IS NULL"
        ).fetchone()
        captured = {row[0] for row in db.execute("SELECT record FROM capture")}
        pages = db.execute("SELECT n FROM tally WHERE name = 'judged'").fetchone()[0]
    assert set(states) <= {0, 1}
    assert sum(states.values()) == 12
    assert undated == (0,)
    assert pages == 12
    with noted() as damage:
        records = {
            f"{p.name}:{at}" for p in collection.archive_folder.glob("*.warc.gz") for at, _, _ in positions(p, 0)
        }
    assert not list(damage)
    assert captured <= records
    assert not list(collection.archive_folder.glob("*.open"))


@pytest.mark.parametrize("said", ["304", "etag"])
def test_a_server_that_lies_is_asked_in_full_at_times(tmp_path: Path, said: str) -> None:
    """304 to every condition although pages change, or another ETag each time although they do not."""
    small = Liar(said)
    with small.serving():
        budgets = Budgets(free_disk_megabytes=0.0, idle_seconds=20.0)
        collection = collection_for(tmp_path / "c", small, fresh=OFTEN, budgets=budgets)
        process = command("crawl", collection.path)
        end = time.monotonic() + 60
        while len(small.arrivals) < 300 and time.monotonic() < end:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        finish(process)
    with closing(sqlite3.connect(collection.frontier_file)) as db:
        full = db.execute("SELECT count(*) FROM capture WHERE status = 200 AND change IS NOT NULL").fetchone()[0]
        changes = db.execute("SELECT count(*) FROM capture WHERE change > 0.1").fetchone()[0]
    if said == "304":
        assert full >= 4  # every ninth visit
        assert changes >= 1
    else:
        assert full > 100
        assert changes == 0


class Liar(Changing):
    """See the test. Whoever lies with ETags has pages that never change."""

    def __init__(self, said: str) -> None:
        super().__init__()
        self.said = said

    def answer(self, host: str, path: str):  # type: ignore[no-untyped-def]
        if self.said == "etag" and path != "/robots.txt":
            number = int(path.removeprefix("/p/").removesuffix(".html"))
            path = f"/p/{number}.html"
            text = super().answer(host, path).text or ""
            from aiohttp import web

            words = text if number % 3 else "<html><p>" + "ภาษาไทย " * 40 + text[text.index("</p>") :]
            return web.Response(text=words, content_type="text/html", headers={"ETag": f'"{len(self.arrivals)}"'})
        return super().answer(host, path)

    async def _serve(self, request):  # type: ignore[no-untyped-def]
        from aiohttp import web

        found = await super()._serve(request)
        if self.said == "304" and request.headers.get("If-None-Match"):
            return web.Response(status=304)
        return found if self.said == "304" or found.status != 304 else web.Response(status=500)
