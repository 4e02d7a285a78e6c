"""The architecture page is true to the tree, and the tree keeps to it."""

from __future__ import annotations

import re

import pytest
from tests.manual import import_graph
from tests.manual.command_lines import ROOT

TREE = ROOT / "src" / "phasa"
# From above to below: a part imports only from those before it.
ORDER = (
    "errors", "extras", "files", "garbage", "logs", "measures", "plugins", "processes", "seals", "settings", "licences",
    "sandbox", "language", "web", "archive", "frontier", "schedule", "strategy_settings", "archive_settings",
    "feed_settings", "fresh_settings", "fleet_settings", "overview_choices", "overview_settings", "service_settings",
    "collection", "frontiers", "crawl", "feeds", "overview", "corpus", "lab", "papers", "service", "demo", "api",
    "fleet", "cli",
)  # fmt: skip


def parts() -> list[str]:
    found = {path.stem if path.suffix == ".py" else path.name for path in TREE.iterdir() if path.suffix in (".py", "")}
    return sorted(name for name in found if not name.startswith("__") and name != "py.typed")


def test_the_order_has_every_part() -> None:
    assert sorted(ORDER) == parts()


def test_the_page_names_every_part() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    first_cells = " ".join(re.findall(r"^\| (`[^|]*) \|", page, re.MULTILINE))
    table = re.findall(r"`([a-z_]+)(?:/|\.py)`", first_cells)
    assert [name for name in parts() if name not in table] == []
    assert [name for name in table if not (TREE / name).exists() and not (TREE / f"{name}.py").exists()] == []


@pytest.mark.parametrize("part", ORDER)
def test_a_part_imports_only_from_parts_above_it(part: str) -> None:
    inside = [name for name in import_graph.modules() if name.split(".")[1:2] == [part]]
    used = {other.split(".")[1] for module in inside for other in import_graph.imports(module)}
    assert {name for name in used if ORDER.index(name) > ORDER.index(part)} == set()


def test_no_packages_import_each_other_in_a_circle() -> None:
    assert import_graph.cycles(import_graph.package_graph()) == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert import_graph.cycles(import_graph.module_graph()) == []


def test_a_circle_is_found() -> None:
    assert import_graph.cycles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]
