"""phasa lab reproduce segment: experiments 1–5 with their tables, claims, curves and CSV."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from phasa.cli.lab import app
from phasa.lab.curves import Summary
from phasa.papers.segment_crawling.experiments import order_claims


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
