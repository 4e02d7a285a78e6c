"""The records of a WARC or ARC file as pieces of bytes: the gzip members of a packed file, the slices of a plain one.

Each piece is whole: its checksum (gzip) or its length and digest (plain) were looked at before it is given out. What is
not whole is reported as damage, and the search goes on for the next piece that is.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from isal import isal_zlib

from phasa.archive.damage import Damage
from phasa.archive.shelf import Bytes, opened

MOST = 256 << 20
"""Bytes of one piece, unpacked: a piece beyond that is not given out."""
_CHUNK = 1 << 16
_MAGIC = b"\x1f\x8b\x08"
_NEXT = b"\nWARC/1."
_HEADER = 1 << 16  # bytes that the header of a plain record may have
_LENGTH = re.compile(rb"\r\nContent-Length:[ \t]*([0-9]{1,15})[ \t]*\r\n", re.I)
_DIGEST = re.compile(rb"\r\nWARC-Block-Digest:[ \t]*sha1:([A-Z2-7]{32})[ \t]*\r\n", re.I)


class Member(NamedTuple):
    """A piece of a file, from `offset` up to `end`, unpacked."""

    offset: int
    end: int
    data: bytes


class _BrokenError(Exception):
    """Why there is no whole piece at a place."""


def members(path: Path, start: int = 0, end: int | None = None) -> Iterator[Member | Damage]:
    """The pieces of a file from `start` on, and the damage between them, in order. Raises OSError when the file cannot
    be read.

    With `end` the pieces that begin in a range of bytes: `start` may be any place then, so that ranges that follow each
    other have every piece of the file once.
    """
    with opened(path) as file:
        head = file.pread(8, 0)
        packed = head.startswith(_MAGIC[:2])
        piece, find = (_packed, _find_packed) if packed else (_plain, _find_plain)
        size, at = file.size, start
        if not size and not path.name.endswith(".open"):
            yield Damage(path, 0, "the file is empty")
        if end is not None and start:
            first = find(file, start, size)
            at = first.offset if first is not None else size
        while at < size and (end is None or at < end):
            try:
                found = piece(file, at)
            except _BrokenError as problem:
                following = find(file, at + 1, size)
                yield Damage(path, at, str(problem))
                if following is None or (end is not None and following.offset >= end):
                    return
                found = following
            yield found
            at = found.end


def member_at(path: Path, offset: int) -> Member | Damage:
    """The piece that begins at a place."""
    with opened(path) as file:
        packed = file.pread(2, 0) == _MAGIC[:2]
        try:
            return (_packed if packed else _plain)(file, offset)
        except _BrokenError as problem:
            return Damage(path, offset, str(problem))


def _packed(file: Bytes, at: int) -> Member:
    """The gzip member at a place, its checksum verified."""
    inflate = isal_zlib.decompressobj(31)
    parts: list[bytes] = []
    position = at
    unpacked = 0
    while not inflate.eof:
        chunk = file.pread(_CHUNK, position)
        if not chunk:
            raise _BrokenError("the file ends inside a record")
        try:
            part = inflate.decompress(chunk, MOST + 1 - unpacked)
        except isal_zlib.error as problem:  # type: ignore[misc]
            raise _BrokenError(f"a record cannot be unpacked ({problem})") from None
        parts.append(part)
        unpacked += len(part)
        position += len(chunk)
        if unpacked > MOST:
            raise _BrokenError(f"a record of more than {MOST:,} bytes, which is not read")
    return Member(at, position - len(inflate.unused_data), b"".join(parts))


def _find_packed(file: Bytes, start: int, size: int) -> Member | None:
    """The first whole gzip member that begins at `start` or later."""
    for place in _places(file, _MAGIC, start, size):
        try:
            found = _packed(file, place)
        except _BrokenError:
            continue
        if found.data:
            return found
    return None


def _plain(file: Bytes, at: int) -> Member:
    """The WARC record at a place of a file that is not packed, its length and digest verified."""
    head = file.pread(_HEADER, at)
    end = head.find(b"\r\n\r\n")
    length = _LENGTH.search(head, 0, end + 2)
    if not head.startswith(b"WARC/") or end < 0 or length is None:
        raise _BrokenError("no WARC record begins here")
    body, size = at + end + 4, int(length[1])
    if size > MOST:
        raise _BrokenError(f"a record of more than {MOST:,} bytes, which is not read")
    digest = _DIGEST.search(head, 0, end + 2)
    data = file.pread(size, body)
    if len(data) < size:
        raise _BrokenError("the file ends inside a record")
    gap = file.pread(64, body + size)
    between = len(gap) - len(gap.lstrip(b"\r\n"))  # four by the standard; foreign files have more or fewer
    if between < len(gap) and not gap[between:].startswith(b"WARC/"):
        # Its length may be wrong; then the digest says which bytes are meant.
        following = next(_places(file, b"\r\n\r" + _NEXT, body, body + size + len(gap)), body)
        data, between = file.pread(following - body, body), 4
        if digest is None or not _is_digest(digest[1], data):
            raise _BrokenError("a record is longer or shorter than it says")
        head = head[: length.start(1)] + str(len(data)).encode() + head[length.end(1) :]
        end = head.find(b"\r\n\r\n")
    elif digest is not None and not _is_digest(digest[1], data):
        raise _BrokenError("a record's digest is not that of its bytes")
    return Member(at, body + len(data) + between, head[: end + 4] + data + b"\r\n\r\n")


def _is_digest(base32: bytes, data: bytes) -> bool:
    return base64.b32decode(base32.upper()) == hashlib.sha1(data, usedforsecurity=False).digest()


def _find_plain(file: Bytes, start: int, size: int) -> Member | None:
    for place in _places(file, _NEXT, start, size):
        try:
            return _plain(file, place + 1)
        except _BrokenError:
            continue
    return None


def _places(file: Bytes, pattern: bytes, start: int, size: int) -> Iterator[int]:
    """Where a pattern stands in a file, from `start` on."""
    at = start
    while at < size:
        chunk = file.pread((1 << 20) + len(pattern) - 1, at)
        place = chunk.find(pattern)
        while place >= 0:
            yield at + place
            place = chunk.find(pattern, place + 1)
        at += 1 << 20
