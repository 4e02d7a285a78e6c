"""The architecture page is true to the tree, and the tree keeps to it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from tests.manual.command_lines import ROOT

TREE = ROOT / "src" / "phasa"
# From above to below: a part imports only from those before it.
ORDER = (
    "errors", "settings", "licences", "language", "web", "archive", "frontier", "collection", "crawl", "feeds",
    "overview", "lab", "service", "demo", "reference", "cli",
)  # fmt: skip
# The one line that goes up: a collection's settings hold those of the strategies.
UPWARD = {("collection", "crawl")}


def parts() -> list[str]:
    found = {path.stem if path.suffix == ".py" else path.name for path in TREE.iterdir() if path.suffix in (".py", "")}
    return sorted(name for name in found if not name.startswith("__") and name != "py.typed")


def imported(file: Path) -> set[str]:
    """The parts of phasa that a module imports from, at its head or inside its functions."""
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    modules = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    return {module.split(".")[1] for module in modules if module.startswith("phasa.")}


def test_the_order_has_every_part() -> None:
    assert sorted(ORDER) == parts()


def test_the_page_names_every_part() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = re.findall(r"`([a-z_]+)(?:/|\.py)`", page)
    assert [name for name in parts() if name not in table] == []
    assert [name for name in table if not (TREE / name).exists() and not (TREE / f"{name}.py").exists()] == []


@pytest.mark.parametrize("part", ORDER)
def test_a_part_imports_only_from_parts_above_it(part: str) -> None:
    files = [TREE / f"{part}.py"] if (TREE / f"{part}.py").exists() else sorted((TREE / part).rglob("*.py"))
    below = {(part, name) for file in files for name in imported(file) if ORDER.index(name) > ORDER.index(part)}
    assert below - UPWARD == set()
