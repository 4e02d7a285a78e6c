"""`phasa crawl --cycles` on a served Persian web: five cycles, killed in every stage, its figures against the truth."""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import web as http
from tests.durability.kills import die_at
from typer.testing import CliRunner

from phasa.archive.reader import read_archive
from phasa.cli.crawl import app
from phasa.collection import Collection
from phasa.crawl.run.cycles import cycles_table, read_journal
from phasa.crawl.seeds import seed_line
from phasa.frontier.rules import Rules
from phasa.frontier.sqlite import SqliteFrontier
from phasa.lab.seeds import seeds_of
from phasa.lab.serve import Answers, answering
from phasa.lab.world import World
from phasa.settings import write_settings
from phasa.strategy_settings import CycleSettings

# stage -> (module, class or '', function, kill before the call (0) or after it (1), which call)
POINTS = {
    "manager, before it assigns": ("phasa.crawl.wire.cycles", "", "assign", 0, 1),
    "manager, assigned and not noted": ("phasa.crawl.wire.cycles", "", "assign", 1, 1),
    "harvester": ("phasa.crawl.live", "LiveWeb", "get", 0, 12),
    "gatherer": ("phasa.crawl.judge", "LanguageJudge", "judge_many", 1, 3),
    "seeder, before a page and its links are committed": ("phasa.frontier.sqlite", "SqliteFrontier", "finish", 0, 9),
    "seeder, after a commit": ("phasa.frontier.database", "Database", "commit", 1, 6),
    "counting": ("phasa.crawl.wire.cycles", "", "counted", 0, 1),
}


def crawl(path: str, point: str, cycles: int) -> None:
    """What `phasa crawl --cycles` does; it kills itself at its point."""
    from phasa.crawl.run.runs import run_collection

    if point:
        die_at(*POINTS[point])
    collection = Collection.open(Path(path))
    with collection.locked():
        run_collection(collection, cycles=cycles)


class Counting(Answers):
    """Counts the requests for each page."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.asked: Counter[str] = Counter()

    def answer(self, host: str, site: int, path: str) -> http.Response:
        if path != "/robots.txt":
            self.asked[f"http://{host}{path}"] += 1
        return super().answer(host, site, path)


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[World, int, Counting]]:
    world = World.from_name("5:3000", "fa", lies=0.0)
    answers, ready, stop = Counting(world), threading.Event(), asyncio.Event()
    found: list[Any] = []

    async def serve() -> None:
        async with answering(answers) as (port, _):
            found.extend([port, asyncio.get_running_loop()])
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    ready.wait(30)
    yield world, found[0], answers
    found[1].call_soon_threadsafe(stop.set)
    thread.join(10)


def collection_at(path: Path, world: World, port: int) -> Collection:
    seeds = path.with_name(f"{path.name}.txt")
    seeds.write_text("".join(f"{seed_line(seed)}\n" for seed in seeds_of(world, "set3")), encoding="utf-8")
    made = Collection.create(path, language="fa", seeds=seeds, server=f"127.0.0.1:{port}")
    changed = msgspec.structs.replace(
        made.settings, detector="persian", cycles=CycleSettings(batch=40, domains=("ir", "com", "org"))
    )
    (path / Collection.SETTINGS).write_text(write_settings(changed), encoding="utf-8")
    return Collection.open(path)


def forked(path: Path, point: str, cycles: int) -> int | None:
    child = multiprocessing.get_context("spawn").Process(target=crawl, args=(str(path), point, cycles))
    child.start()
    child.join(120)
    return child.exitcode


def test_five_cycles_with_a_kill_in_each_stage_count_what_is_there(
    served: tuple[World, int, Counting], tmp_path: Path
) -> None:
    world, port, answers = served
    collection = collection_at(tmp_path / "killed", world, port)
    for point in POINTS:
        assert forked(collection.path, point, 1) == -signal.SIGKILL, point
    left = 5 - len(read_journal(collection).cycles)
    assert forked(collection.path, "", left) == 0
    journal = read_journal(collection)
    print(cycles_table(collection))
    assert [row.number for row in journal.cycles] == [1, 2, 3, 4, 5]
    assert journal.begun is None
    last = journal.cycles[-1]
    seeds = [line.split()[0] for line in collection.seeds()]
    frontier = SqliteFrontier(collection.frontier_file, Rules())
    visited = list(frontier.visited())
    stats = frontier.stats()
    assert all(one.priority < -1e8 for one in frontier.queue())  # no batch is left over
    frontier.close()
    # A page that a redirect of the batch leads to is fetched in its cycle without being assigned, unless it is known.
    assigned, moved = sum(row.assigned for row in journal.cycles), sum(one.visit.status == 301 for one in visited)
    assert assigned <= last.processed == len(visited) <= assigned + moved
    assert (last.parsed, last.persian) == (stats.pages, stats.wanted)
    captured = [stored.url for stored in read_archive(collection.archive_folder) if stored.status == 200]
    assert len(set(captured)) >= last.parsed
    assert last.static + last.dynamic == last.parsed
    assert sum(last.by_tld.values()) == last.persian
    assert set(last.by_tld) <= {
        "ir",
        "com",
        "org",
        *(url.split("/")[2].rpartition(".")[2] for url in seeds),
    }
    marked = [world.find(one.url) for one in visited if one.visit.wanted]
    assert sum(bool(world.graph.wanted[page]) for page in marked) >= 0.8 * len(marked)
    again = {url: times for url, times in answers.asked.items() if times > 1}
    assert sum(times - 1 for times in again.values()) <= 40 * len(POINTS)  # only what was under way is asked for again
    assert all(times <= 1 + len(POINTS) for times in again.values())


def test_the_command_prints_and_writes_its_figures(served: tuple[World, int, Counting], tmp_path: Path) -> None:
    world, port, _ = served
    collection = collection_at(tmp_path / "told", world, port)
    done = CliRunner().invoke(app, [str(collection.path), "--cycles", "2", "-q"])
    assert done.exit_code == 0, done.output
    assert "wanted by domain" in done.output
    rows = (collection.reports_folder / "cycles.csv").read_text().splitlines()
    assert len(rows) == 3
    assert rows[0].startswith("cycle,assigned,processed,parsed,persian,stage_1,stage_4")
    refused = CliRunner().invoke(app, [str(collection.path), "--cycles", "1", "--strategy", "lswc", "-q"])
    assert refused.exit_code != 0
    from phasa.crawl.run.explain import explain

    seed = Collection.open(collection.path).seeds()[0].split()[0]
    assert explain(collection, seed).state == "done"
