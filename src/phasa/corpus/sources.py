"""What is named on the command line, as units of work: a range of an archive file, or some small files together.

A unit is what a worker does at a time and what a killed run loses. Units depend on the sources alone, never on the
number of workers, so that the corpus has the same bytes on every machine.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from phasa.archive.shelf import size_of, warc_files
from phasa.errors import InputError

RANGE = 32 << 20
"""Bytes of an archive file that are one unit."""
TOGETHER = 500
"""Small files that are one unit."""
_ARCHIVES = (".warc", ".warc.gz", ".warc.gz.open", ".arc", ".arc.gz", ".wet", ".wet.gz")
_PAGES = (".html", ".htm", ".xhtml")
_TEXTS = (".txt",)


class Unit(msgspec.Struct, frozen=True):
    """A range of bytes of one archive file (`end` > 0), or whole files; `names` is how the corpus calls the files."""

    number: int
    paths: tuple[str, ...]
    names: tuple[str, ...]
    start: int = 0
    end: int = 0

    @property
    def is_archive(self) -> bool:
        return self.end > 0

    @property
    def size(self) -> int:
        """About how many bytes it is, for showing progress."""
        return self.end - self.start if self.is_archive else sum(map(_size, self.paths))


class Found(msgspec.Struct, frozen=True):
    """The units of all sources, and what was wrong with some."""

    units: tuple[Unit, ...]
    problems: tuple[str, ...]


def find_units(sources: Sequence[str]) -> Found:
    """The units of collections, archive files, globs and folders, in the order of their names within each source. A
    file that two sources name is taken once. Raises InputError when no source has anything."""
    files: dict[str, str] = {}
    problems: list[str] = []
    for source in sources:
        try:
            for path, name in _files(source):
                files.setdefault(path, name)
        except InputError as problem:
            problems.append(str(problem))
    if not files:
        raise InputError("; ".join(problems) or "no source was named")
    units: list[Unit] = []
    small: list[tuple[str, str]] = []
    for path, name in files.items():
        if not name.lower().endswith(_ARCHIVES):
            small.append((path, name))
            continue
        size = _size(path)
        step = RANGE if name.lower().endswith((".gz", ".open")) else max(size, 1)
        for start in range(0, max(size, 1), step):
            units.append(Unit(len(units), (path,), (name,), start, min(start + step, max(size, 1))))
    for first in range(0, len(small), TOGETHER):
        part = small[first : first + TOGETHER]
        units.append(Unit(len(units), tuple(path for path, _ in part), tuple(name for _, name in part)))
    return Found(tuple(units), tuple(problems))


def _files(source: str) -> Iterator[tuple[str, str]]:
    """(path, name) of the files that a source means. Raises InputError when there are none."""
    path = Path(source)
    if path.is_file():
        yield str(path.resolve()), path.name
        return
    if path.is_dir():
        found = list(_folder(path))
        if not found:
            raise InputError(f"{source}: no WARC, ARC, WET, HTML or text file in it")
        yield from found
        return
    matches = sorted(glob.glob(source, recursive=True)) if glob.has_magic(source) else []
    if not matches:
        raise InputError(f"{source}: there is no such file or folder")
    for match in matches:
        if os.path.isfile(match):
            yield str(Path(match).resolve()), os.path.basename(match)


def _folder(folder: Path) -> Iterator[tuple[str, str]]:
    if (folder / "collection.toml").exists():
        for path in warc_files(folder / "archive"):
            yield str(path.resolve()), path.name.removesuffix(".open")
        return
    for where, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name.lower().endswith((*_ARCHIVES, *_PAGES, *_TEXTS)):
                path = Path(where, name)
                yield str(path.resolve()), path.relative_to(folder).as_posix()


def is_text(name: str) -> bool:
    """Whether a file is text without markup, by its name."""
    return name.lower().endswith(_TEXTS)


def _size(path: str) -> int:
    try:
        return size_of(Path(path))
    except OSError:
        return 0


def read_addresses(path: Path) -> frozenset[str]:
    """The addresses in a file, one a line; # begins a comment. Raises InputError when it has none."""
    lines = (line.strip() for line in path.read_text(encoding="utf-8", errors="replace").splitlines())
    found = frozenset(line for line in lines if line and not line.startswith("#"))
    if not found:
        raise InputError(f"{path}: no address in it; give one a line")
    return found
