"""Strategies side by side."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from phasa.cli.lab import app
from phasa.cli.lab_run import worlds_of
from phasa.errors import InputError, SettingsError
from phasa.lab.compare import compare
from phasa.lab.curves import Ground, write_csv

GROUNDS = [Ground("thai2", "th", world=f"{seed}:3000") for seed in (1, 2)]


def test_the_csv_is_the_same_on_one_and_on_two_workers() -> None:
    one = write_csv(compare(GROUNDS, ["bfs", "lswc"], 600))
    two = write_csv(compare(GROUNDS, ["bfs", "lswc"], 600, workers=2))
    assert one == two
    assert one.count("\n") == 1 + 2 * 2 * 6


def test_the_command_writes_the_same_bytes_in_any_process_on_any_number_of_workers(tmp_path: Path) -> None:
    """Runs the command itself, with another order of Python's sets each time."""
    written = []
    for workers, chance in (("1", "1"), ("2", "2")):
        out = tmp_path / workers
        command = [sys.executable, "-m", "phasa", "lab", "run", "--world", "1-2:3000", "--seeds", "thai1", "--pages",
                   "500", "--strategies", "hybrid,nb,persian", "--workers", workers, "-o", str(out)]  # fmt: skip
        environment = {**os.environ, "PYTHONHASHSEED": chance}
        subprocess.run(command, check=True, capture_output=True, env=environment, timeout=300)
        written.append({path.name: path.read_bytes() for path in sorted(out.iterdir())})
    assert written[0] == written[1]
    assert sorted(written[0]) == ["run.csv", "run.html"]
    assert written[0]["run.csv"].count(b"\n") == 1 + 2 * 3 * 5


def test_every_crawl_is_counted_and_leaves_a_line_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    counted: list[tuple[int, int]] = []
    with caplog.at_level("INFO", logger="phasa.lab.compare"):
        curves = compare(GROUNDS, ["bfs"], 200, show=lambda done, of: counted.append((done, of)))
    assert counted == [(1, 2), (2, 2)]
    assert [record.getMessage() for record in caplog.records if record.name == "phasa.lab.compare"] == [
        f"bfs on {curve.ground.world}: 200 pages, mean harvest {curve.mean_harvest:.4f}" for curve in curves
    ]


def test_an_unknown_strategy_is_refused_before_anything_runs() -> None:
    with pytest.raises(SettingsError, match="unknown strategy"):
        compare([Ground("thai1", "th", world="1:999999999")], ["bsf"], 10)


def test_worlds_may_be_a_range() -> None:
    assert worlds_of("3:50") == ["3:50"]
    assert worlds_of("2-4:50") == ["2:50", "3:50", "4:50"]
    with pytest.raises(InputError):
        worlds_of("4-2:50")


def test_lab_run_prints_harvest_and_coverage_per_strategy(tmp_path: Path) -> None:
    command = ["run", "--world", "1:3000", "--seeds", "thai1", "--strategies", "lswc,bfs", "--pages", "300", "--json"]
    result = CliRunner().invoke(app, [*command, "--csv", str(tmp_path / "curves.csv")])
    assert result.exit_code == 0, result.output
    found = json.loads(result.output)
    assert [one["strategy"] for one in found] == ["lswc", "bfs"]
    assert found[0]["pages"] == [100, 200, 300]
    assert len(found[0]["harvest"]) == len(found[0]["coverage"]) == 3
    assert (
        (tmp_path / "curves.csv")
        .read_text()
        .startswith("world,lies,seeds,draw,strategy,pages,harvest,recent,coverage\n")
    )


def test_lab_run_wants_one_ground() -> None:
    result = CliRunner().invoke(app, ["run", "--strategies", "bfs"])
    assert isinstance(result.exception, InputError)


def test_lab_world_prints_the_calibration() -> None:
    result = CliRunner().invoke(app, ["world", "1:6000", "--json"])
    rows = json.loads(result.output)
    assert {row["table"] for row in rows} == {"§6.2", "Table 10", "Table 11", "Table 12"}


def test_lab_graph_writes_a_graph_that_lab_run_reads(tmp_path: Path) -> None:
    out = tmp_path / "web.db"
    assert CliRunner().invoke(app, ["graph", "--world", "1:3000", "-o", str(out)]).exit_code == 0
    command = ["run", "--graph", str(out), "--strategies", "handmade,bfs", "--draws", "2", "--pages", "200"]
    result = CliRunner().invoke(app, [*command, "-o", str(tmp_path / "report")])
    assert result.exit_code == 0, result.output
    assert "handmade" in result.output
    assert "found after so much of all reachable pages" in (tmp_path / "report" / "run.html").read_text()
