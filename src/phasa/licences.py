"""Under which licence is what comes with phasa beside its code; `python -m phasa.licences > NOTICE` prints it all.

The facts stand in licences.toml. A test holds NOTICE and the expression in pyproject.toml to them, and every file of
the package to an entry.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from itertools import chain
from pathlib import Path

import msgspec

CODE = "Apache-2.0"

_TOP = """phasa

The code of phasa is under the Apache License, Version 2.0 (LICENSE). The files below come with it. Each has the licence
named here (SPDX identifiers; texts at spdx.org/licenses) because of what it was made from. The cards beside the files
say more. The whole package:

    {expression}

LicenseRef-CC-BY-NC-SA-3.0-TH is Creative Commons Attribution-NonCommercial-ShareAlike 3.0 Thailand
(creativecommons.org/licenses/by-nc-sa/3.0/th/). It holds for one file, the default word model for Thai, which may
therefore NOT be used commercially. `phasa segment --model free` and the setting words.model = "free" do without it.
"""


class Shipped(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Some files of the package that were made from the same sources."""

    files: tuple[str, ...]  # patterns of paths
    what: str
    licence: str  # SPDX expression
    sources: tuple[str, ...] = ()
    commercial: bool = True

    @property
    def terms(self) -> str:
        """The licence, with a warning where it forbids commercial use."""
        return self.licence if self.commercial else f"{self.licence}, not for commercial use"


@cache
def shipped() -> tuple[Shipped, ...]:
    """All entries, in the order in which they are asked."""
    table = tomllib.loads((files("phasa") / "licences.toml").read_text(encoding="utf-8"))
    return msgspec.convert(table["data"], tuple[Shipped, ...])


def licence_of(file: Path) -> Shipped | None:
    """The entry that holds for a file of the package; None for a file that is not phasa's."""
    path = file.as_posix()
    return next((entry for entry in shipped() if any(fnmatchcase(path, pattern) for pattern in entry.files)), None)


def by_terms(paths: Iterable[Path]) -> dict[str, list[Path]]:
    """Files of the package by the terms under which they may be used."""
    found: dict[str, list[Path]] = {}
    for path in paths:
        entry = licence_of(path)
        found.setdefault(entry.terms if entry else "not stated", []).append(path)
    return found


def expression() -> str:
    """The SPDX expression of the whole package, as pyproject.toml has it."""
    others = set(chain.from_iterable(entry.licence.split(" AND ") for entry in shipped())) - {CODE}
    return " AND ".join([CODE, *sorted(others)])


def notice() -> str:
    """The text of NOTICE."""
    parts = [_TOP.format(expression=expression())]
    for entry in shipped():
        names = ", ".join(pattern.removeprefix("*/") for pattern in entry.files)
        lines = [entry.what, f"  Files: {names}", f"  Licence: {entry.terms}"]
        lines += [f"  From: {source}" for source in entry.sources] or ["  From: written for phasa"]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


if __name__ == "__main__":
    import sys

    sys.stdout.write(notice())
