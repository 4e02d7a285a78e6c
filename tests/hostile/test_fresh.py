"""Servers that lie about change: dates, ETags, 304 to everything, sitemaps. What was seen counts; `why` tells it."""

from __future__ import annotations

import signal
import time
from collections import Counter
from email.utils import formatdate

import pytest
from aiohttp import web
from tests.durability.small_web import THAI, SmallWeb, collection_for, command, finish
from tests.hostile.server import gzip_bomb

from phasa.collection import Collection
from phasa.crawl.run.explain import explain
from phasa.crawl.run.freshness import read_freshness
from phasa.crawl.run.status import read_status
from phasa.fresh_settings import FreshSettings
from phasa.frontier.budgets import Budgets
from phasa.frontier.scope import ScopeSettings
from phasa.frontiers import read_frontier
from phasa.web.url import Url

PER_SECOND = 40.0
NAMES = ("date", "etag", "same", "restless", "old")
FUTURE = "<urlset>" + "".join(f"<url><loc>/{name}</loc><lastmod>2999-01-0{n + 1}</lastmod></url>" for n, name in
                              enumerate(NAMES)) + "</urlset>"  # fmt: skip


class Liars(SmallWeb):
    """Each page on a host of its own, called as what it lies about."""

    def __init__(self) -> None:
        super().__init__(1, 1)
        self.asked: Counter[str] = Counter()
        self.full: Counter[str] = Counter()

    def was_tried(self) -> bool:
        """Whether every page was asked for often enough, and every sitemap, for its lie to have been found out."""
        files = all(self.asked[f"{name}/{file}"] for name in NAMES for file in ("sitemap.xml", "bomb.xml.gz"))
        return files and self.full["same"] >= 3 and min(self.asked[name] for name in NAMES) >= 8

    def text(self, name: str) -> str:
        if name == "restless":  # everything differs, at every request
            return "".join(chr(0x0E01 + (self.asked[name] * 7 + n * n) % 40) for n in range(600)) + THAI
        if name in ("same", "old"):  # rewritten from the fourth request on
            return THAI * 6 if self.asked[name] < 4 else ("ใหม่หมดทั้งหน้า ไม่เหมือนเดิม " * 30) + THAI
        return THAI * 6 + name

    async def _serve(self, request: web.BaseRequest) -> web.StreamResponse:
        host = request.host.partition(".")[0]
        self.asked[host + request.path.rstrip("/")] += 1
        if request.path == "/robots.txt":
            lines = "".join(f"Sitemap: http://{host}.example/{name}\n" for name in ("sitemap.xml", "bomb.xml.gz"))
            return web.Response(text=f"User-agent: *\n{lines}")
        if request.path == "/sitemap.xml":
            return web.Response(text=FUTURE, content_type="application/xml")
        if request.path == "/bomb.xml.gz":
            return web.Response(body=gzip_bomb(300), content_type="application/gzip")
        conditional = "If-None-Match" in request.headers or "If-Modified-Since" in request.headers
        headers = {}
        if host == "same":  # 304 to everything that allows it
            headers["ETag"] = '"always"'
            if conditional:
                return web.Response(status=304, headers=headers)
        elif host == "etag":
            headers["ETag"] = f'"{time.time()}"'
        elif host == "date":
            headers["Last-Modified"] = formatdate(time.time() + 3600, usegmt=True)
        elif host == "old":
            headers["Last-Modified"] = formatdate(0, usegmt=True)
        if request.path == "/":
            self.full[host] += 1
        html = f"<html><body><p>{self.text(host)}</p></body></html>"
        return web.Response(text=html, content_type="text/html", headers=headers)


@pytest.fixture(scope="module")
def lied(tmp_path_factory: pytest.TempPathFactory) -> tuple[Collection, Liars, float]:
    small = Liars()
    with small.serving():
        collection = collection_for(
            tmp_path_factory.mktemp("lies") / "c",
            small,
            seeds=[f"http://{name}.example/" for name in NAMES],
            scope=ScopeSettings(sitemaps=True),
            fresh=FreshSettings(requests_per_day=PER_SECOND * 86_400, least_hours=0.1 / 3600, discovery=0.1),
            budgets=Budgets(free_disk_megabytes=0.0, idle_seconds=20.0),
        )
        begun = time.monotonic()
        process = command("crawl", collection.path, "--quiet")
        while time.monotonic() < begun + 100 and not small.was_tried():
            time.sleep(0.05)
        enough = small.asked.total() + 2 * PER_SECOND  # the last of these files is read while others are asked for
        while time.monotonic() < begun + 110 and small.asked.total() < enough:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        code, _, err = finish(process)
        assert code == 0, err
    return collection, small, time.monotonic() - begun


def told(collection: Collection, name: str) -> tuple[str, ...]:
    """What `why` says of the visits that found a text, the latest ones."""
    return tuple(line for line in explain(collection, f"http://{name}.example/").captures if "changed" in line)


def changes(collection: Collection, name: str) -> int:
    """The visits of all that found a change."""
    with read_frontier(collection) as frontier:
        found = frontier.captures(Url(f"http://{name}.example/"), 10_000)
    assert found is not None
    return sum(bool(one.change) for one in found.captures)


@pytest.mark.parametrize("name", ["date", "etag"])
def test_a_date_or_an_etag_that_always_changes_is_no_change(lied: tuple[Collection, Liars, float], name: str) -> None:
    collection, small, _ = lied
    lines = told(collection, name)
    assert small.asked[name] > 3
    assert len(lines) > 2
    assert all(line.endswith(", unchanged") or ", unchanged  " in line for line in lines)


def test_304_to_everything_is_found_out_at_the_ninth_visit(lied: tuple[Collection, Liars, float]) -> None:
    collection, small, _ = lied
    assert small.full["same"] >= 2  # asked in full although the server said that nothing changed
    assert small.full["same"] < small.asked["same"] / 3
    assert changes(collection, "same")


def test_an_old_date_does_not_hide_a_change(lied: tuple[Collection, Liars, float]) -> None:
    collection, *_ = lied
    assert changes(collection, "old") == 1


def test_a_page_that_differs_at_every_request_is_bounded_and_told(lied: tuple[Collection, Liars, float]) -> None:
    collection, small, seconds = lied
    assert all("of its text changed" in line for line in told(collection, "restless"))
    assert sum(small.asked[name] for name in NAMES) <= PER_SECOND * seconds + 20
    assert explain(collection, "http://restless.example/").next_visit


def test_sitemaps_of_the_future_and_bombs_cost_one_file_each(lied: tuple[Collection, Liars, float]) -> None:
    collection, *_ = lied
    future = explain(collection, "http://date.example/sitemap.xml")
    assert future.state in ("done", "waiting")
    bombs = [line for line in (collection.path / "crawl.log").read_text().splitlines() if "date.example/bomb" in line]
    assert bombs
    assert all("sitemap_of_0_addresses" in line for line in bombs)
    assert not any("its sitemap said" in line for name in NAMES for line in told(collection, name))
    assert read_status(collection).wanted >= len(NAMES)
    assert read_freshness(collection).up_to_date is not None
