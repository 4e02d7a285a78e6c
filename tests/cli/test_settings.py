"""`phasa settings` prints what the code says."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from phasa.cli.settings import app
from phasa.errors import InputError


def test_a_section_is_printed_with_its_defaults() -> None:
    shown = CliRunner().invoke(app, ["budgets"]).stdout
    assert "budgets.pages" in shown
    assert "politeness" not in shown


def test_one_key_as_json() -> None:
    (row,) = json.loads(CliRunner().invoke(app, ["strategies.lswc.distance", "--json"]).stdout)
    assert (row["key"], row["kind"], row["default"]) == ("strategies.lswc.distance", "int", "5")


def test_an_unknown_key_is_refused_with_the_nearest() -> None:
    problem = CliRunner().invoke(app, ["politenes"]).exception
    assert isinstance(problem, InputError)
    assert "did you mean 'politeness'?" in str(problem)
