"""A crawl on the loopback beside Scrapy: pages per CPU second of the crawler, in one run on the same web.

The web: pages of 30 KB with 50 links each, half of them Thai, on 50 hosts (127.0.1.1 to 127.0.1.50), served from
memory by a process of its own. phasa runs with everything on: robots.txt, address guard, charset, parsing, language
verdict, scoring of every link, WARC with index, durable frontier. Scrapy runs with its LinkExtractor and nothing else:
no delay, no logs, no robots.txt, no cookies, no retries, no archive, no judging.

    python bench/crawl.py [--pages 3000] [--strategy hybrid] [--profile]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

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
        begun, wall = processor_seconds(), time.perf_counter()
        if profile:
            import cProfile
            import pstats

            profiler = cProfile.Profile()
            run = profiler.runcall(run_collection, collection)
            pstats.Stats(profiler, stream=sys.stderr).sort_stats("tottime").print_stats(45)
        else:
            run = run_collection(collection)
        cpu, wall = processor_seconds() - begun, time.perf_counter() - wall
        size = sum(path.stat().st_size for path in collection.archive_folder.glob("*.warc.gz"))
        return {
            "pages": run.metrics.done,
            "cpu": cpu,
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
                seen["begun"] = time.process_time()
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
    cpu = time.process_time() - seen["begun"]
    return {"pages": seen["pages"], "cpu": cpu, "wall": time.perf_counter() - wall, "rss_mb": peak_megabytes()}


def processor_seconds() -> float:
    """Time of this process and of those that it started and that have ended: the ones that read pages."""
    import resource

    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def peak_megabytes() -> float:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def child(*words: str) -> dict[str, float]:
    """Run this script in a process of its own and read what it found."""
    done = subprocess.run(
        [sys.executable, __file__, *words], capture_output=True, text=True, timeout=3000, check=False, env=os.environ
    )
    sys.stderr.write(done.stderr if "--profile" in words else "")
    if done.returncode or not done.stdout.strip():
        raise SystemExit(f"{words[0]} failed:\n{done.stderr[-3000:]}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("role", nargs="?", default="both", choices=("both", "serve", "phasa", "scrapy"))
    parser.add_argument("--pages", type=int, default=3000, help="pages that each crawler fetches")
    parser.add_argument("--port", type=int, default=0, help="port of the web (set by the script itself)")
    parser.add_argument("--strategy", default="hybrid")
    parser.add_argument("--profile", action="store_true", help="print where phasa's time goes")
    arguments = parser.parse_args()
    if arguments.role == "serve":
        import uvloop

        uvloop.run(serve(arguments.pages))
        return
    if arguments.role == "phasa":
        print(json.dumps(run_phasa(arguments.pages, arguments.port, arguments.strategy, arguments.profile)))
        return
    if arguments.role == "scrapy":
        print(json.dumps(run_scrapy(arguments.pages, arguments.port)))
        return
    server = subprocess.Popen(
        [sys.executable, __file__, "serve", "--pages", str(arguments.pages)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        where = ["--port", server.stdout.readline().strip(), "--pages", str(arguments.pages)]
        more = ["--profile"] if arguments.profile else []
        ours = child("phasa", *where, "--strategy", arguments.strategy, *more)
        theirs = child("scrapy", *where)
    finally:
        server.terminate()
        server.wait()
    print(f"{'':<34} {'pages':>7} {'CPU s':>8} {'pages/CPU s':>12} {'peak MB':>8}")
    for name, row in ((f"phasa, everything on ({arguments.strategy})", ours), ("Scrapy, LinkExtractor only", theirs)):
        rate = row["pages"] / row["cpu"]
        print(f"{name:<34} {row['pages']:>7,.0f} {row['cpu']:>8.2f} {rate:>12,.0f} {row['rss_mb']:>8.0f}")
    ratio = (ours["pages"] / ours["cpu"]) / (theirs["pages"] / theirs["cpu"])
    print(
        f"phasa does {ratio:.1f} times the pages of Scrapy per CPU second, {ours['wanted']:,.0f} of them found wanted"
    )


if __name__ == "__main__":
    main()
