"""phasa lab reproduce segment: experiments 1–5 with their tables, claims, curves and CSV."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from phasa.cli.lab import app
from phasa.crawl.segments.evaluation import sweep
from phasa.lab.curves import Summary
from phasa.lab.result import Cell
from phasa.papers.segment_crawling.beyond import _dictionaries, _distances, _surface
from phasa.papers.segment_crawling.experiments import TOPICS, Task, _thresholds_again, order_claims, run_tasks
from phasa.papers.segment_crawling.models import BACKLINKS, training_crawl


def _number(cell: Cell) -> float:
    assert isinstance(cell, int | float)
    return cell


def test_the_five_experiments_run_and_say_what_holds(tmp_path: Path) -> None:
    command = ["reproduce", "segment", "--quick", "--seeds", "1-1", "-o", str(tmp_path), "--json"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    claims = json.loads(result.stdout)[0]["claims"]
    assert {claim["source"].split()[0] for claim in claims} == {"1", "2", "3", "4", "5", "ours"}
    published = [claim for claim in claims if claim["source"] == "4 §6.4"]
    assert all(claim["holds"] for claim in published)
    page = (tmp_path / "segment.html").read_text()
    assert all(f"<h2>Experiment {number} — " in page for number in range(1, 6))
    assert page.count("Harvest rate, Thai") >= 3
    rows = (tmp_path / "segment-harvest.csv").read_text().splitlines()
    assert rows[0] == "world,lies,seeds,draw,strategy,pages,harvest,recent,coverage"
    assert {row.split(",")[1] for row in rows[1:]} == {"0"}, "the webs of this thesis do not lie"
    assert {row.split(",")[2] for row in rows[1:]} == {"tourism", "estate", "diving", "food"}
    assert {row.split(",")[4] for row in rows[1:]} >= {"segment", "best-segment", "best-page", "bfs", "segment-hybrid"}


def _summary(name: str, mean: float) -> Summary:
    return Summary(name, 10, [10], [mean], [0.0], [mean], [0.1], [0.0], mean, 0.0, mean, 1, 10.0, each=[mean, mean])


def test_a_lead_of_less_than_three_points_does_not_hold() -> None:
    harvests = {"segment": 0.8, "best-segment": 0.7, "best-page": 0.75, "bfs": 0.2, "segment-hybrid": 0.82}
    claims = order_claims("diving", {name: _summary(name, value) for name, value in harvests.items()})
    said = {claim.text: claim.holds for claim in claims}
    assert said["diving: segment-hybrid (ours) > TFLSWC by at least 3 points"] is False
    assert said["diving: Best-segment > Best-page"] is False
    assert said["diving: TFLSWC > Best-page"] is True


def test_hop_0_are_the_pages_that_link_to_most_targets_and_few_of_its_pages_are_irrelevant() -> None:
    known = training_crawl("tourism", 8000, 10, 1)
    assert sum(hop == 0 for hop in known.hops.values()) == BACKLINKS
    rows = sweep(known.graph.segments, known.graph.links, known.starts)
    assert [row.harvest for row in rows] == sorted(row.harvest for row in rows)
    assert rows[0].harvest > 0.9  # Table 3: .948
    assert rows[-1].harvest > 0.97  # Table 3: .995
    assert rows[0].coverage - rows[-1].coverage > 0.05  # Table 3: .916 and .760


def test_rule_d_ends_a_crawl_that_has_no_budget_and_changes_none_that_has() -> None:
    without = _distances(1, 3000, 8000, ["tourism"])
    table = {}
    for _, far, pages, _, coverage, discarded, score in without.tables[0].rows:
        table[far] = [_number(cell) for cell in (pages, coverage, discarded, score)]
    assert table[1][0] < table[2][0] < table[9][0]
    assert table[1][2] > table[2][2] > table[9][2] == 0
    assert table[9][3] < 0.05  # what an irrelevant source leads to has no score to speak of
    surface = _surface(1, 3000, 8000, 150, ["tourism"]).tables[0].rows
    assert all(row[1] == row[2] == row[3] for row in surface)
    assert len({row[1] for row in surface}) > 1  # S does change it


def test_a_dictionary_helps_on_a_web_that_the_words_were_not_learned_from() -> None:
    rows = {row[1]: row for row in _dictionaries(1, 6000, 8000, 100, ["diving"]).tables[0].rows}
    joint, none = rows["joint"], rows["none"]
    assert _number(joint[6]) > _number(none[6]) + 0.05  # links alone, on the new web
    assert abs(_number(joint[3]) - _number(none[3])) < 0.02  # both models, where the words know every name by heart


def test_experiment_2_is_told_for_every_measured_web_with_its_interval() -> None:
    done = run_tasks([Task(seed, 2500, topic, 8000, 100) for topic in TOPICS for seed in (1, 2)])
    section, claims = _thresholds_again(done)
    assert len(section.tables[0].rows) == 12
    assert len(claims) == 9
    assert all("±" in claim.detail for claim in claims)
