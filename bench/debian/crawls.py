"""Crawls of the web, live and in the lab, from the same seeds, counted by the same truth."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec
from bench.debian.lab_graph import Recorded, chosen_rows
from bench.debian.survey import Survey

from phasa.crawl.seeds import seed_line
from phasa.crawl.strategies import Circumstances
from phasa.crawl.strategy import Seed
from phasa.lab.compare import lab_strategy
from phasa.lab.graph import Graph
from phasa.lab.replay import replay
from phasa.lab.seeds import mixed_seeds
from phasa.lab.targets import target_of

MARKS = (200, 500, 1000, 2000)
OWN, ENGLISH = 5, 25
HAND_MADE = Path(__file__).parent / "handmade.py"


class Found(msgspec.Struct):
    """One crawl: pages in the language after so many fetches, and what it took."""

    after: dict[int, int]
    """Of the first N fetches, redirects and dead links included."""
    per_page: dict[int, int]
    """Of the first N pages that came."""
    fetches: int
    pages: int
    cpu: float = 0.0
    wall: float = 0.0
    megabytes: float = 0.0
    judged: int = 0
    """Pages that the crawl itself found to be in the language."""
    why: str = ""


class Task(msgspec.Struct):
    """What the process of a live crawl is told."""

    folder: str
    language: str
    strategy: str
    server: str
    ca_file: str
    pages: int
    delay: float
    seeds: list[str]


Truth = Callable[[str], str]


def truth_of(survey: Survey, language: str) -> Truth:
    """The language of the page behind an address, for a crawl after a language; '' where there is no page."""
    rows = zip(survey.rows, chosen_rows(survey, language), strict=True)
    known = {survey.urls[row.url]: met.language for row, met in rows if met.status == 200}
    return lambda url: known.get(url, "")


def count(urls: Iterable[str], truth: Truth, language: str) -> Found:
    """What the fetches of a crawl, in their order, brought."""
    found = pages = fetches = 0
    after: dict[int, int] = {}
    per_page: dict[int, int] = {}
    for url in urls:
        said = truth(url)
        fetches += 1
        pages += bool(said)
        found += said == language
        if fetches in MARKS:
            after[fetches] = found
        if said and pages in MARKS:
            per_page[pages] = found
    return Found(after, per_page, fetches, pages)


def draw_seeds(graph: Graph, draw: int, own: int = OWN, english: int = ENGLISH) -> list[Seed]:
    """Random pages of the language with links, among random English ones."""
    return mixed_seeds(graph, graph.target, draw, own, english)


def in_lab(graph: Graph, strategy: str, seeds: Sequence[Seed], pages: int, truth: Truth, draw: int) -> Found:
    """The crawl as the lab replays it."""
    assert isinstance(graph.addresses, Recorded)
    graph.addresses.asked.clear()
    begun, wall = time.process_time(), time.perf_counter()
    replay(graph, lab_strategy(strategy, Circumstances(target_of(graph), seed=draw)), seeds, pages)
    found = count(graph.addresses.asked, truth, graph.target)
    return msgspec.structs.replace(found, cpu=time.process_time() - begun, wall=time.perf_counter() - wall)


def live(task: Task, truth: Truth) -> Found:
    """The crawl by phasa over HTTP and TLS, in a process of its own. Raises RuntimeError with what it said."""
    script = Path(__file__).parents[1] / "debian_web.py"
    done = subprocess.run(
        [sys.executable, str(script), "child"],
        input=msgspec.json.encode(task), capture_output=True, check=False, env=os.environ,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr.decode(errors="replace")[-3000:])
    took = json.loads(done.stdout.splitlines()[-1])
    from phasa.crawl.run.crawl_log import read_log

    lines = [line for line in read_log(Path(task.folder) / "crawl.log") if line.status]
    found = count((line.url for line in lines), truth, task.language)
    return msgspec.structs.replace(found, judged=sum(line.wanted is True for line in lines), **took)


def live_child(task: Task) -> dict[str, object]:
    """Crawl with the settings of a new collection; only where the web is, the delay and the page limit are set."""
    from phasa.collection import Collection
    from phasa.crawl.run.runs import run_collection
    from phasa.frontier.politeness import Politeness

    made = Collection.create(Path(task.folder), language=task.language, server=task.server)
    (made.path / Collection.SEEDS).write_text("".join(f"{line}\n" for line in task.seeds), encoding="utf-8")
    strategy = f"{HAND_MADE}:hand_made" if task.strategy == "handmade" else task.strategy
    settings = msgspec.structs.replace(
        made.settings,
        strategy=strategy,
        allow_private=True,
        ca_file=task.ca_file,
        politeness=Politeness(delay=task.delay, address_delay=0.0),
        budgets=msgspec.structs.replace(made.settings.budgets, pages=task.pages, idle_seconds=10.0),
    )
    begun, wall = processor_seconds(), time.perf_counter()
    run = run_collection(Collection(made.path, settings))
    return {
        "cpu": processor_seconds() - begun,
        "wall": time.perf_counter() - wall,
        "megabytes": peak_megabytes(),
        "why": "; ".join([run.outcome.why, *map(str, run.errors[:2])]),
    }


def processor_seconds() -> float:
    """Time of this process and of those that it started and that have ended: the ones that read pages."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def peak_megabytes() -> float:
    """Most memory that this process had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def seed_lines(seeds: Sequence[Seed]) -> list[str]:
    """Seeds as the lines of seeds.txt."""
    return [seed_line(seed) for seed in seeds]
