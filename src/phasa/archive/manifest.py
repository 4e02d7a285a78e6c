"""Which archive files were shipped, and where to: `manifest.jsonl` in the archive folder, one line a file.

A line is added when storage was seen to have every byte of the file; the last line of a name counts, and one without a
storage takes it back. `storage.json` beside it says how each storage is reached. Neither holds a secret.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

import msgspec

from phasa.files import naming, replace_file

MANIFEST = "manifest.jsonl"
STORAGE = "storage.json"


class Shipped(msgspec.Struct, frozen=True, kw_only=True):
    """A finished WARC file that storage has, with its digest (SHA-256, hexadecimal). `records` are index lines;
    `elsewhere`: another machine wrote and shipped it."""

    name: str
    size: int
    sha256: str
    records: int
    index_sha256: str
    storage: str
    time: str
    elsewhere: bool = False


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """How a storage is reached; empty values come from the environment. `credentials` is the path of a file."""

    endpoint: str = ""
    region: str = ""
    credentials: str = ""


class Places(msgspec.Struct, frozen=True, kw_only=True):
    """The storages of an archive by their URL, and how much of them may be kept on this disk."""

    places: dict[str, Place] = {}
    cache_megabytes: float = 0.0


def read_manifest(folder: Path) -> dict[str, Shipped]:
    """The shipped files of an archive folder by name. A line that cannot be read is passed over: its file is shipped
    again, or read from the disk."""
    path = folder / MANIFEST
    try:
        there = path.stat()
    except OSError:  # also of a name that no folder can have
        return {}
    return _read(path, there.st_size, there.st_mtime_ns)


@lru_cache(maxsize=8)
def _read(path: Path, size: int, time: int) -> dict[str, Shipped]:
    rows: dict[str, Shipped] = {}
    decoder = msgspec.json.Decoder(Shipped)
    for line in path.read_bytes().splitlines():
        try:
            row = decoder.decode(line)
        except msgspec.DecodeError:
            continue
        if row.storage:
            rows[row.name] = row
        else:
            rows.pop(row.name, None)
    return rows


def add_shipped(folder: Path, row: Shipped) -> None:
    """Add a line, on the disk itself when this returns. Raises OSError."""
    path = folder / MANIFEST
    line = msgspec.json.encode(row) + b"\n"
    with naming(path), path.open("ab+") as file:
        if file.tell() and _last_byte(file.fileno(), file.tell()) != b"\n":
            line = b"\n" + line  # a line that was torn must not take this one with it
        file.write(line)
        file.flush()
        os.fsync(file.fileno())


def withdraw(folder: Path, row: Shipped) -> None:
    """From now on a file counts as not shipped. Raises OSError."""
    add_shipped(folder, msgspec.structs.replace(row, storage=""))


def _last_byte(file: int, size: int) -> bytes:
    return os.pread(file, 1, size - 1)


def read_places(folder: Path) -> Places:
    """How the storages of an archive are reached; what cannot be read is as if it was not there."""
    try:
        return msgspec.json.decode((folder / STORAGE).read_bytes(), type=Places)
    except (OSError, msgspec.DecodeError):
        return Places()


def write_place(folder: Path, url: str, place: Place, cache_megabytes: float) -> None:
    """Keep how a storage is reached, unless that is known already. Raises OSError."""
    known = read_places(folder)
    now = Places(places={**known.places, url: place}, cache_megabytes=cache_megabytes)
    if now != known:
        replace_file(folder / STORAGE, msgspec.json.format(msgspec.json.encode(now), indent=1) + b"\n", durable=True)
