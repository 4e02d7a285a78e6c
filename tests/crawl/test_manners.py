"""Manners, as a server on the loopback sees them: it writes down when each request arrives."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from aiohttp import web
from tests.durability.small_web import QUICK, SmallWeb, collection_for

from phasa.archive_settings import ArchiveSettings
from phasa.crawl.run.runs import Run, run_collection
from phasa.frontier.politeness import Politeness

HTML = "text/html"


def run(path: Path, small: SmallWeb, manners: Politeness, seeds: list[str] | None = None) -> Run:
    collection = collection_for(path / "c", small, politeness=manners, seeds=seeds, archive=ArchiveSettings(keep=False))
    with collection.locked():
        return run_collection(collection)


def gaps(small: SmallWeb, host: str = "") -> list[float]:
    """Seconds between arrivals, at one host or at the one address that all hosts have."""
    times = [arrival.time for arrival in small.arrivals if host in ("", arrival.host)]
    return [later - earlier for earlier, later in pairwise(times)]


def test_a_host_is_left_alone_between_two_requests(tmp_path: Path) -> None:
    small = SmallWeb(12, hosts=3)
    with small.serving():
        run(tmp_path, small, Politeness(delay=0.3, address_delay=0.0))
    assert {arrival.path for arrival in small.arrivals if arrival.host == "h0.example"} >= {"/robots.txt", "/p/0.html"}
    for host in range(3):
        assert min(gaps(small, f"h{host}.example")) >= 0.3, "robots.txt counts as a request"


def test_an_address_is_left_alone_whatever_the_host_names(tmp_path: Path) -> None:
    small = SmallWeb(16, hosts=8, seconds=0.02)
    with small.serving():
        run(tmp_path, small, Politeness(delay=0.0, address_delay=0.1))
    assert len(small.arrivals) == 16 + 8
    assert min(gaps(small)) >= 0.1
    assert small.most_open == 1


def test_robots_rules_and_crawl_delay_are_obeyed(tmp_path: Path) -> None:
    def answer(host: str, path: str) -> web.Response:
        if path == "/robots.txt":
            return web.Response(text="User-agent: phasa\nDisallow: /private/\nCrawl-delay: 0.5\n")
        return web.Response(
            text='<a href="/private/x">x</a><a href="/open/1">1</a><a href="/open/2">2</a>', content_type=HTML
        )

    small = SmallWeb(1, hosts=1, handler=answer)
    with small.serving():
        run(tmp_path, small, Politeness(delay=0.1, address_delay=0.0), seeds=["http://h0.example/open/0"])
    assert [arrival.path for arrival in small.arrivals] == ["/robots.txt", "/open/0", "/open/1", "/open/2"]
    assert min(gaps(small)) >= 0.5


def test_retry_after_is_obeyed(tmp_path: Path) -> None:
    asked: list[str] = []

    def answer(host: str, path: str) -> web.Response:
        asked.append(path)
        if path == "/robots.txt":
            return web.Response(status=404)
        if len(asked) == 2:
            return web.Response(status=503, headers={"Retry-After": "1"})
        return web.Response(text="<p>here</p>", content_type=HTML)

    small = SmallWeb(1, hosts=1, handler=answer)
    with small.serving():
        result = run(tmp_path, small, QUICK)
    assert result.metrics.done == 1
    assert gaps(small)[1] >= 1.0


def test_errors_make_the_crawler_stand_back(tmp_path: Path) -> None:
    def answer(host: str, path: str) -> web.Response:
        if path == "/robots.txt":
            return web.Response(text="")
        return web.Response(status=503)

    small = SmallWeb(1, hosts=1, handler=answer)
    with small.serving():
        result = run(tmp_path, small, Politeness(delay=0.0, address_delay=0.0, backoff=0.25, tries=4))
    assert result.metrics.done == 0
    assert result.metrics.dropped == 1
    for gap, least in zip(gaps(small)[1:], (0.25, 0.5, 1.0), strict=True):
        assert gap >= least


def test_a_server_without_rules_to_give_is_asked_again_later_and_then_given_up(tmp_path: Path) -> None:
    small = SmallWeb(1, hosts=1, handler=lambda host, path: web.Response(status=500))
    with small.serving():
        result = run(tmp_path, small, QUICK)
    assert {arrival.path for arrival in small.arrivals} == {"/robots.txt"}
    assert "robots.txt: 500" in result.why_nothing()


def test_two_hundred_slow_hosts_keep_the_crawler_busy(tmp_path: Path) -> None:
    small = SmallWeb(600, hosts=200, seconds=0.5)
    with small.serving():
        run(tmp_path, small, Politeness(delay=0.5, address_delay=0.0), seeds=[small.url(n) for n in range(200)])
    assert len(small.arrivals) == 600 + 200
    assert small.most_open >= 100
    for host in range(0, 200, 17):
        assert min(gaps(small, f"h{host}.example")) >= 0.5
