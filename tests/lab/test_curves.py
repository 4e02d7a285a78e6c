"""Crawls as curves: their means, their uncertainty, and the report of a comparison."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from phasa.lab.compare import compare
from phasa.lab.curves import Curve, Ground, interval, summarise
from phasa.lab.falls import comparison
from phasa.lab.report import write_html

GROUNDS = [Ground("thai2", "th", world=f"{seed}:3000") for seed in (1, 2)]


def _curve(strategy: str, ground: Ground, found: list[float]) -> Curve:
    values = np.array(found)
    return Curve(strategy, ground, 100, values, values, values / 2, 100 * len(found), 10, 100, (0.1, 0.2, 0.3, 0.4))


def test_a_summary_has_the_mean_and_its_interval() -> None:
    curves = compare(GROUNDS, ["lswc"], 400)
    (summary,) = summarise(curves)
    assert summary.runs == 2
    assert summary.pages == [100, 200, 300, 400]
    assert summary.harvest[-1] == pytest.approx((curves[0].harvest[-1] + curves[1].harvest[-1]) / 2, abs=1e-6)
    assert summary.mean_harvest == pytest.approx(np.mean([curve.mean_harvest for curve in curves]), abs=1e-6)


def test_the_interval_is_students() -> None:
    values = np.array([[1.0], [2.0], [3.0]])
    assert interval(values)[0] == pytest.approx(4.303 / np.sqrt(3))
    assert interval(values[:1])[0] == 0


def test_a_crawl_that_ended_early_keeps_its_last_value() -> None:
    (summary,) = summarise([_curve("bfs", GROUNDS[0], [0.4, 0.2]), _curve("bfs", GROUNDS[1], [0.6])])
    assert summary.pages == [100, 200]
    assert summary.harvest == pytest.approx([0.5, 0.4])


def test_the_report_of_a_comparison_names_its_worlds_and_shows_every_strategy() -> None:
    result = comparison([_curve(name, ground, [0.5, 0.6]) for ground in GROUNDS for name in ("hybrid", "bfs")])
    assert result.name == "run"
    assert "worlds 1:3000, 2:3000 (seed:pages) with lies 1, seeds thai2" in result.title
    (section,) = result.sections
    assert [row[0] for row in section.tables[0].rows] == ["hybrid (ours)", "BFS"]
    assert [chart.title for chart in section.charts] == ["Harvest rate", "Harvest of the latest pages only", "Coverage"]
    assert "95 % interval" in section.text
    assert write_html(result).count("<svg") == 3
    assert list(result.csv) == ["run.csv"]


def test_on_a_graph_the_report_says_how_much_of_the_reachable_was_found() -> None:
    ground = Ground("mixed", "th", graph=Path("web.db"))
    (section,) = comparison([_curve("bfs", ground, [0.5])]).sections
    found = section.tables[-1]
    assert found.header == ["method", "5%", "10%", "20%", "50%"]
    assert found.rows == [["bfs", 0.1, 0.2, 0.3, 0.4]]
    assert "95 %" not in section.text
