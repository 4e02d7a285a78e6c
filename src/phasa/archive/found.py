"""Files that storage has, by the labels that whoever shipped them put beside them. What a label says is checked before
it is believed: others may write to the same storage."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

import msgspec

from phasa.archive.cdxj import Entry
from phasa.archive.manifest import Shipped
from phasa.archive.storage import Storage, StorageError

LABEL = ".json"
"""Beside each file in storage: its line of the manifest, put there last."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,200}\.warc\.gz")
_MOST_LABEL = 10_000
_MOST_INDEX = 1_000_000_000


def found_in(storage: Storage) -> Iterator[Shipped]:
    """The files that storage has whole, in the order of their names. One whose label cannot be read, or that is not as
    long as its label says, is not among them."""
    names = storage.names()
    there = set(names)
    for name in names:
        if not _NAME.fullmatch(name) or f"{name}{LABEL}" not in there or f"{name}.cdxj" not in there:
            continue
        size = storage.size_of(f"{name}{LABEL}") or 0
        try:
            row = msgspec.json.decode(storage.read(f"{name}{LABEL}", 0, min(size, _MOST_LABEL)), type=Shipped)
        except msgspec.DecodeError:
            continue
        if row.name == name and storage.size_of(name) == row.size:
            yield msgspec.structs.replace(row, storage=storage.url, elsewhere=True)


def index_of(storage: Storage, row: Shipped) -> list[bytes]:
    """The index lines of a file. Raises StorageError when they are not those that were shipped, or lead elsewhere."""
    name = f"{row.name}.cdxj"
    size = min(storage.size_of(name) or 0, _MOST_INDEX)
    content = storage.read(name, 0, size) if size else b""
    if hashlib.sha256(content).hexdigest() != row.index_sha256:
        raise StorageError(f"storage {storage.url}: {name}: its bytes are not those that were shipped")
    lines = content.splitlines(keepends=True)
    try:
        strangers = any(Entry.parse(line).filename != row.name for line in lines)
    except (ValueError, msgspec.DecodeError):
        strangers = True
    if strangers:
        raise StorageError(f"storage {storage.url}: {name}: is not the index of {row.name}")
    return lines
