"""The Python blocks of the manual, as a reader would run them: one after the other in one session.

A block that begins with `# name.py` is a file that the reader saves. A line `expression  # → value` promises what the
expression gives.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import NamedTuple

from tests.manual.command_lines import PAGES

_BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"# (\w+\.py)\n")
_PROMISE = re.compile(r"^(?P<expression>\S.*?)  # → (?P<value>.*)$", re.MULTILINE)


class Block(NamedTuple):
    line: int
    text: str

    @property
    def file(self) -> str:
        """The name under which it is saved; '' for what is run."""
        found = _FILE.match(self.text)
        return found[1] if found else ""


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [Block(text[: found.start(1)].count("\n") + 1, found[1]) for found in _BLOCK.finditer(text)]


def save_files(page: Path, folder: Path) -> None:
    """Save the blocks that are files."""
    for block in blocks(page):
        if block.file:
            (folder / block.file).write_text(block.text, encoding="utf-8")


def session(page: Path) -> str:
    """The blocks that are run as one program that stops at the first promise that is not kept."""
    parts = []
    for block in blocks(page):
        if not block.file:
            where = f"{page.name}, block at line {block.line}"
            checked = _PROMISE.sub(lambda found, where=where: _check(found, where), block.text)  # type: ignore[misc]
            parts.append(checked)
    return "\n".join(parts)


def _check(found: re.Match[str], where: str) -> str:
    expression, value = found["expression"], ast.literal_eval(found["value"])
    return f"got_ = {expression}\nassert got_ == {value!r}, f'{where}: {{got_!r}} instead of ' {repr(value)!r}"


WITH_PYTHON = [page for page in PAGES if blocks(page)]
