"""Memory of a crawl of real pages: resident memory of the crawl process and PSS of its family, as pages come in.

The web: the home pages of ../shared/data/pages-homepages2018 (or every .html file under --folder) with their own bytes,
repeated under as many addresses as are asked for, twenty to a host, on loopback addresses. What a page links to is
another page of this web, with the path that the page gives it; there are four times as many addresses as pages are
fetched, so that the frontier grows as it does on the web. Nothing is archived but what a crawl archives by default.

    python bench/crawl_memory.py [--pages 50000] [--strategy hybrid] [--folder DIR] [--trace]

`--trace` adds the places that hold most memory shortly before the end (tracemalloc; slow).
"""

from __future__ import annotations

import argparse
import asyncio
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import tracemalloc
import urllib.request
from pathlib import Path
from threading import Thread
from zlib import crc32

ARCHIVE = Path(__file__).resolve().parents[2] / "shared/data/pages-homepages2018/pages.tar.xz"
PER_HOST = 20
MARKS = (1_000, 2_000, 5_000, 10_000, 20_000, 35_000, 50_000)
_HREF = re.compile(rb"""(<a\s[^>]*?href\s*=\s*)(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_PATH = re.compile(rb"^(?:https?:)?(?://[^/]*)?/*([^#]*)", re.IGNORECASE)


def real_pages(folder: Path | None) -> list[bytes]:
    if folder is not None:
        return [path.read_bytes() for path in sorted(folder.rglob("*.html"))]
    if not ARCHIVE.exists():
        raise SystemExit(f"{ARCHIVE} is not there: name a folder of HTML pages with --folder")
    with tarfile.open(ARCHIVE) as archive:
        files = [archive.extractfile(member) for member in archive if member.isfile()]
        return [file.read() for file in files if isinstance(file, io.BufferedReader)]


def host_of(number: int) -> str:
    host = number // PER_HOST
    return f"127.{1 + host // 62500}.{host // 250 % 250}.{1 + host % 250}"


class Web:
    """Pages by number; links lead half the time to the page's own host."""

    def __init__(self, pages: list[bytes], addresses: int, port: int) -> None:
        self.pages, self.addresses, self.port = pages, addresses, port
        self.served = 0

    def address(self, number: int, path: bytes = b"") -> bytes:
        return b"http://%s:%d/%d/%s" % (host_of(number).encode(), self.port, number, path)

    def page(self, number: int) -> bytes:
        """A real page whose links stay in this web."""

        def rewrite(match: re.Match[bytes]) -> bytes:
            raw = match[2] if match[2] is not None else match[3]
            if raw[:1] == b"#" or raw[:11].lower() == b"javascript:" or raw[:7].lower() == b"mailto:":
                return match[0]
            hashed = crc32(b"%d %s" % (number if len(raw) % 3 else number // PER_HOST, raw))
            home = number // PER_HOST * PER_HOST
            target = home + hashed % PER_HOST if len(raw) % 2 else hashed % self.addresses
            path = _PATH.match(raw)
            return b'%s"%s"' % (match[1], self.address(target, path[1][:80] if path else b""))

        self.served += 1
        # No two pages are the same: those of one site that are would be taken for a trap.
        return _HREF.sub(rewrite, self.pages[number % len(self.pages)]) + b"<p>page %d</p>" % number


class Server(asyncio.Protocol):
    web: Web

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.buffer = b""

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            path = self.buffer.split(b" ", 2)[1]
            self.buffer = self.buffer[end + 4 :]
            number = path.split(b"/", 2)[1]
            status = b"200 OK"
            if path == b"/served":
                body = b"%d" % self.web.served
            elif number.isdigit():
                body = self.web.page(int(number))
            else:
                status, body = b"404 Not Found", b""
            head = b"HTTP/1.1 %s\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % (status, len(body))
            self.transport.write(head + body)  # type: ignore[attr-defined]


async def serve(options: argparse.Namespace) -> None:
    server = await asyncio.get_running_loop().create_server(Server, "0.0.0.0", 0, backlog=2048)
    port = server.sockets[0].getsockname()[1]
    Server.web = Web(real_pages(options.folder), 4 * options.pages, port)
    print(port, flush=True)
    await server.serve_forever()


def crawl(options: argparse.Namespace) -> None:
    import msgspec

    from phasa.collection import Collection
    from phasa.crawl.run.runs import run_collection
    from phasa.frontier.politeness import Politeness

    if options.trace:
        tracemalloc.start(1)
    with tempfile.TemporaryDirectory() as folder:
        made = Collection.create(Path(folder) / "c", language="th")
        seeds = [f"http://{host_of(n)}:{options.port}/{n}/" for n in range(0, 100 * PER_HOST, PER_HOST)]
        (made.path / Collection.SEEDS).write_text("".join(f"{seed}\n" for seed in seeds))
        settings = msgspec.structs.replace(
            made.settings,
            allow_private=True,
            strategy=options.strategy,
            politeness=Politeness(delay=0.0, address_delay=0.0),
            budgets=msgspec.structs.replace(made.settings.budgets, pages=options.pages),
        )
        begun = time.process_time()
        if options.trace:
            Thread(target=trace, args=(options.port, options.pages * 19 // 20), daemon=True).start()
        run = run_collection(Collection(made.path, settings))
        print(f"{run.metrics.done:,} fetched, {time.process_time() - begun:.0f} CPU s of the crawl process")


def served(port: int) -> int:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/served") as answer:
        return int(answer.read())


def trace(port: int, pages: int) -> None:
    """Print what holds most memory when so many pages were served: when the crawl ends, all of it is given back."""
    while served(port) < pages:
        time.sleep(0.5)
    for line in tracemalloc.take_snapshot().statistics("lineno")[:40]:
        print(line, flush=True)


def family(pid: int) -> list[int]:
    """A process and all that descend from it."""
    found = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            found += family(int(child))
    return found


def megabytes(pid: int, file: str, field: str) -> float:
    try:
        for line in Path(f"/proc/{pid}/{file}").read_text().splitlines():
            if line.startswith(field):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0.0


def watch(options: argparse.Namespace) -> None:
    """Run the web and the crawl, and print a row whenever as many pages were fetched as a mark says."""
    words = ["--pages", str(options.pages), "--strategy", options.strategy]
    words += ["--folder", str(options.folder)] if options.folder else []
    web = subprocess.Popen([sys.executable, __file__, "serve", *words], stdout=subprocess.PIPE, text=True)
    try:
        assert web.stdout is not None
        port = web.stdout.readline().strip()
        words += ["--port", port, *(["--trace"] if options.trace else [])]
        crawler = subprocess.Popen([sys.executable, __file__, "crawl", *words], env=os.environ)
        print(f"{'pages':>8} {'RSS MB':>8} {'family PSS MB':>14} {'seconds':>8}", flush=True)
        begun, marks = time.monotonic(), [mark for mark in MARKS if mark <= options.pages]
        row = ""
        while crawler.poll() is None:
            time.sleep(0.5)
            came = served(int(port))
            rss = megabytes(crawler.pid, "status", "VmRSS")
            pss = sum(megabytes(pid, "smaps_rollup", "Pss:") for pid in family(crawler.pid)) if rss else 0.0
            if pss:
                row = f"{came:>8,} {rss:>8.0f} {pss:>14.0f} {time.monotonic() - begun:>8.0f}"
            if marks and came >= marks[0]:
                marks.pop(0)
                print(row, flush=True)
        print(f"{row}  (the end)")
    finally:
        web.terminate()
        web.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("role", nargs="?", default="watch", choices=("watch", "serve", "crawl"))
    parser.add_argument("--pages", type=int, default=50_000)
    parser.add_argument("--strategy", default="hybrid")
    parser.add_argument("--folder", type=Path, default=None, help="HTML pages to serve instead")
    parser.add_argument("--port", type=int, default=0, help="port of the web (set by the script itself)")
    parser.add_argument("--trace", action="store_true", help="print what holds most memory at the end")
    options = parser.parse_args()
    if options.role == "serve":
        import uvloop

        uvloop.run(serve(options))
    elif options.role == "crawl":
        crawl(options)
    else:
        watch(options)


if __name__ == "__main__":
    main()
