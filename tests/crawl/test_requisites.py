"""Requisites in whole crawls: fetched, kept, not judged, within their budget, and not lost when the crawl is killed."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest
from aiohttp import web
from tests.durability.small_web import ENGLISH, THAI, SmallWeb, collection_for, command, finish

from phasa.archive.reader import read_archive
from phasa.archive_settings import ArchiveSettings
from phasa.collection import Collection
from phasa.crawl.run.explain import explain
from phasa.crawl.run.status import read_status
from phasa.frontier.budgets import Budgets
from phasa.frontier.reader import FrontierReader
from phasa.frontier.scope import ScopeSettings

HOME = "http://h0.example/p/0.html"
WITH = ArchiveSettings(requisites=True)
SEEN = {
    "http://h0.example/style.css",
    "http://h0.example/more.css",
    "http://h0.example/font.woff2",
    "http://h0.example/logo.png",
    "http://h0.example/code.js",
    "http://cdn.example/wide.jpg",
}


class Dressed(SmallWeb):
    """Pages with pictures, styles and scripts; the logo has two addresses and one content."""

    def answer(self, host: str, path: str) -> web.Response:
        if path == "/robots.txt":
            return web.Response(text="User-agent: *\nDisallow: /private/\n")
        if path == "/style.css":
            return web.Response(
                text="@import 'more.css'; body { background: url(/logo.png?2) }", content_type="text/css"
            )
        if path == "/more.css":
            return web.Response(text="@font-face { src: url(font.woff2) }", content_type="text/css")
        if path.startswith(("/logo", "/other.png")):
            return web.Response(body=b"\x89PNG logo", content_type="image/png")
        if path.startswith("/p/"):
            number = int(path[3:].partition(".")[0])
            links = "".join(f"<a href='{self.url(n)}'>{n}</a>" for n in range(number, min(number + 3, self.pages)))
            text = THAI if number % 2 == 0 else ENGLISH
            need = (
                "<link rel=stylesheet href=/style.css><script src=/code.js></script><img src=/logo.png>"
                "<img src=http://cdn.example/wide.jpg><img src=/private/x.png>"
                if number % 2 == 0
                else f"<img src=/other.png?{number}>"
            )
            return web.Response(text=f"<html><body><p>{text * 9}</p>{links}{need}", content_type="text/html")
        if path in ("/code.js", "/font.woff2", "/wide.jpg"):
            return web.Response(body=path.encode() * 9, content_type="application/octet-stream")
        return web.Response(status=404)


def states(collection: Collection, *urls: str) -> list[str]:
    with FrontierReader(collection.frontier_file) as frontier:
        return [explain(collection, url, frontier).state for url in urls]


def crawled(path: Path, small: SmallWeb, **changes: object) -> Collection:
    collection = collection_for(path / "c", small, **{"archive": WITH, **changes})  # type: ignore[arg-type]
    finish(command("crawl", collection.path, "--quiet"))
    return collection


def test_what_wanted_pages_need_is_fetched_and_never_judged(tmp_path: Path) -> None:
    with Dressed(6, 1).serving() as small:
        collection = crawled(tmp_path, small)
        asked = {f"http://{one.host}{one.path}" for one in small.arrivals}
    kept = {one.url for one in read_archive(collection.archive_folder)}
    assert asked >= SEEN
    assert kept >= SEEN
    assert not any("/other.png" in url for url in asked)  # of pages that are not wanted
    assert not any("/private/" in url for url in asked)  # robots.txt holds for them, too
    numbers = read_status(collection)
    assert numbers.pages == 6
    told = explain(collection, "http://h0.example/font.woff2")
    assert told.state == "done"
    assert told.wanted is None
    assert told.why.startswith("needed to see http://h0.example/more.css, never judged")
    assert told.found_on[-1] == HOME
    refused = explain(collection, "http://h0.example/private/x.png")
    assert refused.why == f"needed to see {HOME}, never judged; robots.txt does not allow it"


def test_without_the_setting_nothing_of_it_is_asked(tmp_path: Path) -> None:
    with Dressed(3, 1).serving() as small:
        crawled(tmp_path, small, archive=ArchiveSettings())
        assert {one.path for one in small.arrivals} == {"/robots.txt", "/p/0.html", "/p/1.html", "/p/2.html"}


def test_one_content_at_two_addresses_is_kept_once(tmp_path: Path) -> None:
    with Dressed(1, 1).serving() as small:
        collection = crawled(tmp_path, small)
    logos = [one for one in read_archive(collection.archive_folder) if "/logo.png" in one.url]
    assert sorted(one.revisit for one in logos) == [False, True]


def test_the_last_page_of_the_budget_gets_its_requisites(tmp_path: Path) -> None:
    with Dressed(60, 1).serving() as small:
        collection = crawled(tmp_path, small, budgets=Budgets(pages=1, free_disk_megabytes=0.0))
        pages = [one.path for one in small.arrivals if one.path.startswith("/p/")]
    assert pages == ["/p/0.html"]
    assert states(collection, *SEEN) == ["done"] * len(SEEN)
    assert read_status(collection).pages == 1


def test_requisites_have_a_budget_of_their_own(tmp_path: Path) -> None:
    with Dressed(6, 1).serving() as small:
        collection = crawled(tmp_path, small, archive=ArchiveSettings(requisites=True, requisite_requests=2))
        needed = [one for one in small.arrivals if not one.path.startswith(("/p/", "/robots"))]
    assert len(needed) == 2
    assert read_status(collection).pages == 6
    with FrontierReader(collection.frontier_file) as frontier:
        whys = [explain(collection, url, frontier).why for url in SEEN]
    assert any(why.endswith("the budget of requisites is spent") for why in whys)


def test_budgets_of_pages_and_choices_of_scope_are_no_matter_to_requisites_and_exclusions_are(tmp_path: Path) -> None:
    scope = ScopeSettings(domains=("h0.example",), not_domains=("cdn.example",))
    with Dressed(1, 1).serving() as small:
        collection = crawled(tmp_path, small, scope=scope, budgets=Budgets(pages_per_host=1, free_disk_megabytes=0.0))
    told = explain(collection, "http://cdn.example/wide.jpg")
    assert told.state == "dropped"
    assert told.why.endswith("domain cdn.example is excluded")
    here = [url for url in SEEN if "h0.example" in url]
    assert states(collection, *here) == ["done"] * len(here)


def test_a_picture_that_was_linked_to_first_is_fetched_when_a_page_needs_it(tmp_path: Path) -> None:
    class Linked(Dressed):
        def answer(self, host: str, path: str) -> web.Response:
            if path == "/first.html":
                text = f"<html><body><p>{THAI * 9}</p><a href=/logo.png>logo</a><a href=/p/0.html>next</a>"
                return web.Response(text=text, content_type="text/html")
            return super().answer(host, path)

    with Linked(1, 1).serving() as small:
        collection = crawled(tmp_path, small, seeds=["http://h0.example/first.html"])
    assert states(collection, "http://h0.example/logo.png") == ["done"]


@pytest.mark.parametrize("again", range(2))
def test_killed_at_any_moment_nothing_is_lost(tmp_path: Path, again: int) -> None:
    with Dressed(12, 2, seconds=0.02).serving() as small:
        collection = collection_for(tmp_path / "c", small, archive=WITH)
        for _ in range(3):
            process = command("crawl", collection.path, "--quiet")
            before = len(small.arrivals)
            while process.poll() is None and len(small.arrivals) < before + 5 + 3 * again:
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
            process.communicate()
        finish(command("crawl", collection.path, "--quiet"))
    assert states(collection, *SEEN) == ["done"] * len(SEEN)
    assert read_status(collection).pages == 12
    assert {one.url for one in read_archive(collection.archive_folder)} >= SEEN


def test_a_frontier_made_again_from_the_archive_knows_what_the_requisites_are(tmp_path: Path) -> None:
    with Dressed(3, 1).serving() as small:
        collection = crawled(tmp_path, small)
    collection.frontier_file.unlink()
    finish(command("repair", collection.path, "--frontier"))
    told = explain(collection, "http://h0.example/font.woff2")
    assert told.state == "done"
    assert told.why.startswith("needed to see http://h0.example/more.css")
