"""What commands print, and where: columns, JSON, progress, closed pipes, terminals without Thai letters."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from tests.cli.test_main import phasa

from phasa.cli.outputs import print_json, print_table
from phasa.cli.progress import bar, counted


def test_a_table_aligns_numbers_right_and_cuts_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    print_table(["host", "pages", "wanted"], [["a-very-long-host-name.example.th", 12345, True], ["กำ.ไทย", 7, None]])
    assert capsys.readouterr().out.splitlines() == [
        "host                               pages  wanted",
        "a-very-long-host-name.example.th  12,345  yes",
        "กำ.ไทย                                 7",
    ]


def test_a_table_without_rows_is_its_heading(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(["host", "pages"], [])
    assert capsys.readouterr().out == "host  pages\n"


def test_json_comes_after_what_was_printed_before_it(capsys: pytest.CaptureFixture[str]) -> None:
    print("first")
    print_json({"term": "ไทย"})
    print("last")
    assert capsys.readouterr().out == 'first\n{"term":"ไทย"}\nlast\n'


def test_progress_writes_nothing_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(counted(iter("abc"), 3, "letters")) == ["a", "b", "c"]
    with bar("work", 2) as show:
        show(1, 2)
    assert capsys.readouterr() == ("", "")


def test_a_terminal_without_thai_letters_does_not_stop_a_command() -> None:
    told = phasa("detect", "--help", PYTHONIOENCODING="ascii")
    assert (told.returncode, told.stderr) == (0, "")
    rows = json.loads(phasa("languages", "th", "--json", PYTHONIOENCODING="ascii").stdout)
    assert rows[0]["native_name"] == "ไทย"


def test_a_reader_that_goes_away_is_no_error() -> None:
    words = [sys.executable, "-m", "phasa", "segment", "--engine", "spaced"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.communicate(b"one two three\n" * 100_000, timeout=60)[1] == b""
    assert process.returncode == 0


def test_a_reader_that_goes_away_before_the_last_line_is_no_error() -> None:
    """Little output is written when the program ends; that must not end in a complaint either."""
    words = [sys.executable, "-m", "phasa", "--version"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs the device that is always full")
def test_a_full_disk_is_one_line_with_advice() -> None:
    with open("/dev/full", "w") as full:
        told = subprocess.run(
            [sys.executable, "-m", "phasa", "languages"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60
        )
    assert told.returncode == 1
    assert told.stderr == "phasa: no space left on device; make room, then give the same command again\n"
