"""Rows 16, 26–28 and 47–52 of specs/language-specific-crawling.md §10: the web graph and the experiments."""

from __future__ import annotations

import sqlite3
from collections import deque
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.test_crawl import phasa

from phasa.crawl.strategies import Circumstances, make_strategy
from phasa.lab.compare import compare
from phasa.lab.curves import SHOWN, Ground
from phasa.lab.graph import OK
from phasa.lab.replay import replay
from phasa.lab.result import Result
from phasa.lab.seeds import seeds_of
from phasa.lab.store import read_graph, write_graph
from phasa.lab.targets import target_of
from phasa.lab.world import World
from phasa.papers.language_crawling import experiments as language_crawl
from phasa.papers.language_crawling.orderings import ordering_claims
from phasa.papers.language_crawling.studies import cross_tables, detectors, single_features, threshold_sweep
from phasa.papers.options import Options

QUICK = Options(seeds=(1, 2), quick=True)


@pytest.fixture(scope="module")
def world() -> World:
    return World.from_name("3:6000", "th", lies=0.0)


@pytest.fixture(scope="module")
def everything() -> Result:
    return language_crawl.run(QUICK)


def test_row_16_breadth_first_over_replay_equals_breadth_first_over_the_stored_link_table(
    world: World, tmp_path: Path
) -> None:
    path = tmp_path / "web.db"
    write_graph(world.graph, path)
    seeds = seeds_of(world, "table9")
    with sqlite3.connect(path) as store:
        number = dict(store.execute("SELECT url, id FROM wgnode"))
        status = dict(store.execute("SELECT id, status FROM wgnode"))
        moved = dict(store.execute("SELECT id, moved_to FROM wgnode"))
        queue = deque(number[seed.url] for seed in seeds)
        known, order = set(queue), list[int]()
        while queue and len(order) < 1500:
            page = queue.popleft()
            if status[page] == OK:
                order.append(page)
                rows = store.execute("SELECT dst_id FROM wglinks WHERE src_id = ? ORDER BY rowid", (page,))
                targets = [target for (target,) in rows]
            else:
                targets = [moved[page]] if moved[page] is not None else []
            queue.extend(target for target in dict.fromkeys(targets) if target not in known)
            known.update(targets)
    graph = read_graph(path, "th")
    crawl = replay(graph, make_strategy("bfs", Circumstances(target_of(graph))), seeds, 1500)
    assert crawl.pages.tolist() == order


def test_row_26_the_detector_benchmark_prints_confusion_recall_and_times(world: World) -> None:
    (table,) = detectors(world, QUICK).tables
    assert table.header[:5] == ["method", "Thai found", "of", "false alarms", "recall"]
    assert {"seconds", "ms/page"} <= set(table.header)
    rows = {row[0]: row for row in table.rows}
    assert {"LexTo", "TextCat", "LIBS"} <= set(rows)
    for _, found, own, _, recall, *_ in rows.values():
        assert isinstance(found, int)
        assert isinstance(own, int)
        assert recall == pytest.approx(found / own)
    assert rows["LexTo"][3] == 0  # no false positive, as published


def test_row_27_the_sweep_counts_pages_for_every_threshold_from_1_to_005(world: World) -> None:
    (table,) = threshold_sweep(world, QUICK).tables
    thresholds = [float(str(row[0])) for row in table.rows]
    assert thresholds == pytest.approx([1 - 0.05 * step for step in range(20)])
    counts = [int(str(row[2])) for row in table.rows]
    assert counts == sorted(counts)
    assert counts[thresholds.index(0.1)] == int(world.graph.wanted.sum())


def test_row_28_the_columns_of_the_cross_tables_sum_to_the_pages(world: World) -> None:
    tables = cross_tables(world, QUICK).tables[:2]
    for table in tables:
        thai = sum(int(str(row[3])) for row in table.rows[:-1])
        other = sum(int(str(row[6])) for row in table.rows[:-1])
        assert thai + other == len(world.pages)
        assert [thai, other] == [table.rows[-1][3], table.rows[-1][6]]


def test_row_47_curves_every_100_pages_with_the_perfect_line(everything: Result) -> None:
    section = next(section for section in everything.sections if section.title.startswith("E6"))
    harvest, _, coverage = section.charts
    assert list(harvest.series[0].x)[:3] == [100, 200, 300]
    perfect = next(series for series in coverage.series if series.name == "perfect")
    # With P_r pages in the language the line reaches 1.0 after P_r pages: its slope is 1 / P_r.
    wanted = perfect.x[-1] / perfect.y[-1]
    world = World.from_name("1:8000", "th", lies=0.0)
    assert 0.7 * world.graph.wanted.sum() <= wanted <= world.graph.wanted.sum()


def test_row_48_each_of_e1_to_e9_prints_its_table_or_curve_file(everything: Result) -> None:
    assert [section.title[:2] for section in everything.sections] == [f"E{number}" for number in range(1, 10)]
    assert all(table.rows for section in everything.sections for table in section.tables)
    assert {f"language-crawl-e{number}.csv" for number in (6, 7, 8, 9)} == set(everything.csv)
    live = everything.sections[-1].tables[0].rows
    assert [str(row[0]) for row in live] == [SHOWN[name] for name in ("nb", "lswc", "bfs")]


def test_row_48_one_experiment_alone_by_one_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("lab", "reproduce", "language-crawl", "--quick", "--only", "E4", "--seeds", "1", "-o", tmp_path)
    code, _, err = phasa(capsys, *words)
    assert code == 0, err
    report = (tmp_path / "language-crawl.html").read_text(encoding="utf-8")
    assert "E4 —" in report
    assert not any(f"E{number} —" in report for number in (1, 2, 3, 5, 6, 7, 8, 9))


def test_row_49_the_four_confusion_tables_share_their_class_totals(world: World) -> None:
    (table,) = single_features(world, QUICK).tables
    ours = [[int(str(cell)) for cell in row[2:6]] for row in table.rows if row[1] != "published"]
    totals = {(hit + missed, false + other) for hit, false, missed, other in ours}
    assert len(ours) == 8
    assert len(totals) == 1


@pytest.mark.parametrize("name", ["thai1", "thai2", "english", "internet"])
def test_row_50_the_four_seed_sets_can_be_chosen(world: World, name: str) -> None:
    seeds = seeds_of(world, name)
    wanted = world.graph.wanted[[world.find(seed.url) for seed in seeds]]
    assert bool(wanted.all()) == (name in ("thai1", "thai2"))


def test_row_51_live_reports_harvest_only(everything: Result) -> None:
    (table,) = everything.sections[-1].tables
    assert all(row[-1] == "not measurable" for row in table.rows)
    assert "coverage" not in everything.csv["language-crawl-e9.csv"]


def test_row_52_every_ordering_is_reported_with_pass_or_fail(everything: Result) -> None:
    rows = [claim for claim in everything.claims if "§7.11" in claim.source]
    assert [claim.text for claim in rows] == [
        "Thai1, harvest: NB-LSWC > LSWC",
        "Thai1, harvest: NB-LSWC > BFS",
        "Thai1, coverage: NB-LSWC best",
        "Thai2, harvest: LSWC (1.0) > NB-LSWC (≈ 0.9)",  # the one where the proposed method loses
        "Thai2, harvest: NB-LSWC (≈ 0.9) > BFS (0.6–0.7)",
        "Thai2, coverage to page 700: LSWC = perfect (within 1%)",
        "Thai2, coverage to page 700: LSWC > NB-LSWC",
        "English seeds, harvest: NB-LSWC ≫ LSWC",
        "English seeds, coverage: NB-LSWC best",
        "Live, English seeds, harvest to page 100: NB-LSWC > LSWC",
        "Live, English seeds, harvest of the pages after that: NB-LSWC ≈ LSWC (within 0.1)",
    ]
    assert all(isinstance(claim.holds, bool) and claim.detail for claim in rows)


def test_row_52_a_claim_that_fails_is_reported_as_failed() -> None:
    grounds = [Ground("thai2", "th", world=f"{seed}:3000", lies=0.0) for seed in (1, 2)]
    found = compare(grounds, ["bfs", "lswc", "nb", "hybrid"], 300)
    turned = {"bfs": "lswc", "lswc": "nb", "nb": "bfs", "hybrid": "hybrid"}
    claims = ordering_claims("E7", "thai2", [replace(one, strategy=turned[one.strategy]) for one in found])
    assert not claims[0].holds  # breadth-first under the name of LSWC does not beat LSWC under that of NB-LSWC
    assert all(claim.detail for claim in claims)
