"""What the lab proves is what runs: a crawl over real HTTP, with the settings of a new collection, harvests nearly what
the lab harvests on the same web."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from phasa.collection import Collection
from phasa.crawl.run.crawl_log import Logged, read_log
from phasa.crawl.run.runs import run_collection
from phasa.frontier.politeness import Politeness
from phasa.lab.compare import crawl_on
from phasa.lab.curves import Ground

WORLD, PAGES = "1:6000", 300
GROUND = Ground(world=WORLD, language="th", seeds="thai1", judge="crawl")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, str]]:
    """A generated web over HTTP: its port, and the seeds that the command wrote."""
    seeds = tmp_path_factory.mktemp("web") / "seeds.txt"
    server = subprocess.Popen(
        [sys.executable, "-m", "phasa", "lab", "serve", WORLD, "--port", "0", "--seeds", str(seeds)],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        port = int(server.stdout.readline().rstrip("/\n").rpartition(":")[2])
        yield port, seeds.read_text(encoding="utf-8")
    finally:
        server.terminate()
        server.wait()


def live_crawl(folder: Path, served: tuple[int, str], pages: int, **changes: float) -> list[Logged]:
    """The pages of a live crawl, as they came."""
    made = Collection.create(folder, language="th")
    port, seeds = served
    (made.path / Collection.SEEDS).write_text(seeds, encoding="utf-8")
    settings = msgspec.structs.replace(
        made.settings,
        server=f"127.0.0.1:{port}",
        allow_private=True,
        politeness=Politeness(delay=0.0, address_delay=0.0),
        budgets=msgspec.structs.replace(made.settings.budgets, pages=pages),
        **changes,
    )
    run_collection(Collection(made.path, settings))
    came = [line for line in read_log(made.path / Collection.LOG) if line.wanted is not None]
    assert len(came) >= pages
    return came


def live_harvest(folder: Path, served: tuple[int, str], **changes: float) -> float:
    """The share of wanted pages among the first so many of a live crawl."""
    return sum(line.wanted is True for line in live_crawl(folder, served, PAGES + 50, **changes)[:PAGES]) / PAGES


def test_a_live_crawl_harvests_nearly_what_the_lab_does(served: tuple[int, str], tmp_path: Path) -> None:
    graph, lab = crawl_on(GROUND, "hybrid", PAGES)
    in_lab = float(graph.wanted[lab.pages].mean())
    live = live_harvest(tmp_path / "live", served)
    careless = live_harvest(tmp_path / "careless", served, tolerance=1.0)
    assert live >= in_lab - 0.06
    assert careless < live - 0.1


def test_a_live_crawl_with_one_connection_goes_the_way_of_the_lab_page_by_page(
    served: tuple[int, str], tmp_path: Path
) -> None:
    graph, lab = crawl_on(GROUND, "hybrid", 60)
    live = live_crawl(tmp_path / "one", served, 60, connections=1)
    assert [line.url for line in live] == [graph.url(page) for page in lab.pages.tolist()]
    assert [line.wanted for line in live] == graph.wanted[lab.pages].tolist()
