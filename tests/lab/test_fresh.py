"""Revisit policies compared in worlds that change, and the report of it."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from phasa.cli.lab import app
from phasa.lab.fresh import compare_policies, fresh_report


def test_who_knows_the_rates_is_best_and_the_budget_shows() -> None:
    rows = compare_policies(["1:400", "2:400"], ["uniform", "proportional", "optimum"], [0.1, 1.0])
    by = {(row.policy, row.aim, row.per_week): row.value for row in rows}
    assert by["optimum", "fresh", 0.1] > by["uniform", "fresh", 0.1] > by["proportional", "fresh", 0.1]
    assert by["optimum", "delay", 1.0] < by["uniform", "delay", 1.0]
    assert by["uniform", "fresh", 1.0] > by["uniform", "fresh", 0.1]
    assert all(row.worlds == 2 and row.interval > 0 for row in rows)


def test_ours_is_better_than_even_visits() -> None:
    rows = compare_policies(["1:200"], ["uniform", "phasa"], [0.1], ["delay"])
    assert rows[1].value < rows[0].value


def test_where_pages_have_rates_of_their_own_ours_keeps_more_up_to_date_than_even_visits() -> None:
    even, ours, best = compare_policies(["1:300"], ["uniform", "phasa", "optimum"], [0.2], ["fresh"])
    assert ours.value > even.value + 0.5 * (best.value - even.value)


def test_the_report_has_a_table_and_curves_for_each_aim() -> None:
    report = fresh_report(compare_policies(["1:80"], ["uniform", "sqrt"], [0.1, 1.0]))
    assert [section.title for section in report.sections] == ["Aim fresh", "Aim delay", "Aim versions"]
    assert [series.name for series in report.sections[0].charts[0].series] == ["uniform", "sqrt"]
    assert report.csv["fresh.csv"].count("\n") == 1 + 2 * 2 * 3


def test_the_command_prints_and_writes_it(tmp_path: Path) -> None:
    words = ["run", "--fresh", "--world", "1-2:80", "--strategies", "uniform,optimum", "--json"]
    done = CliRunner().invoke(app, [*words, "-o", str(tmp_path / "out")])
    assert done.exit_code == 0
    rows = json.loads(done.stdout)
    assert {row["policy"] for row in rows} == {"uniform", "optimum"}
    assert {row["worlds"] for row in rows} == {2}
    assert "<svg" in next((tmp_path / "out").glob("*.html")).read_text()


def test_a_policy_that_is_none_is_refused_in_one_line() -> None:
    done = CliRunner().invoke(app, ["run", "--fresh", "--world", "1:80", "--strategies", "bfs"])
    assert done.exit_code != 0
    assert "choose one of phasa, uniform" in str(done.exception)
