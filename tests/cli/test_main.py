"""The command line as a whole: help, version, errors, start-up."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from phasa import __version__
from phasa.cli import COMMANDS


def phasa(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "phasa", *words],
        capture_output=True, text=True, timeout=60, env={**os.environ, "COLUMNS": "120", **environment},
    )  # fmt: skip


def test_version() -> None:
    assert phasa("--version").stdout == f"phasa {__version__}\n"


def test_help_lists_every_command() -> None:
    shown = phasa("--help").stdout
    for name in COMMANDS:
        assert f" {name} " in shown


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example(name: str) -> None:
    answer = phasa(name, "--help")
    assert answer.returncode == 0
    assert "Example" in answer.stdout


def test_no_command_is_a_usage_error_or_help() -> None:
    assert "Usage" in phasa().stdout + phasa().stderr


def test_an_unknown_command_exits_2() -> None:
    answer = phasa("frobnicate")
    assert answer.returncode == 2
    assert "frobnicate" in answer.stderr


def test_an_unknown_option_exits_2() -> None:
    assert phasa("init", "--frobnicate").returncode == 2


def test_an_error_is_one_line_and_exits_1(tmp_path: Path) -> None:
    assert phasa("init", str(tmp_path / "c")).returncode == 0
    again = phasa("init", str(tmp_path / "c"))
    assert again.returncode == 1
    assert again.stderr.count("\n") == 1
    assert again.stderr.startswith("phasa: ")
    assert "already a collection" in again.stderr


def test_a_missing_file_is_one_line_that_names_it(tmp_path: Path) -> None:
    answer = phasa("init", str(tmp_path / "c"), "--seeds", str(tmp_path / "none.txt"))
    assert answer.returncode == 1
    assert answer.stderr == f"phasa: {tmp_path / 'none.txt'}: no such file or directory\n"


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    answer = phasa("init", str(tmp_path / "c"), "--seeds", str(tmp_path / "none.txt"), PHASA_DEBUG="1")
    assert "Traceback" in answer.stderr


def test_shell_completion_knows_the_commands() -> None:
    answer = phasa(_PHASA_COMPLETE="complete_bash", COMP_WORDS="phasa in", COMP_CWORD="1")
    assert answer.stdout.split() == ["init"]


RUN_HELP = """
import sys
sys.argv = ["phasa", "--help"]
try:
    from phasa.cli import main
    main()
except SystemExit:
    pass
"""


def after_help(expression: str) -> str:
    """What the expression is in a fresh interpreter that has just run `phasa --help`."""
    code = f"{RUN_HELP}print({expression})"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60).stdout.split()[-1]


def test_help_imports_nothing_heavy() -> None:
    """The guard of the start-up time: what costs is importing these, and `phasa --help` must not."""
    heavy = {"numpy", "aiohttp", "sklearn", "matplotlib", "msgspec", "resiliparse", "asyncio", "lxml"}
    assert after_help(f"len({heavy} & set(sys.modules))") == "0"


def test_help_imports_no_more_of_phasa_than_the_list_of_commands() -> None:
    """A count, not a clock, so that a busy machine cannot fail it; `bench/start.py` has the seconds."""
    assert int(after_help("sum(name.split('.')[0] == 'phasa' for name in sys.modules)")) <= 6
    assert int(after_help("len(sys.modules)")) <= 380
