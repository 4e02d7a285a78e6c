"""After redirects, near duplicates, failures and a kill -9 the numbers agree: status, application, reports, log."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from aiohttp import web
from msgspec.structs import replace
from tests.durability.kills import kill_point
from tests.durability.small_web import QUICK, THAI, SmallWeb, collection_for
from tests.service.conftest import client_of

from phasa.collection import Collection
from phasa.crawl.run.counts import Counts
from phasa.crawl.run.crawl_log import Logged, read_log
from phasa.crawl.run.log_reader import LogReader
from phasa.crawl.run.reports import read_report
from phasa.crawl.run.runs import run_collection
from phasa.crawl.run.status import read_status
from phasa.frontier.protocol import NEAR_DUPLICATE

PAGES = 60


def rough(host: str, path: str) -> web.Response:
    """Of 60 addresses: every 7th moves, every 11th is gone, every 13th fails, every 5th repeats one page."""
    if path == "/robots.txt":
        return web.Response(text="")
    if path.startswith("/new/"):
        number = int(path.removeprefix("/new/"))
    else:
        number = int(path.removeprefix("/p/"))
        if number % 7 == 6:
            return web.Response(status=301, headers={"Location": f"/new/{number}"})
    if number % 11 == 10:
        return web.Response(status=404, text="gone")
    if number % 13 == 12:
        return web.Response(status=503, text="later")
    links = "".join(
        f'<a href="http://h{to % 4}.example/p/{to}">หน้า</a> ' for to in (2 * number + 1, 2 * number + 2) if to < PAGES
    )
    own = "same" if number % 5 == 4 else " ".join(f"{THAI[n:]}{chr(97 + (number * n) % 26)}" for n in range(0, 60, 6))
    words = (THAI * 5 if number % 5 == 4 else "") + own * (1 + number % 3 * (number % 5 != 4))
    return web.Response(text=f"<html><p>{words}</p>{links}</html>", content_type="text/html")


def last_lines(collection: Collection) -> dict[str, Logged]:
    return {line.url: line for line in read_log(collection.log_file)}


def check(collection: Collection) -> None:
    status = read_status(collection)
    lines = last_lines(collection)
    pages = [line for line in lines.values() if line.wanted is not None]
    copies = [line for line in pages if line.reason.startswith(NEAR_DUPLICATE.replace(" ", "_"))]
    assert len(pages) == status.pages
    assert sum(bool(line.wanted) for line in pages) == status.wanted
    assert len(copies) == status.near_duplicates

    def total(name: str, column: int) -> int:
        return sum(int(str(row[column])) for row in read_report(collection, name).rows)

    assert total("hosts", 1) == status.done
    assert total("hosts", 2) == total("languages", 2) == status.wanted
    assert total("languages", 1) == status.pages
    assert total("duplicates", 1) == status.near_duplicates
    assert total("dropped", 1) == status.dropped + status.quarantined
    by_status = Counter(str(line.status) for line in lines.values() if line.size or line.status)
    assert by_status == {str(row[0]): row[1] for row in read_report(collection, "status").rows if row[0]}

    counts_file = collection.path / "counts.db"
    LogReader(collection, counts_file).catch_up()
    counts = Counts(counts_file)
    assert counts.pages() == (status.pages, status.wanted)
    counts.close()
    with client_of(collection) as client:
        told = client.get("/api/crawl").json()
    assert {name: told[name] for name in ("done", "pages", "wanted", "waiting", "dropped", "near_duplicates")} == {
        name: getattr(status, name) for name in ("done", "pages", "wanted", "waiting", "dropped", "near_duplicates")
    }


@pytest.mark.parametrize(("point", "call"), [("after a record", 25), ("after a commit", 12)])
def test_the_numbers_agree_after_a_kill_and_at_the_end(tmp_path: Path, point: str, call: int) -> None:
    manners = replace(QUICK, backoff=0.05, tries=2)
    with SmallWeb(0, 4, rough).serving() as small:
        collection = collection_for(
            tmp_path / "c", small, seeds=["http://h0.example/p/0"], near_duplicates="count", politeness=manners
        )
        assert kill_point(collection.path, point, call)
        with collection.locked():
            run = run_collection(collection)
        check(collection)
    status = read_status(collection)
    assert status.near_duplicates > 3
    assert status.dropped > 1
    assert (run.metrics.pages, run.metrics.near_duplicates) == (status.pages, status.near_duplicates)
