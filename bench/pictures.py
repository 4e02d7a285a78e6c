"""The pictures of the application in the manual, taken of a collection, such as the one that `make demo` leaves.

    python bench/pictures.py demo/thai-web docs/pictures

Serves the collection, brings search and start page up to date, repeats one published experiment, and takes ten pictures
in headless Chromium: three languages, light and dark, desk and phone.
"""

from __future__ import annotations

import argparse
import base64
import json
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from playwright.sync_api import sync_playwright

DESK, TALL, PHONE = (1280, 800), (1280, 1240), (390, 844)
QUALITY = 88
EXPERIMENT = "feeds"


class Shot(NamedTuple):
    """One picture: its name, the page, the reader's language, light or dark, and what is scrolled to."""

    name: str
    path: str
    locale: str
    scheme: str = "light"
    window: tuple[int, int] = DESK
    at: str = ""


def asked(link: str, path: str, body: object = None) -> Any:
    """An answer of the API; a POST when there is a body."""
    request = urllib.request.Request(link + path, json.dumps(body).encode() if body is not None else None)
    request.add_header("content-type", "application/json")
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def done(link: str, job: Any) -> None:
    while asked(link, f"/api/jobs/{job['id']}")["state"] in ("waiting", "running"):
        time.sleep(0.5)


def shots(link: str) -> list[Shot]:
    """What to take, of what this collection has: a topic, a page that has others like it."""
    start = asked(link, "/api/start")
    digest = start["digest"]
    topics = digest["topics"]
    words = " ".join(topics[0]["words"][:2]) if topics else digest["words"][0]["term"]
    pages = [
        f"/collection/page?url={quote(one['url'], safe='')}"
        for number in range(1, 6)
        for one in asked(link, f"/api/collection/search?q={quote(words)}&wanted=true&page={number}")["result"]["found"]
    ]
    page = next((path for path in pages if asked(link, f"/api{path}")["near"]), pages[0])
    search = f"/collection/search?q={quote(words)}"
    return [
        Shot("start-en", "/", "en-GB", window=TALL),
        Shot("start-fa-phone", "/", "fa-IR", "dark", PHONE),
        Shot("search-th", search, "th-TH", window=TALL),
        Shot("search-th-phone", search, "th-TH", "dark", PHONE, at="#trend"),
        Shot("page-en", page, "en-GB", window=TALL),
        Shot("collection-fa", "/collection", "fa-IR", "dark"),
        Shot("export-en", "/collection", "en-GB", "dark", at="#export"),
        Shot("feeds-th", "/feeds", "th-TH"),
        Shot("crawl-fa", "/crawl", "fa-IR"),
        Shot("lab-en", f"/lab/tables/{EXPERIMENT}", "en-GB"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collection", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", default="", help="names of pictures, parted by commas")
    given = parser.parse_args()
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    words = [sys.executable, "-m", "phasa", "serve", str(given.collection), "--port", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server, sync_playwright() as playwright:
        try:
            assert server.stdout is not None
            link = server.stdout.readline().partition("phasa is at ")[2].partition(" ")[0].rstrip("/")
            done(link, asked(link, "/api/collection/index", {}))
            if not next(one["written"] for one in asked(link, "/api/lab/published") if one["name"] == EXPERIMENT):
                done(link, asked(link, f"/api/lab/published/{EXPERIMENT}", {}))
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            for shot in shots(link):
                if given.only and shot.name not in given.only.split(","):
                    continue
                context = browser.new_context(
                    locale=shot.locale,
                    viewport={"width": shot.window[0], "height": shot.window[1]},
                    color_scheme=shot.scheme,  # type: ignore[arg-type]
                    reduced_motion="reduce",
                )
                page = context.new_page()
                page.goto(link + shot.path)
                page.wait_for_timeout(800)
                if shot.at:
                    page.locator(shot.at).evaluate("node => node.scrollIntoView()")
                path = given.out / f"{shot.name}.webp"
                taken = context.new_cdp_session(page).send(
                    "Page.captureScreenshot", {"format": "webp", "quality": QUALITY}
                )
                path.write_bytes(base64.b64decode(taken["data"]))
                print(f"{path}: {path.stat().st_size / 1000:.0f} kB")
                context.close()
            browser.close()
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
