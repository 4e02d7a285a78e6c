"""How many modules of phasa one crawled page, one feed poll and one request of the crawl page pass through.

    python bench/rooms.py                   this checkout
    python bench/rooms.py --source OLD/src  another one, to compare

Each command runs as a user runs it, on a small web that this script serves; a profile hook notes the modules whose
functions are called between a first signal (everything is warm) and a second one.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

from aiohttp import web

ROOT = Path(__file__).resolve().parents[1]
THAI = "ภาษาไทยเป็นภาษาที่มีผู้พูดมากในประเทศไทย ข่าววันนี้มีเรื่องน่าสนใจมากมาย "
HOOK = """
import atexit, json, os, signal, sys, threading
seen, on = {}, [False]
def hook(frame, event, argument):
    if on[0] and event == "call":
        name = frame.f_globals.get("__name__", "")
        if name.startswith("phasa"):
            seen[name] = seen.get(name, 0) + 1
def begin(*_):
    on[0] = True
def end(*_):
    on[0] = False
    with open(os.environ["ROOMS_OUT"], "w") as file:
        json.dump(seen, file)
if os.environ.get("ROOMS_OUT"):
    signal.signal(signal.SIGUSR1, begin)
    signal.signal(signal.SIGUSR2, end)
    threading.setprofile(hook)
    sys.setprofile(hook)
"""


class Site:
    """A web of Thai pages that link to others, and a feed that has a new post at every poll."""

    def __init__(self) -> None:
        self.port = 0
        self.requests = 0
        self._ready = threading.Event()
        threading.Thread(target=self._run, daemon=True).start()
        self._ready.wait(30)

    async def _answer(self, request: web.BaseRequest) -> web.Response:
        self.requests += 1
        if request.path == "/robots.txt":
            return web.Response(text="User-agent: *\n")
        if request.path == "/feed.xml":
            item = f"<item><title>{self.requests}</title><guid>{self.requests}</guid></item>"
            body = f"<rss version='2.0'><channel><title>a</title>{item}</channel></rss>"
            return web.Response(text=body, content_type="application/rss+xml")
        await asyncio.sleep(0.05)
        number = int(re.sub(r"\D", "", request.path) or 0)
        links = "".join(f'<a href="http://h{n % 7}.example/p{n}.html">หน้า {n}</a>' for n in range(number, number + 20))
        text = f"<html><title>{number}</title><body>{THAI * 5}{number}{links}</body></html>"
        return web.Response(text=text, content_type="text/html")

    def _run(self) -> None:
        loop = asyncio.new_event_loop()

        async def serve() -> None:
            runner = web.ServerRunner(web.Server(self._answer))
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            self.port = runner.addresses[0][1]
            self._ready.set()

        loop.run_until_complete(serve())
        loop.run_forever()


class Terminal:
    """Runs commands of the phasa in a source folder, with the hook."""

    def __init__(self, source: Path, folder: Path, site: Site) -> None:
        self.folder, self.site = folder, site
        (folder / "hook").mkdir()
        (folder / "hook" / "sitecustomize.py").write_text(HOOK, encoding="utf-8")
        self._env = os.environ | {"PYTHONPATH": f"{folder / 'hook'}:{source}", "PHASA_SERVER": f"127.0.0.1:{site.port}"}

    def run(self, *words: str) -> None:
        subprocess.run(
            [sys.executable, "-m", "phasa", *words], cwd=self.folder, env=self._env, check=True, capture_output=True
        )

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "phasa", *words],
            cwd=self.folder,
            env=self._env | {"ROOMS_OUT": str(self.folder / "rooms.json")},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def rooms(self, process: subprocess.Popen[str]) -> list[str]:
        """End the recording, stop the command, and give the modules."""
        out = self.folder / "rooms.json"
        process.send_signal(signal.SIGUSR2)
        until = time.monotonic() + 20
        while not out.exists() and time.monotonic() < until:
            time.sleep(0.1)
        time.sleep(0.3)
        process.terminate()
        process.communicate(timeout=60)
        found = sorted(json.loads(out.read_text(encoding="utf-8")))
        out.unlink()
        return found

    def wait(self, requests: int) -> None:
        """Until the site has been asked so many times more."""
        target, until = self.site.requests + requests, time.monotonic() + 60
        while self.site.requests < target and time.monotonic() < until:
            time.sleep(0.05)


def crawled_page(terminal: Terminal) -> list[str]:
    process = terminal.start("crawl", "web", "--quiet")
    terminal.wait(40)
    process.send_signal(signal.SIGUSR1)
    terminal.wait(60)
    return terminal.rooms(process)


def feed_poll(terminal: Terminal) -> list[str]:
    for number in range(6):
        terminal.run("feeds", "add", "web", f"http://h1.example/feed.xml?{number}")
    process = terminal.start("feeds", "watch", "web", "--spacing", "1", "--no-join")
    terminal.wait(3)
    process.send_signal(signal.SIGUSR1)
    terminal.wait(2)
    time.sleep(0.5)
    return terminal.rooms(process)


def crawl_request(terminal: Terminal) -> list[str]:
    process = terminal.start("serve", "web", "--port", "0")
    assert process.stdout is not None
    address = re.search(r"http://[^\s/]+", process.stdout.readline() or process.stdout.readline())
    assert address is not None
    for _ in range(3):
        urllib.request.urlopen(f"{address[0]}/crawl").read()
    process.send_signal(signal.SIGUSR1)
    time.sleep(0.3)
    urllib.request.urlopen(f"{address[0]}/crawl").read()
    return terminal.rooms(process)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=Path, default=ROOT / "src")
    parser.add_argument("--names", action="store_true", help="print the modules, too")
    options = parser.parse_args()
    site = Site()
    with tempfile.TemporaryDirectory() as folder:
        terminal = Terminal(options.source.resolve(), Path(folder), site)
        (Path(folder) / "seeds.txt").write_text("http://h0.example/p0.html\n", encoding="utf-8")
        terminal.run("init", "web", "--lang", "th", "--seeds", "seeds.txt")
        for name, walk in (("crawled page", crawled_page), ("feed poll", feed_poll), ("GET /crawl", crawl_request)):
            found = walk(terminal)
            print(f"{name:<14} {len(found):>4} modules")
            if options.names:
                print("    " + " ".join(module.removeprefix("phasa.") for module in found))


if __name__ == "__main__":
    main()
