"""Pages per CPU second and memory on the real web: phasa with everything on, beside Scrapy with its LinkExtractor.

Both crawl the same hosts over the same HTTP and TLS from the same seeds. Scrapy's connections are led to the server
where its reactor opens them, as `server` does for phasa; it checks no certificate, keeps nothing and judges nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from bench.debian.crawls import Task, draw_seeds, live, peak_megabytes, seed_lines, truth_of
from bench.debian.lab_graph import accept_language, graph_of
from bench.debian.survey import Survey


def compare(options: argparse.Namespace, known: Survey, address: str, ca_file: str) -> None:
    """Print one row per crawler, and the ratios."""
    language: str = options.lang
    graph, truth = graph_of(known, language), truth_of(known, language)
    seeds = seed_lines(draw_seeds(graph, 1))
    rows: dict[str, tuple[int, int, float, float, float]] = {}
    for strategy in options.strategies.split(","):
        with tempfile.TemporaryDirectory() as place:
            task = Task(f"{place}/c", language, strategy, address, ca_file, options.pages, 0.0, seeds)
            found = live(task, truth)
        rows[f"phasa, {strategy}"] = found.pages, found.fetches, found.cpu, found.wall, found.megabytes
    task = Task("", language, "", address, ca_file, options.pages, 0.0, seeds)
    if (peer := _scrapy(task)) is not None:
        rows["Scrapy"] = peer
    print(
        f"{'':<20}{'pages':>8}{'fetches':>9}{'CPU s':>8}{'wall s':>8}{'pages/CPU s':>13}{'fetches/CPU s':>15}"
        f"{'peak MB':>9}"
    )
    for name, (pages, fetches, cpu, wall, memory) in rows.items():
        rates = f"{pages / cpu:>13.0f}{fetches / cpu:>15.0f}{memory:>9.0f}"
        print(f"{name:<20}{pages:>8,}{fetches:>9,}{cpu:>8.1f}{wall:>8.1f}{rates}")
    if peer is not None:
        for what, column in (("pages", 0), ("fetches", 1)):
            theirs = peer[column] / peer[2]
            ratios = [f"{name} {row[column] / row[2] / theirs:.1f}×" for name, row in rows.items() if name != "Scrapy"]
            print(f"{what} per CPU second beside Scrapy: {', '.join(ratios)}")


def _scrapy(task: Task) -> tuple[int, int, float, float, float] | None:
    """Scrapy in a process of its own; None, and a line that says so, when it is not installed or fails."""
    script = Path(__file__).parents[1] / "debian_web.py"
    done = subprocess.run(
        [sys.executable, str(script), "scrapy"],
        input=msgspec.json.encode(task), capture_output=True, check=False, env=os.environ,
    )  # fmt: skip
    if done.returncode:
        print(f"Scrapy did not run: {done.stderr.decode(errors='replace').strip().splitlines()[-1:]}")
        return None
    pages, fetches, cpu, wall, memory = json.loads(done.stdout.splitlines()[-1])
    return pages, fetches, cpu, wall, memory


def scrapy_child(task: Task) -> list[float]:
    """Crawl with Scrapy: pages, answers, CPU seconds, seconds, megabytes."""
    import scrapy
    from scrapy.crawler import CrawlerProcess
    from scrapy.linkextractors import LinkExtractor
    from scrapy.utils.reactor import install_reactor

    install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor", "uvloop.Loop")
    from twisted.internet import reactor

    host, _, port = task.server.rpartition(":")
    _lead_all_to(reactor, host, int(port))
    seen = {"pages": 0, "fetches": 0, "begun": 0.0}

    class Spider(scrapy.Spider):  # type: ignore[misc, unused-ignore]
        name = "bench"
        extractor = LinkExtractor()

        async def start(self) -> Any:
            for line in task.seeds:
                yield scrapy.Request(line.split()[0])

        def parse(self, response: Any) -> Iterator[Any]:
            seen["begun"] = seen["begun"] or time.process_time()
            seen["fetches"] += 1
            if response.status in (301, 302):
                yield scrapy.Request(response.urljoin(response.headers["Location"].decode()))
            elif response.status == 200 and isinstance(response, scrapy.http.HtmlResponse):
                seen["pages"] += 1
                if seen["pages"] >= task.pages:
                    raise scrapy.exceptions.CloseSpider("enough")
                for link in self.extractor.extract_links(response):
                    yield scrapy.Request(link.url)

    process = CrawlerProcess(
        settings={
            "LOG_ENABLED": False,
            "ROBOTSTXT_OBEY": False,
            "COOKIES_ENABLED": False,
            "RETRY_ENABLED": False,
            "REDIRECT_ENABLED": False,
            "HTTPERROR_ALLOW_ALL": True,
            "TELNETCONSOLE_ENABLED": False,
            "CONCURRENT_REQUESTS": 256,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
            "DOWNLOAD_DELAY": 0,
            "DNS_RESOLVER": "bench.debian.speed.Loopback",
            "DEFAULT_REQUEST_HEADERS": {"Accept-Language": accept_language(task.language)},
            "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
            "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
        }
    )
    wall = time.perf_counter()
    process.crawl(Spider)
    process.start()
    cpu = time.process_time() - seen["begun"]
    return [seen["pages"], seen["fetches"], cpu, time.perf_counter() - wall, peak_megabytes()]


def _lead_all_to(reactor: Any, host: str, port: int) -> None:
    """Open every connection of a Twisted reactor to one server."""
    opened = reactor.connectTCP
    reactor.connectTCP = lambda _host, _port, *rest, **named: opened(host, port, *rest, **named)


class Loopback:
    """Scrapy's resolver: every name is this machine, nothing is asked."""

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor

    @classmethod
    def from_crawler(cls, crawler: Any, reactor: Any) -> Loopback:
        return cls(reactor)

    def install_on_reactor(self) -> None:
        from twisted.internet import defer
        from twisted.internet.interfaces import IResolverSimple
        from zope.interface import implementer

        @implementer(IResolverSimple)
        class Here:
            def getHostByName(self, name: str, timeout: Any = ()) -> Any:  # noqa: N802 - Twisted's name
                return defer.succeed("127.0.0.1")

        self._reactor.installResolver(Here())
