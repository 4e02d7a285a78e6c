"""The commands of bench/debian_web.py that need the web to be here."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from bench.debian.answers import Web
from bench.debian.crawls import MARKS, Found, Task, draw_seeds, in_lab, live, seed_lines, truth_of
from bench.debian.lab_graph import graph_of
from bench.debian.sites import Site
from bench.debian.survey import NO_PAGE, Survey, kept_survey


def run(options: argparse.Namespace, sites: Sequence[Site]) -> int:
    """Do what the options say; the exit code."""
    folder: Path = options.cache
    web = Web(folder / "root", sites)
    if options.command == "serve":
        from bench.debian.server import serve_forever

        serve_forever(web, options.port, folder)
    say = lambda text: print(text, file=sys.stderr, flush=True)  # noqa: E731
    known = kept_survey(folder, web, options.hosts, say, independent=options.independent)
    if options.command in (None, "survey"):
        print(describe(known))
    elif options.command == "graph":
        from phasa.lab.store import write_graph

        write_graph(graph_of(known, options.lang), options.out)
        print(f"phasa lab run --graph {options.out} --lang {options.lang} --strategies hybrid,bfs --pages 2000")
    elif options.command == "speed":
        from bench.debian.speed import compare

        with server(folder, options.hosts) as (address, ca_file):
            compare(options, known, address, ca_file)
    else:
        languages = options.langs.split(",") if options.command == "table" else [options.lang]
        strategies = options.strategies.split(",") if options.command == "table" else [options.strategy]
        with server(folder, options.hosts) as (address, ca_file):
            for language in languages:
                table(options, known, language, strategies, address, ca_file)
    return 0


@contextmanager
def server(folder: Path, hosts: str = "") -> Iterator[tuple[str, str]]:
    """The web served by a process of its own while the block runs: address:port, and the file of its authority."""
    script = Path(__file__).parents[1] / "debian_web.py"
    process = subprocess.Popen(
        [sys.executable, str(script), "--cache", str(folder), "--hosts", hosts, "serve"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        words = process.stdout.readline().split()
        if len(words) != 2:
            raise RuntimeError("the server did not start")
        yield urlsplit(words[0]).netloc, words[1]
    finally:
        process.terminate()
        process.wait()


def table(
    options: argparse.Namespace,
    known: Survey,
    language: str,
    strategies: Sequence[str],
    address: str,
    ca_file: str,
) -> None:
    """Print one language: each strategy, live beside the lab."""
    graph, truth = graph_of(known, language), truth_of(known, language)
    there = int(graph.wanted.sum())
    print(f"\n{language}: {there:,} pages. In the language after so many fetches; share of the pages that came")
    print(f"{'':<12}{'':<6}" + "".join(f"{mark:>7,}" for mark in MARKS) + f"{'  per page':<10}"
          + "".join(f"{mark:>7,}" for mark in MARKS) + f"{'fetches':>9}{'CPU s':>7}{'wall s':>8}{'MB':>6}")  # fmt: skip
    for draw in range(options.first, options.first + options.draws):
        seeds = draw_seeds(graph, draw)
        for strategy in strategies:
            rows = [("lab", in_lab(graph, strategy, seeds, options.pages, truth, draw))]
            for _ in range(0 if options.lab_only else options.runs):
                with tempfile.TemporaryDirectory() as place:
                    task = Task(
                        folder=f"{place}/c", language=language, strategy=strategy, server=address, ca_file=ca_file,
                        pages=options.pages, delay=options.delay, seeds=seed_lines(seeds),
                    )  # fmt: skip
                    rows.append(("live", live(task, truth)))
            for kind, found in rows:
                print(_line(strategy, kind, found), flush=True)
                if options.json:
                    note = {"language": language, "draw": draw, "strategy": strategy, "kind": kind}
                    with options.json.open("ab") as file:
                        file.write(msgspec.json.encode(note | msgspec.to_builtins(found)) + b"\n")


def _line(strategy: str, kind: str, found: Found) -> str:
    after = "".join(f"{found.after[mark]:>7,}" if mark in found.after else f"{'':>7}" for mark in MARKS)
    share = "".join(f"{found.per_page[mark] / mark:>7.1%}" if mark in found.per_page else f"{'':>7}" for mark in MARKS)
    took = f"{found.fetches:>9,}{found.cpu:>7.1f}{found.wall:>8.1f}{found.megabytes:>6.0f}"
    early = f"  {found.why}" if kind == "live" and found.pages < MARKS[-1] else ""
    return f"{strategy:<12}{kind:<6}{after}{'':<10}{share}{took}{early}"


def describe(known: Survey) -> str:
    """What the web holds, in lines."""
    pages = list(known.pages())
    languages = Counter(row.language for row in pages)
    both = [row for row in pages if row.second]
    agreed = sum(row.language == row.second for row in both)
    links = Counter(goal for row in pages for goal in row.links)
    status = {row.url: row.status for row in known.rows}
    dead = sum(times for goal, times in links.items() if status[goal] in (404, NO_PAGE))
    moved = sum(times for goal, times in links.items() if status[goal] == 301)
    hosts = Counter(urlsplit(known.urls[row.url]).hostname for row in pages)
    lines = [
        f"{len(pages):,} pages on {len(hosts)} hosts, {len(known.rows):,} addresses",
        f"{links.total():,} links: {dead / max(1, links.total()):.1%} lead to no page, "
        f"{moved / max(1, links.total()):.1%} to a redirect",
        f"phasa's detector and py3langid agree on {agreed / max(1, len(both)):.1%} of {len(both):,} pages",
        "languages: " + ", ".join(f"{code} {number:,}" for code, number in languages.most_common(40)),
        "hosts: " + ", ".join(f"{host} {number:,}" for host, number in hosts.most_common()),
        "addresses that name one language and give another (share of those that name it):",
        *(
            f"  {place:<44}{share:>7.1%} of {number:>5,}, mostly {mostly}"
            for place, share, number, mostly in lies(known)
        ),
    ]
    return "\n".join(lines)


def lies(known: Survey, least: float = 0.05) -> list[tuple[str, float, int, str]]:
    """Folders named by a language, with the share of their pages in another one, worst first."""
    pages: dict[tuple[str, str], Counter[str]] = {}
    for row in known.pages():
        parts = urlsplit(known.urls[row.url])
        for folder in parts.path.split("/")[1:-1]:
            code = folder.partition(".")[0].replace("_", "-").partition("-")[0].lower()
            if len(code) == 2 and code.isalpha():
                pages.setdefault((f"{parts.hostname} {folder}", code), Counter())[row.language] += 1
    found = [
        (place, 1 - counts[code] / counts.total(), counts.total(), counts.most_common(1)[0][0])
        for (place, code), counts in pages.items()
        if counts.total() >= 20
    ]
    return sorted((one for one in found if one[1] >= least), key=lambda one: -one[1])
