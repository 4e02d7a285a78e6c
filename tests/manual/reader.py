"""A reader who tries the manual: a folder with the files that its examples name, and a web that answers every address.

The examples are typed as they stand, with two liberties that `smaller` lists: sizes that take minutes are made smaller,
and addresses of the real web are answered by a server on this machine (PHASA_SERVER), which cannot speak for https.
"""

from __future__ import annotations

import asyncio
import gzip
import os
import re
import shlex
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from aiohttp import web
from tests.manual.command_lines import ROOT

from phasa.lab.seeds import seeds_of
from phasa.lab.serve import Answers
from phasa.lab.world import World

WORLD = "7:1200"
SECONDS = 120
STAYS = re.compile(r"phasa (lab serve|serve|feeds watch) ")
SMALLER = (
    (r"https://", "http://"),
    (r"\b(\d+):(100000|20000|3000)\b", r"\1:1200"),
    (r"1-5:\d+", "1-2:1200"),
    # A predictor needs links to segments that are wanted and to others.
    (r"(crawl trips --strategy bfs) --pages \d+", r"\1 --pages=1200"),
    (r"(crawl \S+.*|lab run .*)--pages \d+", r"\1--pages 80"),
    (r"^(phasa crawl (?!.*--pages).*)$", r"\1 --pages 80"),
    (r"^(phasa feeds watch .*)$", r"\1 --spacing 0"),
    (r"^(phasa serve .*)$", r"\1 --port 0"),
    (r"^(phasa lab run (?!.*--pages).*)$", r"\1 --pages 80"),
    (r"^(phasa lab run --graph.*)$", r"\1 --draws 1"),
    (r"--seeds (thai1|thai2|english) --strategies [\w,-]+", r"--seeds \1 --strategies hybrid,bfs"),
)
THAI = "ภาษาไทยเป็นภาษาที่มีระดับเสียงของคำแน่นอน นักเรียนไปโรงเรียนทุกวันและอ่านหนังสือพิมพ์ข่าวจากกรุงเทพมหานคร "


def page(title: str, body: str = THAI * 4, links: str = "") -> str:
    return (
        f'<html lang="th"><head><meta charset="utf-8"><title>{title}</title>'
        '<link rel="alternate" type="application/rss+xml" href="/rss.xml"></head><body>'
        '<nav><a href="/">หน้าแรก</a></nav>'
        f"<article><h1>{title}</h1><p>{body}</p><p>{THAI * 2}</p></article>{links}<footer>2026</footer></body></html>"
    )


ABOUT = (
    "The beaches of Phuket and Krabi are full of visitors in December",
    "Wat Arun stands on the river in Bangkok and opens at eight",
    "A night train takes tourists from Hua Lamphong to Chiang Mai",
    "Hotels near the floating market of Damnoen Saduak serve green curry",
    "Divers go to Koh Tao and the Similan islands for coral and whale sharks",
)
OTHER = (
    "The compiler reports an error when the type of the argument is wrong",
    "Our football club lost the match on Saturday after a late goal",
    "Interest rates rose again and the bank expects slower growth",
    "Bake the bread for forty minutes and let it cool on a rack",
    "The telescope will look for planets around small red stars",
)


def english(title: str, sentences: tuple[str, ...], turn: int) -> str:
    order = sentences[turn % 5 :] + sentences[: turn % 5]
    return (
        f"<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{'. '.join(order[:4])}.</p></body></html>"
    )


OPML = '<opml version="2.0"><body><outline type="rss" text="a" xmlUrl="http://example.com/a.xml"/></body></opml>'
RSS = (
    '<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><item><title>ข่าว</title>'
    "<link>http://example.com/1</link><guid>1</guid><pubDate>Mon, 16 Nov 2026 08:00:00 GMT</pubDate></item>"
    "</channel></rss>"
)


@contextmanager
def every_address(world: World) -> Iterator[str]:
    """Serve the world, and for every other host a small Thai site; gives address:port."""
    answers = Answers(world)
    loop = asyncio.new_event_loop()
    started = threading.Event()
    where: list[str] = []

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        if request.host.partition(":")[0] in world.site_of_host:
            return await answers(request)
        if request.path == "/robots.txt":
            return web.Response(text="User-agent: *\nAllow: /\n")
        if request.path.endswith(".xml"):
            return web.Response(body=RSS.encode(), content_type="application/rss+xml")
        links = "".join(f'<a href="/{n}.html">เรื่องที่ {n}</a> ' for n in range(5))
        return web.Response(body=page("หน้า " + request.path, links=links).encode(), content_type="text/html")

    async def serve() -> None:
        runner = web.ServerRunner(web.Server(answer))
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        where.append(f"127.0.0.1:{runner.addresses[0][1]}")
        started.set()

    def run() -> None:
        loop.run_until_complete(serve())
        loop.run_forever()

    threading.Thread(target=run, daemon=True).start()
    started.wait(30)
    try:
        yield where[0]
    finally:
        loop.call_soon_threadsafe(loop.stop)


def smaller(text: str, port: int) -> str:
    """The command line as it is run here."""
    for pattern, instead in SMALLER:
        text = re.sub(pattern, instead, text)
    return text.replace("8090", str(port))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Reader:
    """A terminal in a folder; servers that are started stay until the page is read."""

    def __init__(self, folder: Path, server: str) -> None:
        self.folder = folder
        self._port = free_port()
        self._stay: list[subprocess.Popen[str]] = []
        commands = folder / ".bin"
        commands.mkdir()
        phasa = commands / "phasa"
        phasa.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m phasa "$@"\n', encoding="utf-8")
        phasa.chmod(0o755)
        self._env = {
            **os.environ,
            "PATH": f"{commands}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT / "src"),
            "PHASA_SERVER": server,
            "COLUMNS": "100",
        }

    def types(self, text: str) -> None:
        """Run a command line; an AssertionError tells what it printed when it fails."""
        text = smaller(text, self._port)
        made = re.match(r"phasa init (\S+)", text)
        if made and (self.folder / made[1]).exists():
            return  # the reader has made it on another page
        if STAYS.match(text):
            self._start(text)
            return
        done = subprocess.run(
            ["bash", "-c", text], cwd=self.folder, env=self._env, capture_output=True, text=True, timeout=SECONDS
        )
        assert done.returncode == 0, f"$ {text}\n{done.stdout[-1500:]}\n{done.stderr[-1500:]}"
        if made:
            self.hurries(self.folder / made[1])

    def hurries(self, collection: Path) -> None:
        """The servers are this machine; it does not mind being asked fast."""
        settings = collection / "collection.toml"
        text = re.sub(r"\n(delay|address_delay) = .*", r"\n\1 = 0.0", settings.read_text(encoding="utf-8"))
        settings.write_text(text, encoding="utf-8")

    def _start(self, text: str) -> None:
        process = subprocess.Popen(
            ["bash", "-c", f"exec {text}"], cwd=self.folder, env=self._env, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self._stay.append(process)
        assert process.stdout is not None
        if watched := re.match(r"phasa feeds watch (\S+)", text):
            self._polled(self.folder / watched[1] / "feeds.db", process)  # what a feed had before is not told
            return
        line = process.stdout.readline()
        assert line, f"$ {text}\n{process.stderr.read() if process.stderr else ''}"

    def _polled(self, file: Path, process: subprocess.Popen[str]) -> None:
        """Wait until a watch has asked some feed."""
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            assert process.poll() is None, process.stderr.read() if process.stderr else ""
            with suppress(sqlite3.Error), closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as store:
                if store.execute("SELECT count(*) FROM poll").fetchone()[0]:
                    return
            time.sleep(0.2)
        raise AssertionError(f"{file}: no feed was asked in {SECONDS} seconds")

    def closes(self) -> None:
        """Stop what still runs; it must end in good order."""
        for process in self._stay:
            process.terminate()
            try:
                _, errors = process.communicate(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
            assert process.returncode in (0, -signal.SIGTERM), (
                f"{process.args!r}: exit code {process.returncode}: {errors[-900:]}"
            )


def furnish(folder: Path, world: World) -> None:
    """The files that the examples of the manual name."""
    seeds = "".join(f"{seed.url}\n" for seed in seeds_of(world, "thai1"))
    segmented = "ภาษา|ไทย|เป็น|ภาษา|ที่|มี|ระดับ|เสียง\nนักเรียน|ไป|โรงเรียน|ทุก|วัน\nอ่าน|หนังสือพิมพ์|ที่|กรุงเทพ\n" * 30
    times = [(name, 1_700_000_000 + (day * 24 + at) * 3600) for name, at in (("a", 8), ("b", 17)) for day in range(60)]
    posts = "".join(f"{name}\t{time}\n" for name, time in times)
    texts = {
        "seeds.txt": seeds,
        "my-seeds.txt": seeds,
        "text.txt": THAI,
        "page.txt": THAI,
        "sentences.txt": THAI + "\nThe web of one language.\n",
        "page.html": page("ภาษาไทย"),
        "trace.tsv": posts,
        "subscriptions.opml": OPML,
        **dict.fromkeys(("gold.seg", "corpus.seg", "a.seg", "b.seg", "treebank.seg"), segmented),
        **{f"about/{n}.html": english(f"Thailand guide {n}", ABOUT, n) for n in range(24)},
        **{f"other/{n}.html": english(f"Notes {n}", OTHER, n) for n in range(24)},
        **{f"site/{n}.html": page(f"เรื่อง {n}", THAI * (n + 2)) for n in range(3)},
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "posts.tsv.gz").write_bytes(gzip.compress(posts.encode()))
    (folder / "changes.tsv.gz").write_bytes(gzip.compress(posts.encode()))
