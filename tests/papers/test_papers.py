"""The published experiments run by one command, and say what holds."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest
from typer.testing import CliRunner

from phasa.cli.lab import app
from phasa.errors import InputError
from phasa.lab.report import as_data, write_html
from phasa.lab.result import Claim, Result, table_section
from phasa.papers import EXPERIMENTS, reproduce
from phasa.papers.options import Options


def test_reproduce_runs_the_six_experiments_of_the_note(tmp_path: Path) -> None:
    command = ["reproduce", "persian", "--quick", "--seeds", "1-2", "-o", str(tmp_path), "--json"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    (found,) = json.loads(result.stdout)
    claims = found["claims"]
    assert found["experiment"] == "persian"
    assert all({"source", "text", "holds", "detail"} == claim.keys() for claim in claims)
    assert {claim["source"][:2] for claim in claims} == {f"E{number}" for number in range(6)}
    page = (tmp_path / "persian.html").read_text()
    assert all(f"<h2>E{number} — " in page for number in range(6))
    rows = (tmp_path / "persian-cycles.csv").read_text().splitlines()
    assert rows[0].startswith("world,seeds,weight,indicator,cycle,processed,parsed,persian,ratio")
    assert len(rows) > 500


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    result = CliRunner().invoke(app, ["reproduce", "language-crawling"])
    assert isinstance(result.exception, InputError)
    assert "did you mean 'language-crawl'" in str(result.exception)


def test_the_experiments_are_listed() -> None:
    listed = CliRunner().invoke(app, ["reproduce", "list"]).output
    assert all(name in listed for name in ("language-crawl", "persian", "segmentation"))


def test_a_table_with_notes_is_a_section_of_the_page_and_data() -> None:
    section = table_section("Table 9", ("a", "b"), (("x", np.float64(1.5)), ("y", None)), "why", "and how")
    result = Result("words", "Words", "", [section], [Claim("E1", "more", True, "2 > 1")])
    page = write_html(result)
    assert page.count("Table 9") == 1
    assert "<p>why</p>\n<p>and how</p>" in page
    data = json.loads(msgspec.json.encode(as_data(result)))
    assert data["tables"] == [
        {
            "section": "Table 9",
            "text": "why\n\nand how",
            "title": "Table 9",
            "header": ["a", "b"],
            "rows": [["x", 1.5], ["y", None]],
            "note": "",
        }
    ]
    assert data["claims"] == [{"source": "E1", "text": "more", "holds": True, "detail": "2 > 1"}]


def test_a_run_leaves_a_trail_in_the_log(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EXPERIMENTS, "small", (__name__, "two claims"))
    monkeypatch.setitem(sys.modules, __name__, SimpleNamespace(run=_small))
    with caplog.at_level("INFO", logger="phasa.papers"):
        reproduce("small", Options(seeds=(1,), pages=100))
    assert caplog.messages == ["small begins: worlds (1,) of 100 pages, quick: False", "small: 1 of 2 claims hold"]


def _small(options: Options) -> Result:
    return Result("small", "Small", "", [], [Claim("E1", "yes", True, ""), Claim("E1", "no", False, "")])
