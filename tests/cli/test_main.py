"""The command line as a whole: help, version, errors, start-up."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from phasa import __version__
from phasa.cli import main
from phasa.cli.group import COMMANDS
from phasa.cli.serve import app as serve
from phasa.collection import Collection
from phasa.language.detectors import METHODS
from phasa.language.segmenters import ENGINES


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


def test_no_command_is_a_usage_error_or_help() -> None:
    assert "Usage" in phasa().stdout + phasa().stderr


def test_an_unknown_command_exits_2() -> None:
    answer = phasa("frobnicate")
    assert answer.returncode == 2
    assert "frobnicate" in answer.stderr


def test_a_command_nearly_right_is_named() -> None:
    answer = phasa("crwl")
    assert answer.returncode == 2
    assert "Did you mean 'crawl'?" in answer.stderr


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


def test_a_language_that_nobody_knows_makes_no_collection(tmp_path: Path) -> None:
    answer = phasa("init", str(tmp_path / "c"), "--lang", "xx")
    assert answer.returncode == 1
    assert "no profile of that name" in answer.stderr
    assert not (tmp_path / "c").exists()


def test_a_new_collection_says_what_to_do_next(tmp_path: Path) -> None:
    bare, seeds = tmp_path / "bare", tmp_path / "seeds.txt"
    assert f"put addresses into {bare / 'seeds.txt'}" in phasa("init", str(bare)).stdout
    seeds.write_text("http://a.example/\n")
    seeded = phasa("init", str(tmp_path / "seeded"), "--seeds", str(seeds)).stdout
    assert seeded.splitlines()[1] == f"Next: phasa crawl {tmp_path / 'seeded'}"


def test_a_web_of_ones_own_is_not_waited_for(tmp_path: Path) -> None:
    """One server stands for all hosts there: with the usual second between requests 400 pages would take minutes."""
    phasa("init", str(tmp_path / "c"), "--server", "127.0.0.1:8090")
    settings = Collection.open(tmp_path / "c").settings
    assert (settings.politeness.delay, settings.politeness.address_delay) == (0.0, 0.0)
    phasa("init", str(tmp_path / "real"))
    assert Collection.open(tmp_path / "real").settings.politeness.delay > 0


def test_a_file_in_the_way_is_told(tmp_path: Path) -> None:
    (tmp_path / "c").write_text("")
    assert "is a file; name a folder" in phasa("init", str(tmp_path / "c")).stderr


def test_ctrl_c_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(arguments: list[str], prog_name: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("phasa.cli.group.app", interrupted)
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 130


def test_the_application_ends_well_with_ctrl_c(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("phasa.service.server.run", interrupted)
    assert CliRunner().invoke(serve, [str(Collection.create(tmp_path / "c").path)]).exit_code == 0


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    answer = phasa("init", str(tmp_path / "c"), "--seeds", str(tmp_path / "none.txt"), PHASA_DEBUG="1")
    assert "Traceback" in answer.stderr


def test_shell_completion_knows_the_commands() -> None:
    answer = phasa(_PHASA_COMPLETE="complete_bash", COMP_WORDS="phasa in", COMP_CWORD="1")
    assert answer.stdout.split() == ["init"]


# Runs `phasa COMMAND --help`, then that of each subcommand, and ends with one line of what it found.
HELP_OF_ALL = """
import io, json, sys
from contextlib import redirect_stdout
import typer
from phasa.cli import main

def help_of(*words):
    sys.argv = ["phasa", *words, "--help"]
    with redirect_stdout(io.StringIO()) as shown:
        try:
            main()
        except SystemExit as end:
            assert not end.code, words
    return shown.getvalue()

commands = sys.argv[1:]
pages = {} if commands else {(): help_of()}
for command in commands:
    pages[command,] = help_of(command)
    whole = typer.main.get_command(sys.modules[f"phasa.cli.{command}"].app)
    for name in getattr(whole, "commands", {}):
        pages[command, name] = help_of(command, name)
print(json.dumps({
    "without_example": [" ".join(words) for words, page in pages.items() if "Example" not in page],
    "modules": sorted(sys.modules),
    "pages": list(pages.values()),
}))
"""
HEAVY = {
    "numpy", "aiohttp", "sklearn", "matplotlib", "msgspec", "resiliparse", "asyncio", "lxml", "pydantic", "sqlite3",
    "ada_url", "jinja2", "fastwarc", "pyarrow", "starlette", "rich.progress",
}  # fmt: skip


def help_of_all(*commands: str) -> dict[str, list[str]]:
    """What a fresh interpreter shows and has loaded after the help of these commands and of all in them."""
    told = subprocess.run(
        [sys.executable, "-c", HELP_OF_ALL, *commands],
        capture_output=True, text=True, timeout=60, env={**os.environ, "COLUMNS": "120"},
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    found: dict[str, list[str]] = json.loads(told.stdout)
    return found


def loaded_of_phasa(found: dict[str, list[str]]) -> int:
    return sum(name.split(".")[0] == "phasa" for name in found["modules"])


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example_and_imports_nothing_heavy(command: str) -> None:
    """The guard of the start-up time: a count, so that a busy machine cannot fail it. `bench/start.py` has seconds."""
    found = help_of_all(command)
    assert found["without_example"] == []
    assert HEAVY & set(found["modules"]) == set()
    assert loaded_of_phasa(found) <= 19
    assert len(found["modules"]) <= 400


def test_the_list_of_commands_imports_none_of_them() -> None:
    found = help_of_all()
    assert HEAVY & set(found["modules"]) == set()
    assert loaded_of_phasa(found) <= 10
    assert len(found["modules"]) <= 380


def test_help_names_every_method_and_engine() -> None:
    """They are written out there, since asking for them loads what they need."""
    assert missing(help_of_all("detect"), METHODS) == []
    assert missing(help_of_all("segment"), ENGINES) == []


def missing(found: dict[str, list[str]], names: Iterable[str]) -> list[str]:
    words = set(re.findall(r"[\w-]+", "\n".join(found["pages"])))
    return [name for name in names if name not in words]
