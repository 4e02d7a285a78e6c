"""Seals: what a file was like when the last one who wrote it was done, so that a later reader knows it unchanged.

A seal stands beside its file (`frontier.db.seal`): size, time of the last change, and checksum. Whoever writes the file
breaks the seal first (`unseal`), so that only a file at rest has one; a killed program leaves none. A reader compares
size and time, and looks at the checksum only when these are not as they were.
"""

from __future__ import annotations

import zlib
from pathlib import Path

import msgspec

from phasa.files import replace_file

_CHUNK = 1 << 20


class Seal(msgspec.Struct, frozen=True):
    """A file at rest. `beside` are sizes of other files that belong to it, by name."""

    size: int
    time: int
    checksum: int
    beside: dict[str, int] = {}


def seal(path: Path, beside: dict[str, int] | None = None) -> None:
    """Say what a file is like now. A file that is not there gets no seal."""
    if path.is_file():
        there = path.stat()
        made = Seal(there.st_size, there.st_mtime_ns, _checksum(path), beside or {})
        replace_file(_beside(path), msgspec.json.encode(made))


def unseal(path: Path) -> None:
    """The file is about to be written."""
    _beside(path).unlink(missing_ok=True)


def seal_of(path: Path) -> Seal | None:
    """The seal of a file; None when it has none that can be read."""
    try:
        return msgspec.json.decode(_beside(path).read_bytes(), type=Seal)
    except (OSError, msgspec.DecodeError):
        return None


def broken(path: Path, *, thorough: bool = False) -> str:
    """What is wrong with a sealed file; '' when it is as it was, or has no seal. `thorough`: the checksum is looked at
    even when size and time are as they were, which finds what a disk forgot by itself."""
    made = seal_of(path)
    wrong = _differs(path, made, thorough) if made is not None else ""
    # Somebody may have begun to write between the two looks.
    return wrong if wrong and seal_of(path) == made else ""


def _differs(path: Path, made: Seal, thorough: bool) -> str:
    try:
        there = path.stat()
        if there.st_size != made.size:
            return f"it has {there.st_size:,} bytes and had {made.size:,}"
        if (thorough or there.st_mtime_ns != made.time) and _checksum(path) != made.checksum:
            return "its bytes are not those that were written"
    except FileNotFoundError:
        return "it is gone"
    except OSError as problem:
        return f"it cannot be read: {problem.strerror}"
    return ""


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.seal")


def _checksum(path: Path) -> int:
    value = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            value = zlib.crc32(chunk, value)
    return value
