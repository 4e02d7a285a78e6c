"""`phasa fresh replay`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.schedule.test_policies import world

import phasa.cli


def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str) -> tuple[int, str, str]:
    monkeypatch.setattr("sys.argv", ["phasa", "fresh", *words])
    with pytest.raises(SystemExit) as end:
        phasa.cli.main()
    out = capsys.readouterr()
    return int(end.value.code or 0), out.out, out.err


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    file = tmp_path / "changes.tsv"
    file.write_text("".join(f"{page}\t{at:.0f}\n" for page, times in world() for at in times))
    return file


def test_replay_writes_the_visits_that_it_counts(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    visits = tmp_path / "visits.tsv"
    words = ("replay", str(trace), "--per-week", "0.5", "--aim", "delay", "--visits", str(visits), "--json")
    code, out, _ = run(capsys, monkeypatch, *words)
    (row,) = json.loads(out)
    assert code == 0
    assert row["policy"] == "phasa"
    lines = [line.split("\t") for line in visits.read_text().splitlines()]
    assert len(lines) == row["visits"]
    assert all(page.startswith("site/") and at.isdigit() for page, at in lines)


def test_several_policies_are_a_table(
    trace: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, _ = run(capsys, monkeypatch, "replay", str(trace), "--policy", "uniform,optimum")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["policy", "uniform", "optimum"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--aim", "quick"), "choose fresh, delay or versions"),
        (("--policy", "uniform,wire", "--visits", "v"), "one policy at a time"),
        (("--split", "2"), "between 0 and 1"),
    ],
)
def test_wrong_words_are_told(
    trace: Path, words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, _, problem = run(capsys, monkeypatch, "replay", str(trace), *words)
    assert code == 1
    assert said in problem


def test_estimators_are_compared(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, _ = run(capsys, monkeypatch, "estimators", "--visits", "3", "--json")
    errors = {row["estimator"]: row["error"] for row in json.loads(out)}
    assert code == 0
    assert errors["phasa"] == min(errors.values())


@pytest.mark.parametrize("visits", ["0", "x", "2000", ""])
def test_wrong_numbers_of_visits_are_told(
    visits: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, _, problem = run(capsys, monkeypatch, "estimators", "--visits", visits)
    assert code == 1
    assert "--visits" in problem
