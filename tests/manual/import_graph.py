"""Which module of phasa imports which, lazy imports and those for typing included, read from the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from tests.manual.command_lines import ROOT

SOURCE = ROOT / "src"


@cache
def modules() -> dict[str, Path]:
    """The file of every module by its dotted name."""
    found = {}
    for path in sorted((SOURCE / "phasa").rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def imports(module: str) -> frozenset[str]:
    """The modules of phasa that a module imports anywhere in its text."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(modules()[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in modules() else node.module for name in names}
    return frozenset(name for name in found if name in modules() and name not in (module, "phasa"))


def package(module: str) -> str:
    """The folder a module stands in; a module directly below `phasa` is a part of its own."""
    if modules()[module].name == "__init__.py":
        return module
    folder = module.rpartition(".")[0]
    return module if folder == "phasa" else folder


def package_graph() -> dict[str, set[str]]:
    """Which package imports from which other; `phasa` itself, which everybody may import, is left out."""
    graph: dict[str, set[str]] = {package(module): set() for module in modules() if module != "phasa"}
    for module in modules():
        for other in imports(module):
            if module != "phasa" and package(module) != package(other):
                graph[package(module)].add(package(other))
    return graph


def module_graph() -> dict[str, set[str]]:
    """Which module imports which other."""
    return {module: set(imports(module)) for module in modules()}


def cycles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """The sets of nodes that reach each other, as sorted lists."""
    reach = {node: set(_reachable(graph, node)) for node in graph}
    found = {
        tuple(sorted(other for other in reach[node] if node in reach[other])) for node in graph if node in reach[node]
    }
    return sorted(list(nodes) for nodes in found)


def _reachable(graph: Mapping[str, set[str]], start: str) -> Iterator[str]:
    """What can be reached in one step or more."""
    seen: set[str] = set()
    todo = list(graph[start])
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            todo += graph[node]
            yield node
