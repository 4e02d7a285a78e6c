"""From a crawl to a graph to a comparison, by commands: labels are the crawl's verdicts, and a knowledge base of
another crawl orders the replay."""

from __future__ import annotations

import asyncio
import io
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from scipy.io import arff
from typer.testing import CliRunner

from phasa.cli.lab import app as lab
from phasa.cli.learn import app as learning
from phasa.collection import Collection
from phasa.crawl.answer import Kind
from phasa.crawl.learn.knowledge import KnowledgeBase, read_knowledge, write_arff
from phasa.crawl.run.crawl_log import read_log
from phasa.crawl.run.runs import run_collection, with_limits
from phasa.crawl.seeds import seed_line
from phasa.frontier.protocol import State
from phasa.frontier.rules import Rules
from phasa.frontier.sqlite import SqliteFrontier
from phasa.lab.compare import reachable_from, setup_of
from phasa.lab.curves import Ground
from phasa.lab.page_judge import PageJudge
from phasa.lab.replay import GraphAnswer
from phasa.lab.seeds import seeds_of
from phasa.lab.serve import Answers, answering
from phasa.lab.store import read_graph
from phasa.lab.world import World

PAGES = 400


@pytest.fixture(scope="module")
def crawls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Collection, Collection]]:
    """Two crawls of Persian webs among neighbours, which have no page in common."""
    folder = tmp_path_factory.mktemp("crawls")
    made, ends = [], []
    for name, web, seeds in (("first", "4:2500", "set3"), ("second", "9:2500", "set2")):
        world = World.from_name(web, "fa-near")
        port, end = _served(world)
        ends.append(end)
        listed = folder / f"{name}.txt"
        listed.write_text("".join(f"{seed_line(one)}\n" for one in seeds_of(world, seeds)), encoding="utf-8")
        collection = Collection.create(folder / name, language="fa", seeds=listed, server=f"127.0.0.1:{port}")
        collection = with_limits(collection, PAGES, strategy="bfs")
        # One request after the other: the same pages each time.
        strict = msgspec.structs.replace(collection.settings, connections=1, tolerance=1.0)
        collection = Collection(collection.path, strict)
        with collection.locked():
            run_collection(collection)
        made.append(collection)
    yield made[0], made[1]
    for end in ends:
        end()


def _served(world: World) -> tuple[int, Callable[[], None]]:
    """The port of a server of the world, and what ends it."""
    ready, stop = threading.Event(), asyncio.Event()
    found: list[Any] = []

    async def serve() -> None:
        async with answering(Answers(world)) as (port, _):
            found.extend([port, asyncio.get_running_loop()])
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    ready.wait(60)

    def end() -> None:
        found[1].call_soon_threadsafe(stop.set)
        thread.join(10)

    return found[0], end


@pytest.fixture(scope="module")
def graph_file(crawls: tuple[Collection, Collection]) -> Path:
    path = crawls[0].path.with_name("web.db")
    done = CliRunner().invoke(lab, ["graph", "--from", str(crawls[0].path), "--lang", "fa", "-o", str(path)])
    assert done.exit_code == 0, done.output
    return path


def test_the_labels_are_the_verdicts_of_the_crawl_on_every_page(
    crawls: tuple[Collection, Collection], graph_file: Path
) -> None:
    graph = read_graph(graph_file, "fa")
    frontier = SqliteFrontier(crawls[0].frontier_file, Rules())
    verdicts = {one.url: one.visit for one in frontier.visited() if one.visit.wanted is not None}
    moved = {one.url for one in frontier.visited() if one.visit.status in (301, 302)}
    assert all(story.state is State.DONE for url in verdicts if (story := frontier.story(url)) is not None)
    frontier.close()
    assert len(verdicts) >= PAGES
    labels = {graph.url(page): bool(graph.wanted[page]) for page in range(len(graph)) if graph.status[page] == 200}
    assert labels == {url: visit.wanted for url, visit in verdicts.items()}
    languages = {graph.url(page): graph.languages[int(graph.language[page])] for page in range(len(graph))}
    assert all(languages[url] == visit.language for url, visit in verdicts.items())
    assert 0 < sum(labels.values()) < len(labels)
    assert {graph.url(page) for page in np.flatnonzero(graph.status == 301).tolist()} == moved
    print(f"{len(labels)} pages, {sum(labels.values())} in the language, {len(moved)} redirects")


def test_the_judge_of_the_lab_finds_what_the_crawl_found_on_every_page(crawls: tuple[Collection, Collection]) -> None:
    world = World.from_name("4:2500", "fa-near")
    judge = PageJudge(world)
    pages = [line for line in read_log(crawls[0].log_file) if line.wanted is not None]
    assert len(pages) >= PAGES
    places = np.array([world.find(line.url) for line in pages])
    answers = [GraphAnswer(Kind.PAGE, "", status=200, number=place) for place in places.tolist()]
    assert [judge.judge(answer).wanted for answer in answers] == [line.wanted for line in pages]
    labelled = judge.labelled(world.graph, places)
    assert labelled.wanted[places].tolist() == [line.wanted for line in pages]
    assert not np.array_equal(labelled.wanted, world.graph.wanted)  # mixed pages: the web and the judge differ


def test_harvest_in_the_lab_is_what_the_judge_of_a_crawl_says() -> None:
    command = ["run", "--world", "4:2500", "--lang", "fa-near", "--seeds", "set3", "--strategies", "bfs", "--json"]
    told = {
        judge: json.loads(CliRunner().invoke(lab, [*command, "--pages", "400", "--judge", judge]).output)[0]["harvest"]
        for judge in ("crawl", "web")
    }
    assert told["crawl"][-1] < told["web"][-1]
    assert CliRunner().invoke(lab, [*command, "--judge", "me"]).exit_code != 0


def test_the_figures_are_those_of_the_pages_that_were_asked_for(
    crawls: tuple[Collection, Collection], graph_file: Path
) -> None:
    seeds = str(crawls[0].path / Collection.SEEDS)
    command = [
        "run",
        "--graph",
        str(graph_file),
        "--lang",
        "fa",
        "--seeds",
        seeds,
        "--strategies",
        "bfs",
        "--every",
        "10",
    ]
    few, many = (
        json.loads(CliRunner().invoke(lab, [*command, "--pages", pages, "--json"]).output)[0] for pages in ("20", "80")
    )
    assert few["pages"] == [10, 20]
    assert few["harvest"] == many["harvest"][:2]
    assert few["found_after"] == many["found_after"]  # of half of the web, however few pages were asked for


def test_shares_of_the_reachable_are_never_above_one(crawls: tuple[Collection, Collection], graph_file: Path) -> None:
    graph = read_graph(graph_file, "fa")
    seeds = crawls[0].path / Collection.SEEDS
    command = ["run", "--graph", str(graph_file), "--lang", "fa", "--seeds", str(seeds), "--strategies", "bfs,lswc"]
    found = json.loads(CliRunner().invoke(lab, [*command, "--pages", "500", "--json"]).output)
    for one in found:
        assert all(0 <= share <= 1 for share in one["found_after"])
        assert one["found_after"] == sorted(one["found_after"])
    # All that was crawled from the seeds is reached from them, by way of redirects, too.
    from phasa.crawl.seeds import read_seeds

    reachable = reachable_from(graph, read_seeds(seeds).seeds)
    assert reachable.sum() == (graph.status == 200).sum()


def test_a_knowledge_base_of_another_crawl_orders_the_replay(
    crawls: tuple[Collection, Collection], graph_file: Path
) -> None:
    done = CliRunner().invoke(learning, ["collection", str(crawls[1].path), "--check-every", "60", "--json"])
    assert done.exit_code == 0, done.output
    lesson = json.loads(done.output)
    assert [check["rows"] for check in lesson["checks"]][:2] == [60, 120]
    kb = crawls[1].models_folder / "knowledge.arff"
    seeds = str(crawls[0].path / Collection.SEEDS)
    command = ["run", "--graph", str(graph_file), "--lang", "fa", "--seeds", seeds, "--pages", "80", "--every", "20"]
    results = {}
    for trained in ("pass", "remove"):
        told = [*command, "--strategies", "nb,bfs", "--kb", str(kb), "--trained", trained, "--json"]
        ran = CliRunner().invoke(lab, told)
        assert ran.exit_code == 0, ran.output
        results[trained] = {one["strategy"]: one for one in json.loads(ran.output)}
    for found in results.values():
        assert found["nb"]["mean_harvest"] > found["bfs"]["mean_harvest"]
    print({key: {name: one["mean_harvest"] for name, one in found.items()} for key, found in results.items()})


def test_pages_that_a_base_was_learned_from_are_never_measured_and_can_be_left_out(
    crawls: tuple[Collection, Collection], graph_file: Path, tmp_path: Path
) -> None:
    """Reading A13: links pass through trained pages, or they are not there at all; on a graph and on the web itself."""
    done = CliRunner().invoke(learning, ["collection", str(crawls[0].path), "--pages", "60", "--json"])
    assert done.exit_code == 0, done.output
    kb = crawls[0].models_folder / "knowledge.arff"
    trained = set(kb.with_name("trained.txt").read_text(encoding="utf-8").split())
    seeds = str(crawls[0].path / Collection.SEEDS)
    grounds = (
        Ground(seeds, "fa", graph=graph_file, kb=kb),
        Ground("set3", "fa-near", world="4:2500", kb=kb),
    )
    for ground in grounds:
        whole = setup_of(ground).graph
        without = setup_of(replace(ground, trained="remove")).graph
        places = [place for url in trained if (place := whole.find(url)) >= 0]
        assert len(places) >= 30
        assert not whole.measured[places].any()
        assert (whole.status[places] == 200).any()
        assert (without.status[places] == 404).all()
        assert whole.measured.sum() == without.measured.sum()
    command = ["run", "--graph", str(graph_file), "--lang", "fa", "--seeds", seeds, "--strategies", "bfs", "--json"]
    command += ["--kb", str(kb), "--pages", "400", "--every", "20", "--trained"]
    passed, removed = (json.loads(CliRunner().invoke(lab, [*command, how]).output)[0] for how in ("pass", "remove"))
    assert max(passed["pages"]) == PAGES - 60
    assert max(removed["pages"], default=0) < PAGES - 60  # the seeds were learned from: the rest is behind them


def test_the_file_is_read_by_scipy_and_written_back(crawls: tuple[Collection, Collection]) -> None:
    kb = crawls[1].models_folder / "knowledge.arff"
    if not kb.is_file():
        CliRunner().invoke(learning, ["collection", str(crawls[1].path)])
    base = read_knowledge(kb)
    rows, meta = arff.loadarff(io.StringIO(kb.read_text(encoding="utf-8")))
    assert meta.names() == ["parent", "anchor", "domain", "distance", "output"]
    again = KnowledgeBase(
        np.array([[row[name] for name in meta.names()[:4]] for row in rows], dtype=np.float64),
        np.array([row["output"].decode() == base.label for row in rows]),
        base.label,
    )
    assert write_arff(again) == kb.read_text(encoding="utf-8")
    assert again.model().probability(again.features).tolist() == base.model().probability(base.features).tolist()


def test_starting_urls_are_the_links_of_an_initial_page_group_with_their_values(
    crawls: tuple[Collection, Collection], tmp_path: Path
) -> None:
    out = tmp_path / "starts.txt"
    done = CliRunner().invoke(learning, ["starts", str(crawls[0].path), "--pages", "5", "-o", str(out)])
    assert done.exit_code == 0, done.output
    values = [line.split() for line in out.read_text(encoding="utf-8").splitlines()]
    assert values
    assert {row[4] for row in values if len(row) == 5} <= {"0", "0.693147"}
    from phasa.crawl.seeds import read_seeds

    assert len(read_seeds(out).seeds) == len(values)
    assert msgspec.json.encode(read_seeds(out).seeds)
