"""Captures in other people's players: a served page with pictures, styles, a script and a frame is crawled with what it
needs, opened in pywb and in ReplayWeb.page (as WARC and as WACZ), and compared with the live page point by point.

    python bench/replay.py [--pywb FOLDER] [--replaywebpage FOLDER]

`--pywb` is the folder with its commands (`python -m venv e && e/bin/pip install pywb "setuptools<80"`: e/bin), and
`--replaywebpage` the unpacked package (`npm pack replaywebpage && tar xf replaywebpage-*.tgz`: package). What is not
named is left out. Run it in the folder of the project: the site is the one of tests/service/test_replay.py.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from phasa.archive_settings import ArchiveSettings
from phasa.collection import Collection

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tests.durability.small_web import collection_for, command, finish
from tests.service.test_replay import HOME, Site, compared

SIZE = {"width": 900, "height": 600}
BANNER = 90  # points that pywb puts above a page
EMBED = f"""<!doctype html><script src="/replay/ui.js"></script><body style="margin:0"><replay-web-page source="/SOURCE"
style="width:900px;height:600px;display:block" url="{HOME}" replayBase="/replay/" embed="replayonly" noCache>"""


class _Files(http.server.SimpleHTTPRequestHandler):
    """Files by range, as ReplayWeb.page asks for them."""

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        path, asked = Path(self.translate_path(self.path)), re.match(r"bytes=(\d*)-(\d*)", self.headers["Range"] or "")
        if asked is None or not path.is_file():
            super().do_GET()
            return
        data = path.read_bytes()
        first = int(asked[1]) if asked[1] else max(0, len(data) - int(asked[2]))
        last = min(int(asked[2]), len(data) - 1) if asked[1] and asked[2] else len(data) - 1
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
        self.send_header("Content-Length", str(last + 1 - first))
        self.end_headers()
        self.wfile.write(data[first : last + 1])


@contextmanager
def pywb(folder: Path, work: Path, warcs: list[Path]) -> Iterator[str]:
    """The address of the page in pywb."""
    for words in (["init", "c"], ["add", "c", *map(str, warcs)]):
        subprocess.run([folder / "wb-manager", *words], cwd=work, check=True, capture_output=True)
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    words = [str(folder / "wayback"), "-p", str(port), "-b", "127.0.0.1"]
    server = subprocess.Popen(words, cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(60):
            time.sleep(0.5)
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    break
        yield f"http://127.0.0.1:{port}/c/2026mp_/{HOME}"
    finally:
        server.terminate()
        server.wait()


@contextmanager
def replaywebpage(package: Path, work: Path, source: Path) -> Iterator[str]:
    """The address of the page in ReplayWeb.page."""
    (work / "replay").mkdir(parents=True)
    for name in ("sw.js", "ui.js"):
        shutil.copy(package / name, work / "replay" / name)
    shutil.copy(source, work / source.name)
    (work / "index.html").write_text(EMBED.replace("SOURCE", source.name))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Files, directory=str(work)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/index.html"
    finally:
        server.shutdown()


def show(browser: Browser, name: str, address: str, live: bytes, top: int) -> None:
    asked: list[str] = []
    context = browser.new_context(viewport={"width": SIZE["width"], "height": SIZE["height"] + top})
    context.on("request", lambda request: asked.append(request.url))
    page = context.new_page()
    for _ in range(5):  # a service worker may not be there yet when the page is opened for the first time
        page.goto(address)
        page.wait_for_timeout(12_000)
        if any("/w/" in frame.url or frame.url == address for frame in page.frames[top == 0 :]):
            break
    shown = page.screenshot(clip={"x": 0, "y": top, **SIZE})  # type: ignore[arg-type]
    here = address.split("/")[2]
    outside = [url for url in asked if url.startswith(("http:", "https:")) and url.split("/")[2] != here]
    share, _ = compared(context.new_page(), live, shown)
    print(
        f"{name:<26} {share:>8.3%} of the points differ, {len(asked)} requests, outside: {outside or 'none'}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pywb", type=Path)
    parser.add_argument("--replaywebpage", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, Site(1, 1).serving() as site, sync_playwright() as player:
        folder = Path(name)
        made = collection_for(folder / "c", site, archive=ArchiveSettings(requisites=True), seeds=[HOME])
        finish(command("crawl", made.path, "--quiet"))
        finish(command("export", made.path, "--to", "wacz", "-o", folder / "c.wacz"))
        warcs = sorted(Collection.open(made.path).archive_folder.rglob("*.warc.gz"))
        rule = f"--host-resolver-rules=MAP h0.example 127.0.0.1:{site.port}"
        browser = player.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox", rule])
        page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
        page.goto(HOME, wait_until="networkidle")
        live = page.screenshot()
        page.close()
        if options.pywb:
            (folder / "pywb").mkdir()
            with pywb(options.pywb.resolve(), folder / "pywb", warcs) as address:
                show(browser, "pywb", address, live, BANNER)
        for source in (warcs[0], folder / "c.wacz") if options.replaywebpage else ():
            with replaywebpage(options.replaywebpage, folder / f"r{source.suffix}", source) as address:
                show(browser, f"ReplayWeb.page, {source.suffix[1:]}", address, live, 0)
        browser.close()


if __name__ == "__main__":
    main()
