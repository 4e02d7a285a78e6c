"""The command lines of the manual, as a reader would type them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_INLINE = re.compile(r"`((?:phasa|python|make|pytest) [^`]+)`")
_PLACEHOLDER = re.compile(r"\b[A-Z]{2,}\b|…|\.\.\.")
"""FILE, DIR, URL: a form, not a command line."""


class CommandLine(NamedTuple):
    page: str
    line: int
    text: str
    in_block: bool

    def __str__(self) -> str:
        return f"{self.page}:{self.line} {self.text}"


def command_lines(page: Path) -> list[CommandLine]:
    """Lines of code blocks that begin with a program of ours, and whole commands in the running text."""
    found: list[CommandLine] = []
    in_block = False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        if line.lstrip().startswith("```"):
            in_block = not in_block
            continue
        if in_block or line.startswith("    "):
            text = _without_comment(line.strip().removeprefix("$ "))
            if re.match(r"(phasa|python|make|pytest) ", text):
                found.append(CommandLine(page.name, number, text, True))
        else:
            found += [
                CommandLine(page.name, number, text, page.name == "README.md")
                for text in _INLINE.findall(line)
                if not _PLACEHOLDER.search(text)
            ]
    return found


def _without_comment(text: str) -> str:
    """What stands before a comment: after `#`, or after the gap before a remark."""
    return re.split(r"\s+#\s|\s{2,}", text, maxsplit=1)[0]
