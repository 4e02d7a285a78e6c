"""The demo as it is told on the terminal: each step is a command that the reader can repeat."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from phasa.collection import Collection
from phasa.crawl.run.crawl_log import read_log
from phasa.demo.ending import look_around
from phasa.demo.newsroom import LEARN_DAYS, WATCH_DAYS, Watched, watch_feeds
from phasa.demo.report import EVERY, harvest, written
from phasa.errors import InputError
from phasa.feeds.report import feed_lines, report_feed, write_report
from phasa.feeds.store import FeedStore
from phasa.lab.chart import Series
from phasa.lab.report import write_files
from phasa.lab.world import World
from phasa.overview.reading import MOST_PAGES

WORLD, PAGES = "7:6000", 1500
FEEDS, POLLS_A_DAY = 25, 80.0


def tell(folder: Path) -> None:
    """Make a web, crawl it, watch its feeds, read it; leave a report. Raises InputError when the folder is taken."""
    console = Console(highlight=False)
    if folder.exists():
        if not (folder / "made-by-phasa-demo").is_file():
            raise InputError(f"{folder}: exists and is not from an earlier demo; choose another folder")
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    (folder / "made-by-phasa-demo").write_text("`make demo` may delete this folder.\n", encoding="utf-8")
    console.print("phasa collects, keeps fresh and reads the web of one language.")
    console.print("This demo makes a small web on this machine and crawls it for Thai. No network is used.\n")
    world = World.from_name(WORLD, "th")

    console.rule("1. Find the pages of a language first", align="left")
    site = folder / "thai-web"
    with _served(console, folder / "seeds.txt") as server:
        _run(console, "init", site, "--lang", "th", "--seeds", folder / "seeds.txt", "--server", server)
        _run(console, "crawl", site, "--pages", PAGES)
    wanted = harvest(Collection.open(site).log_file)
    replayed = _replayed(console)
    ours, theirs = sum(wanted) / len(wanted), replayed[0].y[-1]
    console.print(f"{ours:.0%} of what phasa fetched is Thai; breadth-first gets {theirs:.0%} on the same web.\n")

    console.rule("2. Say why", align="left")
    _run(console, "why", site, _far_away(site))

    console.rule("3. Keep fresh: ask each feed when it is worth it", align="left")
    watched = _newsroom(console, world, site, folder / "feeds.html")
    console.print(
        f"{watched.feeds} feeds, {watched.polls / WATCH_DAYS:.0f} requests a day: a post is found after "
        f"{watched.delay:.1f} hours; spread evenly, after {watched.evenly:.1f}.\n"
    )

    console.rule("4. Read: what is it about?", align="left")
    _run(console, "overview", site, "--by", "host", "--target", 60, "-o", folder / "cloud.html")
    host, words = _words(site)
    console.print(f"  {host}: " + " · ".join(words) + "\n")

    result = written(WORLD, len(world.sites), wanted, replayed, watched, host, words)
    report = write_files(result, folder)[0]
    write_files(result, Collection.open(site).reports_folder)  # for the Lab page
    console.rule("Done", align="left")
    console.print(
        f"The report: [bold]{report}[/bold]   tag cloud: {folder / 'cloud.html'}   feeds: {folder / 'feeds.html'}"
    )
    console.print("On the real web:")
    console.print("  phasa init thai-web --lang th --seeds my-seeds.txt --contact you@example.org")
    console.print("  phasa crawl thai-web --pages 1000")
    console.print("  phasa serve thai-web\n")
    look_around(console, site)


def _phasa(*words: object) -> list[str]:
    return [sys.executable, "-m", "phasa", *map(str, words)]


def _run(console: Console, *words: object) -> None:
    """Show a command and run it; what it prints goes to the terminal as it comes."""
    console.print("[green]$ phasa " + " ".join(map(str, words)))
    subprocess.run(_phasa(*words), check=True)
    console.print()


@contextmanager
def _served(console: Console, seeds: Path) -> Iterator[str]:
    """The world over HTTP, its seeds in a file; gives address:port."""
    words = ("lab", "serve", WORLD, "--port", 0, "--seeds", seeds)
    console.print("[green]$ phasa " + " ".join(map(str, words)) + " &")
    with subprocess.Popen(_phasa(*words), stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            line = server.stdout.readline().strip()
            console.print(line + "\n")
            yield line.rpartition("http://")[2].rstrip("/")
        finally:
            server.terminate()


def _replayed(console: Console) -> list[Series]:
    words = ("lab", "run", "--world", WORLD, "--strategies", "bfs,lswc", "--pages", PAGES, "--every", EVERY, "--json")
    console.print("[green]$ phasa " + " ".join(map(str, words)))
    shown = subprocess.run(_phasa(*words), check=True, capture_output=True, text=True).stdout
    names = {"bfs": "breadth-first, replayed", "lswc": "LSWC (Srisukha 2009), replayed"}
    return [Series(names[one["strategy"]], one["pages"], one["harvest"]) for one in json.loads(shown)]


def _far_away(site: Path) -> str:
    """A Thai page on a foreign host, as late in the crawl as there is one: its story is the longest."""
    pages = [line.url for line in read_log(Collection.open(site).log_file) if line.wanted]
    foreign = [url for url in pages if not url.split("/")[2].endswith(".th")]
    return (foreign or pages)[-1]


def _newsroom(console: Console, world: World, site: Path, page: Path) -> Watched:
    store_file = site / "feeds.db"
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task(f"{FEEDS} feeds on a fast clock, days", total=LEARN_DAYS + WATCH_DAYS)
        watched = asyncio.run(
            watch_feeds(world, store_file, FEEDS, POLLS_A_DAY, lambda day: progress.update(task, completed=day))
        )
    with FeedStore(store_file) as store:
        now = max(feed.due for feed in store.feeds())
        page.write_text(
            write_report([report_feed(store, line, now) for line in feed_lines(store, now)], store.latest(), now),
            encoding="utf-8",
        )
    return watched


def _words(site: Path) -> tuple[str, list[str]]:
    """The site that the cloud is about, the largest of those that are read, and its heaviest words."""
    host = _keywords(site, "--top", 1)[0]
    return _keywords(site, "--group", host, "--top", 12)


def _keywords(site: Path, *options: object) -> tuple[str, list[str]]:
    """Those of the first host that the command names, from as many pages as a cloud is made of."""
    words = _phasa("keywords", site, "--by", "host", *options, "--pages", MOST_PAGES, "--json")
    shown = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    first = json.loads(shown.partition("\n")[0])
    return first["file"], [word["term"] for word in first["keywords"]]
