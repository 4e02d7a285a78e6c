"""What of phasa a user reaches: modules from the commands and the public API, and names that somebody uses."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache

from tests.manual import import_graph

# Where a user comes in. Everything else must be imported, by name or by a dotted string in a table, from here on.
DOORS = ("phasa", "phasa.__main__", "phasa.api", "phasa.cli", "phasa.demo.__main__", "phasa.overview.learn.__main__")


def reached_modules(start: tuple[str, ...] = DOORS) -> set[str]:
    """The modules that are imported, directly or not, lazily or not, from the doors."""
    seen: set[str] = set()
    todo = list(start)
    while todo:
        module = todo.pop()
        if module not in seen:
            seen.add(module)
            todo += import_graph.imports(module)
            todo += _named(module)
            folder = module.rpartition(".")[0]
            if folder:
                todo.append(folder)  # importing a module runs the packages above it
    return seen


def unreached_modules() -> list[str]:
    """Modules that no command and no public function leads to."""
    return sorted(set(import_graph.modules()) - reached_modules())


def unused_names() -> list[str]:
    """Functions, classes and methods without an underscore whose name stands nowhere in src but where it is defined:
    only tests can use them."""
    used = _used_names()
    found = []
    for module in import_graph.modules():
        for name, line in _definitions(module):
            if used[name] <= _own(module)[name]:
                found.append(f"{module}:{line} {name}")
    return found


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(import_graph.modules()[module].read_text(encoding="utf-8"))


def _named(module: str) -> list[str]:
    """Modules that a table of the module names in a string, whole or relative to its own package, to be imported when
    they are asked for."""
    values = (node.value for node in ast.walk(_tree(module)) if isinstance(node, ast.Constant))
    names = [value for value in values if isinstance(value, str)]
    if "import_module" in _used_in(module):
        names += [f"{import_graph.package(module)}.{name}" for name in names]
    return [name for name in names if name in import_graph.modules()]


def _used_in(module: str) -> set[str]:
    return {node.id for node in ast.walk(_tree(module)) if isinstance(node, ast.Name)}


def _definitions(module: str) -> list[tuple[str, int]]:
    """What a module defines for others: not what is registered by a decorator, not what a library calls by its name."""
    found = []
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            decorators = {ast.unparse(one).partition("(")[0].rpartition(".")[2] for one in node.decorator_list}
            if not decorators & {"command", "callback", "page", "get", "post", "route", "setter"}:
                found.append((node.name, node.lineno))
    return found


@cache
def _own(module: str) -> Counter[str]:
    """How often names stand in `__all__` of a module: that is no use."""
    return Counter(
        element.value
        for node in _tree(module).body
        if isinstance(node, ast.Assign) and any(ast.unparse(target) == "__all__" for target in node.targets)
        for element in getattr(node.value, "elts", [])
        if isinstance(element, ast.Constant) and isinstance(element.value, str)
    )


@cache
def _used_names() -> Counter[str]:
    """How often each name is used in src: in code, as an attribute, in an import, in a string, in a template."""
    used: Counter[str] = Counter()
    for module in import_graph.modules():
        for node in ast.walk(_tree(module)):
            match node:
                case ast.Name(id=name) | ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
                    used[name] += 1
                case ast.Constant(value=str(text)) if text.isidentifier():
                    used[text] += 1
                case ast.ImportFrom(names=names):
                    used.update(alias.name for alias in names if alias.asname != alias.name)
    for template in (import_graph.SOURCE / "phasa").rglob("*.html"):
        used.update(re.findall(r"\w+", template.read_text(encoding="utf-8")))
    return used
