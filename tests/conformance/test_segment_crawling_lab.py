"""specs/segment-focused-crawling.md §9: the rows that need a web with topics, models, manifests; switches of §8."""

from __future__ import annotations

import re
from collections import Counter, deque
from pathlib import Path

import msgspec
import pytest
from tests.crawl.segments.toy import toy_chance, toy_crawl

from phasa.crawl.run.manifest import FIXED, RunLimits, make_manifest
from phasa.crawl.segments.builder import Builder
from phasa.crawl.segments.choices import Choices
from phasa.crawl.segments.dictionary import load_dictionary
from phasa.crawl.segments.training import train_predictor
from phasa.crawl.strategies.segment import SegmentStrategy
from phasa.crawl.topics.topic import DIVING, load_topic
from phasa.lab.topical.listed import listed_pages
from phasa.lab.topical.world import TopicalWorld
from phasa.papers.segment_crawling.experiments import Done, Task, _crawls, _curve, run_task
from phasa.papers.segment_crawling.models import (
    backlink_crawl,
    matcher_of,
    predictor_for,
    topic_model,
    training_crawl,
    training_world,
)
from phasa.strategy_settings import SegmentSettings, StrategySettings
from phasa.web.url import authority

TRAINING = 6000
THESIS_TOPICS = ("tourism", "estate", "diving")
APPENDIX_A = """language topic relevance_degree_threshold relevance_comparison segment_threshold_S distance_threshold_D
max_pages_total max_pages_per_website website_unit anchor_context_chars context_sides discretization_bins
discretization ensemble page_decision_threshold cv threshold_sweep training_hops topic_training dictionary thai_match
diving_words frontier_filter crawler random_seed"""


@pytest.fixture(scope="module")
def done() -> Done:
    return run_task(Task(2, 4000, "tourism", TRAINING, 300))


@pytest.mark.parametrize(("row", "topic"), [(6, "tourism"), (7, "estate")])
def test_row_06_07_topic_model_by_ten_times_ten_folds(row: int, topic: str, tmp_path: Path) -> None:
    made = topic_model(topic, 4000, 10, 10)
    made.save(tmp_path / f"{topic}.topic")
    report = load_topic(tmp_path / f"{topic}.topic").report
    assert [len(repetition) for repetition in report.results] == [10] * 10
    assert report.g_mean > 0.8
    assert 0.5 < report.g_mean <= report.best <= 1.0


def test_row_13_sites_of_a_directory_breadth_first_at_most_so_many_pages() -> None:
    world = training_world(TRAINING)
    full = {site: pages for site, pages, _ in listed_pages(world, "tourism")}
    cut = {site: pages for site, pages, _ in listed_pages(world, "tourism", most=40)}
    assert max(map(len, full.values())) <= 300
    assert max(map(len, cut.values())) == 40 < max(map(len, full.values()))
    assert all(full[site][:40] == pages for site, pages in cut.items())
    kinds = {listed for _, _, listed in listed_pages(world, "tourism")}
    assert kinds == {True, False}


def test_row_18_a_dictionary_from_the_six_sources_names_them() -> None:
    """The six sources that the manual names (docs/segments.md)."""
    manual = (Path(__file__).parents[2] / "docs" / "segments.md").read_text(encoding="utf-8")
    sources = re.findall(r"`((?:Category:|List_of_)\w[\w-]*)`", manual)
    builder = Builder()
    for number, source in enumerate(sources):
        word = "abcdef"[number] * 6
        builder.add_page(f'<a href="/wiki/{word}">Koh {word}</a>', source)
    made = builder.dictionary()
    assert len(sources) == 6
    assert len(made) == 6
    assert [line.partition(": ")[0] for line in made.sources] != []
    assert all(any(line.startswith(source) for line in made.sources) for source in sources)


def test_row_18_the_shipped_dictionary_is_what_its_command_makes_of_its_sources(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from phasa.cli.learn import app

    done = CliRunner().invoke(app, ["dictionary", "--shipped", "thailand", "-o", str(tmp_path / "t.txt")])
    assert done.exit_code == 0, done.output
    made, shipped = load_dictionary(str(tmp_path / "t.txt")), load_dictionary("thailand")
    assert made.terms == shipped.terms
    assert list(made.sources) == list(shipped.sources)


def test_row_40_no_training_page_is_farther_than_two_links_from_hop_0() -> None:
    world = training_world(TRAINING)
    crawl = backlink_crawl(world, "estate", world.scores(topic_model("estate", TRAINING, 10, 1)), 2000)
    starts = [world.addresses.find(url) for url, hop in crawl.hops.items() if hop == 0]
    distance = dict.fromkeys(starts, 0)
    waiting = deque(starts)
    while waiting:
        page = waiting.popleft()
        for to in world.links.targets[world.links.offsets[page] : world.links.offsets[page + 1]].tolist():
            if to not in distance:
                distance[to] = distance[page] + 1
                waiting.append(to)
    assert set(crawl.hops.values()) == {0, 1, 2}
    assert all(distance[world.addresses.find(url)] <= min(hop, 2) for url, hop in crawl.hops.items())
    assert max(Counter(authority(url) for url in crawl.hops).values()) <= 300
    gold = world.gold("estate")
    cited = {to for page in starts for to in
             world.links.targets[world.links.offsets[page] : world.links.offsets[page + 1]].tolist()}  # fmt: skip
    assert any(gold[to] for to in cited)


def test_row_45_one_predictor_per_topic_with_its_g_mean() -> None:
    learned = {topic: predictor_for(topic, TRAINING, "exact", 10, 1) for topic in THESIS_TOPICS}
    assert len({one.predictor.encode() for one in learned.values()}) == 3
    assert all(one.predictor.topic == topic and 0.6 < one.check.mean <= 1 for topic, one in learned.items())


def test_row_49_seeds_per_topic_are_relevant_and_unseen() -> None:
    world = TopicalWorld(2, 4000)
    for topic in THESIS_TOPICS:
        predictor = predictor_for(topic, TRAINING, "exact", 10, 1).predictor
        seeds = [seed.url for seed in world.seeds(topic)]
        assert seeds
        assert all(world.gold(topic)[world.addresses.find(url)] for url in seeds)
        assert not any(predictor.was_trained_on(url) for url in seeds)
        assert predictor.was_trained_on(next(iter(training_crawl(topic, TRAINING, 10, 1).hops)))


def test_row_54_harvest_curves_of_four_crawlers_per_topic(done: Done) -> None:
    every = [Done(Task(2, 4000, topic, TRAINING, 300), done.crawls, done.ratios, done.manifests, done.sweep)
             for topic in ("tourism", "estate", "diving", "food")]  # fmt: skip
    curves = [_curve(one) for one in done.crawls]
    named = [_with_topic(curve, task.task.topic) for task in every for curve in curves]
    section, _ = _crawls(every, named)
    assert len(section.charts) == 4
    for chart in section.charts:
        assert {"TFLSWC", "Best-segment", "Best-page", "Breadth-First"} <= {series.name for series in chart.series}
        assert all(len(series.x) >= 20 and max(series.y) <= 1 for series in chart.series)


def _with_topic(curve, topic: str):  # type: ignore[no-untyped-def]
    from dataclasses import replace

    return replace(curve, ground=replace(curve.ground, seeds=topic))


def test_row_61_every_parameter_is_echoed_and_follows_the_settings(done: Done) -> None:
    assert list(done.manifests[0].configuration) == APPENDIX_A.split()
    model, predictor = topic_model("tourism", TRAINING, repeats=1), None
    changed = make_manifest("best-segment", model.with_words("diving", DIVING), predictor, ["http://a.com/"],
                            _settings(threshold=0.75, strict=True, patience=3, distance=4, least_chance=0.5,
                                      surroundings="total", bins="frequency"),
                            RunLimits(77, 9, "registered domain"), random_seed=5, started=1, ended=2
                            ).configuration  # fmt: skip
    assert (changed["website_unit"], changed["anchor_context_chars"]) == ("registered domain", 50)
    assert (changed["context_sides"], changed["discretization"]) == ("total", "equal_frequency")
    assert changed["ensemble"] == {"members": [], "combine": "mean"}, "there was no predictor"
    assert changed["dictionary"] == {"terms": 0, "sources": []}
    told = msgspec.to_builtins(done.manifests[0].configuration)
    assert told["dictionary"]["terms"] > 12_000
    assert told["cv"]["repeats"] == 1, "what was done, not what is usual"
    assert changed["relevance_degree_threshold"] == 0.75
    assert (changed["segment_threshold_S"], changed["distance_threshold_D"]) == (3, 4)
    assert (changed["max_pages_total"], changed["max_pages_per_website"]) == (77, 9)
    assert (changed["relevance_comparison"], changed["frontier_filter"]) == (">", "P_E >= 0.5")
    assert (changed["crawler"], changed["random_seed"]) == ("best_segment", 5)
    assert "scuba" in changed["diving_words"]  # type: ignore[operator]


def test_row_62_the_manifest_names_the_reading_of_every_switch(done: Done) -> None:
    readings = done.manifests[0].readings
    assert all(re.fullmatch(r"A\d+", item) and text for item, text in readings.items())
    switches = "A1 A2 A3 A5 A6 A7 A8 A16 A17 A21 A22 A23 A25 A28 A33"
    assert set(switches.split()) <= readings.keys()
    switched = make_manifest("segment", topic_model("tourism", TRAINING, repeats=1), None, [],
                             _settings(sources="all", reopen=True, inside="parent", discover=False, strict=True,
                                       directories="bare", website="domain", counted="distinct", addresses="known",
                                       bins="frequency", surroundings="total", several="most", least_chance=0.5,
                                       source_score="degree"),
                             RunLimits(1, 1), started=1, ended=2).readings  # fmt: skip
    assert switched["A17"] == "all"
    settled = {"A9", "A12", "A23"}  # by the topic, and by best-page
    assert all(switched[item] != readings[item] for item in readings.keys() - settled)
    assert not readings.keys() & FIXED.keys()
    assert re.fullmatch(r"[0-9a-f]{64}", done.manifests[0].models["predictor"])


def _settings(**switches: object) -> StrategySettings:
    return StrategySettings(segment=SegmentSettings(**switches))  # type: ignore[arg-type]


def test_reading_a7_bins_of_equal_frequency() -> None:
    graph = training_crawl("tourism", TRAINING, 10, 1).graph
    learned = train_predictor(graph, matcher_of(), repeats=1, choices=Choices(bins="frequency"))
    assert learned.predictor.edges
    assert all(list(ends) == sorted(set(ends)) and len(ends) <= 9 for ends in learned.predictor.edges)
    assert 0.6 < learned.check.mean <= 1


async def _order(**switches: object) -> str:
    web, _ = await toy_crawl(SegmentStrategy("segment", toy_chance, SegmentSettings(**switches)))  # type: ignore[arg-type]
    return web.order


async def test_reading_a17_all_sources() -> None:
    """D is cited twice, E once: the sum takes D's 0.36 + 0.06 to 0.42, no longer down to 0.21."""
    assert await _order(sources="all") == "A0 A1 C0 C1 C2 E0 F0 B0 B1 D0 G0"


async def test_reading_a25_links_of_small_chance_are_left_out() -> None:
    assert await _order(least_chance=0.55) == "A0 A1 C0 C1 C2 E0 F0 D0 G0"


async def test_reading_a28_inside_a_segment_by_the_score_of_the_parent() -> None:
    assert await _order(inside="parent") == "A0 A1 C0 C2 C1 E0 F0 B0 B1 D0 G0"


async def test_reading_a22_finished_segments_are_opened_again() -> None:
    assert set(await _order(reopen=True)) >= set("A0 A1 C0 C1 C2 E0 F0 B0 B1 D0 G0")
