"""`phasa init`: what it says of seeds, and the order of the settings that it writes."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from tests.cli.test_crawl import phasa


def test_seeds_that_the_crawl_would_pass_over_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("http://a.example/\nhttp://a.example/report.pdf\nnot an address\n", encoding="utf-8")
    code, out, err = phasa(capsys, "init", tmp_path / "c", "--seeds", seeds)
    assert code == 0
    assert "made for th" in out
    file = tmp_path / "c" / "seeds.txt"
    assert f"{file}: http://a.example/report.pdf: out of scope: file name extension .pdf\n" in err
    assert f"{file}:3: not an address: not an http" in err
    assert "2 seeds would not be fetched; change them" in err
    assert "http://a.example/:" not in err


def test_of_many_such_seeds_a_few_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("".join(f"http://a.example/{n}.zip\n" for n in range(25)), encoding="utf-8")
    _, _, err = phasa(capsys, "init", tmp_path / "c", "--seeds", seeds)
    assert len(err.splitlines()) == 11
    assert "25 seeds would not be fetched (15 more like these)" in err


def test_good_seeds_are_not_spoken_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("http://a.example/\n", encoding="utf-8")
    code, out, err = phasa(capsys, "init", tmp_path / "c", "--seeds", seeds)
    assert (code, err) == (0, "")
    assert "1 seeds" in out


def test_what_people_change_comes_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    phasa(capsys, "init", tmp_path / "c")
    keys = list(tomllib.loads((tmp_path / "c" / "collection.toml").read_text(encoding="utf-8")))
    assert keys[:2] == ["language", "contact"]
    tables = keys[keys.index("scope") :]
    assert tables[:3] == ["scope", "budgets", "politeness"]


def test_a_server_that_is_none_is_refused_before_anything_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = phasa(capsys, "init", tmp_path / "c", "--server", "93 sites on http://127.0.0.1:8080")
    assert code == 1
    assert "is not an address and a port, as 127.0.0.1:8080" in err
    assert not (tmp_path / "c").exists()
