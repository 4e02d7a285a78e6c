"""What the manual says can be typed: code blocks are run, commands in the text are looked up, links lead somewhere."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
import typer
from tests.conftest import DATA
from tests.manual.command_lines import PAGES, ROOT, CommandLine, command_lines
from tests.manual.python_blocks import save_files
from tests.manual.reader import WORLD, Reader, every_address, furnish
from typer.testing import CliRunner

from phasa.cli.group import COMMANDS, app
from phasa.cli.settings import settings_page
from phasa.lab.world import World

LONG = re.compile(r"phasa lab reproduce (?!list)")
"""Minutes each: run by `make soak`, in their `--quick` form; tests/lab runs the experiments small."""


def typed(page: Path) -> list[CommandLine]:
    """What a page shows to be typed."""
    return [line for line in command_lines(page) if line.in_block and line.text.startswith("phasa ")]


TYPED = [page for page in PAGES if typed(page)]


@pytest.fixture(scope="module")
def world() -> World:
    return World.from_name(WORLD, "th")


@pytest.fixture(scope="module")
def server(world: World) -> Iterator[str]:
    with every_address(world) as where:
        yield where


@pytest.fixture(scope="module")
def crawled(world: World, server: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all files that examples name, and a collection that was crawled."""
    folder = tmp_path_factory.mktemp("reader")
    furnish(folder, world)
    reader = Reader(folder, server)
    reader.types("phasa init thai-web --lang th --seeds seeds.txt")
    reader.types("phasa crawl thai-web --pages 80")
    reader.types("phasa feeds add thai-web http://example.com/rss.xml")
    shutil.copytree(folder / "thai-web", folder / "my-collection")
    shutil.rmtree(folder / ".bin")
    return folder


@pytest.mark.parametrize("page", TYPED, ids=lambda page: page.stem)
def test_the_code_blocks_of_a_page_run_in_their_order(page: Path, crawled: Path, server: str, tmp_path: Path) -> None:
    folder = tmp_path / "reader"
    lines = typed(page)
    made_here = {found[1] for line in lines if (found := re.match(r"phasa init (\S+)", line.text))}
    shutil.copytree(crawled, folder, ignore=lambda _, names: [name for name in names if name in made_here])
    save_files(page, folder)
    reader = Reader(folder, server)
    try:
        for line in lines:
            if not LONG.match(line.text):
                reader.types(line.text)
    finally:
        reader.closes()


@pytest.mark.parametrize("line", [line for page in PAGES for line in command_lines(page)], ids=str)
def test_every_command_line_names_what_exists(line: CommandLine) -> None:
    program, *words = line.text.split()
    words = [word for word in words if word not in (">", "|", "&")]
    if program == "make":
        assert re.search(rf"^{words[0]}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    elif program == "pytest":
        names = re.sub(r"-[mk] \S+", "", " ".join(words)).split()  # without `-m soak`
        assert all((ROOT / name).exists() for name in names if not name.startswith("-"))
    elif program == "python":
        _script_exists(words)
    else:
        _options_exist(words)


def _options_exist(words: list[str]) -> None:
    """The command is there and has these options."""
    if words[0].startswith("-"):
        assert words[0] in CliRunner().invoke(app, ["--help"], env={"COLUMNS": "200"}).stdout
        return
    assert words[0] in COMMANDS, f"no command {words[0]}"
    command = typer.main.get_command(import_module(COMMANDS[words[0]][0]).app)
    known = _options(command)
    inner = getattr(command, "commands", {})
    if len(words) > 1 and words[1] in inner:
        known = _options(inner[words[1]])
    elif inner:
        known = set().union(known, *map(_options, inner.values()))
    for word in words:
        if re.match(r"--?[a-z]", word):
            assert word in known, f"{word} is no option of phasa {words[0]}"


def _options(command: object) -> set[str]:
    return {name for option in getattr(command, "params", []) for name in [*option.opts, *option.secondary_opts]} | {
        "--help"
    }


def _script_exists(words: list[str]) -> None:
    if words[0] == "-m":
        spec = ROOT / ("" if words[1].startswith("tests.") else "src") / words[1].replace(".", "/")
        script = spec.with_suffix(".py") if spec.with_suffix(".py").exists() else spec / "__main__.py"
    else:
        script = ROOT / words[0]
    assert script.exists(), words
    text = script.read_text(encoding="utf-8")
    ast.parse(text)
    for word in words:
        if word.startswith("--"):
            assert word in text, f"{word} is no option of {words[0]}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_and_pictures_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_settings_page_is_what_the_code_says() -> None:
    written = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    assert written == settings_page(), "run: phasa settings --markdown > docs/settings.md"


def test_the_index_names_every_page() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert page.name == "README.md" or f"({page.name})" in index, page.name


@pytest.mark.soak
@pytest.mark.parametrize(
    "text", sorted({line.text for page in PAGES for line in command_lines(page) if LONG.match(line.text)})
)
def test_published_experiments_can_be_repeated_in_their_quick_form(text: str, tmp_path: Path) -> None:
    words = [*text.split()[1:], "--quick"]
    if "--data" in words:
        words[words.index("--data") + 1] = str(DATA)
        if not DATA.is_dir():
            pytest.skip(f"no real data at {DATA}; set PHASA_DATA to run this test")
    bare = {name: value for name, value in os.environ.items() if name != "PHASA_DATA" or DATA.is_dir()}
    done = subprocess.run(
        [sys.executable, "-m", "phasa", *words], cwd=tmp_path, capture_output=True, text=True, timeout=1800, env=bare
    )
    if not DATA.is_dir() and "no folder of data there" in done.stderr:
        pytest.skip(f"no real data; set PHASA_DATA to run this test ({done.stderr.strip()})")
    assert done.returncode == 0, done.stderr[-2000:]
