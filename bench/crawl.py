"""A crawl on the loopback beside Scrapy and Crawlee: pages per CPU second, in one run on the same web.

The web: pages of 30 KB with 50 links each, half of them Thai, on 50 hosts (127.0.1.1 to 127.0.1.50), served from
memory by a process of its own. phasa runs with everything on: robots.txt, address guard, charset, parsing in the
sandbox, language verdict, scoring of every link, WARC with index, durable frontier. Scrapy runs with its LinkExtractor
and Crawlee (ParselCrawler) with memory storage and its enqueue_links, and nothing else: no delay, no logs, no
robots.txt, no cookies, no sessions, no retries, no archive, no judging. A peer that is not installed is named and left
out (`pip install -c constraints.txt -e '.[bench]'`).

CPU time is that of the whole family of processes, from the start of the interpreter to the end of the crawl: for each
crawler alike. The start alone is shown as well (for phasa until the crawl begins to ask, for the peers until their
first page has come), and so is the ratio that counts it for phasa and not for the peers.

    python bench/crawl.py [--pages 3000] [--rounds 3] [--crawlers hybrid,bfs,scrapy,crawlee] [--profile]
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

HOSTS = 50
LINKS = 50
SIZE = 30_000
THAI = """
ภาษา ไทย ข่าว วันนี้ ประเทศ รัฐบาล ประชาชน การศึกษา มหาวิทยาลัย นักเรียน โรงเรียน ครู หนังสือ อ่าน เขียน อาหาร ตลาด
ราคา เศรษฐกิจ การเมือง กีฬา ฟุตบอล นักกีฬา ดนตรี เพลง ภาพยนตร์ ศิลปะ วัฒนธรรม ประวัติศาสตร์ กรุงเทพ เชียงใหม่ ทะเล
ภูเขา แม่น้ำ ท่องเที่ยว โรงแรม เดินทาง รถไฟ เครื่องบิน สุขภาพ โรงพยาบาล แพทย์ ยา ครอบครัว เด็ก ผู้หญิง ผู้ชาย บ้าน
เมือง และ ของ ที่ ใน เป็น
"""
ENGLISH = """
language news today country government people education university student school teacher book read write food market
price economy politics sport football player music song film art culture history sea mountain river travel hotel and
of the in is that for with on as by from this which are was not have
"""


def make_pages(count: int, port: int) -> list[bytes]:
    """Answers, ready to send: page n links to 2n+1 and 2n+2, so that page 0 leads to all, and to 48 others."""
    pages = []
    for number in range(count):
        dice = random.Random(number)
        thai = dice.random() < 0.5
        words, joint = (THAI.split(), "") if thai else (ENGLISH.split(), " ")
        targets = [number * 2 + 1, number * 2 + 2, *(dice.randrange(count) for _ in range(LINKS - 2))]
        parts = ["<!DOCTYPE html><html><head><meta charset=utf-8><title>page</title></head><body>"]
        share = (SIZE - 4500) // LINKS
        for target in targets:
            sentence = joint.join(dice.choices(words, k=8))
            while len(sentence.encode()) < share - 20:
                sentence += " " + joint.join(dice.choices(words, k=8))
            anchor = " ".join(dice.choices(words, k=2))
            target %= count
            parts.append(f'<p>{sentence} <a href="{address(target, port)}">{anchor}</a></p>\n')
        body = ("".join(parts) + "</body></html>").encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}\r\n\r\n"
        pages.append(head.encode() + body)
    return pages


def address(number: int, port: int) -> str:
    return f"http://127.0.1.{number % HOSTS + 1}:{port}/p/{number}.html"


class Server(asyncio.Protocol):
    """The least a server can do: look at the path, send what is ready."""

    pages: list[bytes] = []  # noqa: RUF012 - set once, before the first connection

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.buffer = b""

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            path = self.buffer.split(b" ", 2)[1]
            self.buffer = self.buffer[end + 4 :]
            if path.startswith(b"/p/"):
                answer = self.pages[int(path[3:-5])]
            else:
                answer = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
            self.transport.write(answer)  # type: ignore[attr-defined]


async def serve(count: int) -> None:
    import uvloop  # noqa: F401 - the loop is chosen by uvloop.run

    loop = asyncio.get_running_loop()
    server = await loop.create_server(Server, "0.0.0.0", 0, backlog=2048)
    port = server.sockets[0].getsockname()[1]
    Server.pages = make_pages(count, port)
    print(port, flush=True)
    await server.serve_forever()


def run_phasa(pages: int, port: int, strategy: str, profile: bool) -> dict[str, float]:
    """Crawl with everything on, in this process."""
    import msgspec

    from phasa.collection import Collection
    from phasa.crawl.run.runs import run_collection
    from phasa.frontier.politeness import Politeness

    with tempfile.TemporaryDirectory() as folder:
        made = Collection.create(Path(folder) / "c", language="th")
        (made.path / Collection.SEEDS).write_text(address(0, port) + "\n")
        settings = msgspec.structs.replace(
            made.settings,
            allow_private=True,
            strategy=strategy,
            politeness=Politeness(delay=0.0, address_delay=0.0),
            budgets=msgspec.structs.replace(made.settings.budgets, pages=pages),
        )
        collection = Collection(made.path, settings)
        others, wall = children_seconds(), time.perf_counter()
        begun: list[float] = []

        def watch(_: object) -> None:
            if not begun:
                begun.append(processor_seconds())

        if profile:
            import cProfile
            import pstats

            profiler = cProfile.Profile()
            run = profiler.runcall(run_collection, collection, watch)
            pstats.Stats(profiler, stream=sys.stderr).sort_stats("tottime").print_stats(45)
        else:
            run = run_collection(collection, watch)
        cpu, wall = processor_seconds(), time.perf_counter() - wall
        size = sum(path.stat().st_size for path in collection.archive_folder.glob("*.warc.gz"))
        return {
            "pages": run.metrics.done,
            "cpu": cpu,
            "start": begun[0],
            "sandbox": children_seconds() - others,
            "wall": wall,
            "wanted": run.metrics.wanted,
            "warc_mb": size / 1e6,
            "rss_mb": peak_megabytes(),
        }


def run_scrapy(pages: int, port: int) -> dict[str, float]:
    """Crawl with Scrapy and its LinkExtractor, everything else off."""
    import scrapy
    from scrapy.crawler import CrawlerProcess
    from scrapy.linkextractors import LinkExtractor

    seen = {"pages": 0, "begun": 0.0}

    class Spider(scrapy.Spider):  # type: ignore[misc, unused-ignore]
        name = "bench"
        start_urls = [address(0, port)]  # noqa: RUF012
        extractor = LinkExtractor()

        def parse(self, response):  # type: ignore[no-untyped-def]
            if not seen["pages"]:
                seen["begun"] = processor_seconds()
            seen["pages"] += 1
            for link in self.extractor.extract_links(response):
                yield scrapy.Request(link.url)

    process = CrawlerProcess(
        settings={
            "LOG_ENABLED": False,
            "ROBOTSTXT_OBEY": False,
            "COOKIES_ENABLED": False,
            "RETRY_ENABLED": False,
            "REDIRECT_ENABLED": False,
            "TELNETCONSOLE_ENABLED": False,
            "CONCURRENT_REQUESTS": 256,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
            "DOWNLOAD_DELAY": 0,
            "CLOSESPIDER_PAGECOUNT": pages,
            "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
            "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
        }
    )
    wall = time.perf_counter()
    process.crawl(Spider)
    process.start()
    return measured(seen, wall)


def run_crawlee(pages: int, port: int) -> dict[str, float]:
    """Crawl with Crawlee's ParselCrawler, everything in memory, links only."""
    import logging

    import uvloop
    from crawlee import ConcurrencySettings
    from crawlee.crawlers import ParselCrawler, ParselCrawlingContext
    from crawlee.storage_clients import MemoryStorageClient

    seen = {"pages": 0, "begun": 0.0}
    crawler = ParselCrawler(
        storage_client=MemoryStorageClient(),
        concurrency_settings=ConcurrencySettings(min_concurrency=16, desired_concurrency=64, max_concurrency=256),
        max_requests_per_crawl=pages,
        max_request_retries=0,
        use_session_pool=False,
        retry_on_blocked=False,
        configure_logging=False,
    )
    logging.disable(logging.CRITICAL)

    @crawler.router.default_handler  # type: ignore[untyped-decorator, unused-ignore]
    async def page(context: ParselCrawlingContext) -> None:
        if not seen["pages"]:
            seen["begun"] = processor_seconds()
        seen["pages"] += 1
        await context.enqueue_links(strategy="all")

    wall = time.perf_counter()
    uvloop.run(crawler.run([address(0, port)]))
    return measured(seen, wall)


def measured(seen: dict[str, float], wall: float) -> dict[str, float]:
    """What a peer's process came to."""
    return {
        "pages": seen["pages"],
        "cpu": processor_seconds(),
        "start": seen["begun"],
        "wall": time.perf_counter() - wall,
        "rss_mb": peak_megabytes(),
    }


def processor_seconds() -> float:
    """Time of this process and of all that it started, and those in turn, as far as they have ended: the sandbox is
    waited for at the end of a crawl."""
    return time.process_time() + children_seconds()


def children_seconds() -> float:
    import resource

    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def peak_megabytes() -> float:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def child(*words: str) -> dict[str, float] | None:
    """Run this script in a process of its own and read what it found; None, and why, when it failed."""
    # As the commands are: one thread for linear algebra (`phasa.cli`), and compiled when they were installed.
    around = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    around.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, __file__, *words], capture_output=True, text=True, timeout=3000, check=False, env=around
    )
    sys.stderr.write(done.stderr if "--profile" in words else "")
    if done.returncode or not done.stdout.strip():
        print(f"{' '.join(words[:3])} failed:\n{done.stderr[-2000:]}", flush=True)
        return None
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


PEERS = {"scrapy": "Scrapy, LinkExtractor only", "crawlee": "Crawlee, Parsel, links only"}


def compare(crawlers: list[str], pages: int, rounds: int, *, profile: bool) -> None:
    """All crawlers in turn, as often as there are rounds: a row for each run, then the ratios of the rounds."""
    absent = [name for name in crawlers if name in PEERS and importlib.util.find_spec(name) is None]
    for name in absent:
        print(f"{PEERS[name]}: not installed, left out (pip install -c constraints.txt -e '.[bench]')")
    crawlers = [name for name in crawlers if name not in absent]
    server = subprocess.Popen(
        [sys.executable, __file__, "serve", "--pages", str(pages)], stdout=subprocess.PIPE, text=True
    )
    rows: dict[str, list[dict[str, float] | None]] = {name: [] for name in crawlers}
    try:
        assert server.stdout is not None
        where = ["--port", server.stdout.readline().strip(), "--pages", str(pages)]
        head = f"{'pages':>7} {'CPU s':>8} {'start':>6} {'sandbox':>8} {'pages/CPU s':>12} {'wall s':>7} {'peak MB':>8}"
        print(f"{'':<5} {'':<30} {head}", flush=True)
        for number in range(1, rounds + 1):
            for name in crawlers:
                role = [name] if name in PEERS else ["phasa", "--strategy", name]
                row = child(*role, *where, *(["--profile"] if profile and name not in PEERS else []))
                rows[name].append(row)
                if row:
                    print(
                        f"{number:<5} {PEERS.get(name, f'phasa, everything on, {name}'):<30} {row['pages']:>7,.0f}"
                        f" {row['cpu']:>8.2f} {row['start']:>6.2f} {row.get('sandbox', 0.0):>8.2f}"
                        f" {row['pages'] / row['cpu']:>12,.0f} {row['wall']:>7.1f} {row['rss_mb']:>8.0f}",
                        flush=True,
                    )
    finally:
        server.terminate()
        server.wait()
    for peer in (name for name in crawlers if name in PEERS):
        for ours in (name for name in crawlers if name not in PEERS):
            pairs = [(mine, theirs) for mine, theirs in zip(rows[ours], rows[peer], strict=True) if mine and theirs]
            if pairs:
                whole = [speed(mine) / speed(theirs) for mine, theirs in pairs]
                strict = [speed(mine) / speed(theirs, without_start=True) for mine, theirs in pairs]
                each = ", ".join(f"{ratio:.1f}" for ratio in whole)
                print(
                    f"{ours} does {median(whole):.1f} times the pages of {peer} per CPU second (rounds: {each}),"
                    f" {median(strict):.1f} times with the start of {ours} alone counted"
                )


def speed(row: dict[str, float], *, without_start: bool = False) -> float:
    """Pages per CPU second."""
    return row["pages"] / (row["cpu"] - row["start"] * without_start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("role", nargs="?", default="all", choices=("all", "serve", "phasa", "scrapy", "crawlee"))
    parser.add_argument("--pages", type=int, default=3000, help="pages that each crawler fetches")
    parser.add_argument("--rounds", type=int, default=3, help="how often each crawler runs, in turn")
    parser.add_argument("--crawlers", default="hybrid,bfs,scrapy,crawlee", help="strategies of phasa, and peers")
    parser.add_argument("--port", type=int, default=0, help="port of the web (set by the script itself)")
    parser.add_argument("--strategy", default="hybrid", help="of the role phasa")
    parser.add_argument("--profile", action="store_true", help="print where phasa's time goes")
    arguments = parser.parse_args()
    if arguments.role == "all":
        compare(arguments.crawlers.split(","), arguments.pages, arguments.rounds, profile=arguments.profile)
    elif arguments.role == "serve":
        import uvloop

        uvloop.run(serve(arguments.pages))
    elif arguments.role == "phasa":
        print(json.dumps(run_phasa(arguments.pages, arguments.port, arguments.strategy, arguments.profile)))
    else:
        run = run_scrapy if arguments.role == "scrapy" else run_crawlee
        print(json.dumps(run(arguments.pages, arguments.port)))


if __name__ == "__main__":
    main()
