"""Cutting the torn tail off a WARC file whose writer was killed."""

from __future__ import annotations

import os
import zlib
from pathlib import Path

_CHUNK = 1 << 20


def last_whole_member(path: Path) -> int:
    """The offset after the last gzip member that is complete and whose checksum holds. Reads the file once."""
    end = 0
    position = 0
    with path.open("rb") as file:
        inflate = zlib.decompressobj(31)
        while chunk := file.read(_CHUNK):
            while chunk:
                try:
                    data = inflate.decompress(chunk, _CHUNK)
                    while inflate.unconsumed_tail and not inflate.eof:
                        data = inflate.decompress(inflate.unconsumed_tail, _CHUNK)
                except zlib.error:
                    return end
                del data
                if not inflate.eof:
                    position += len(chunk)
                    break
                position += len(chunk) - len(inflate.unused_data)
                chunk = inflate.unused_data
                end = position
                inflate = zlib.decompressobj(31)
    return end


def cut_torn_tail(path: Path) -> int:
    """Truncate the file after its last whole member and return how many bytes were cut."""
    size = path.stat().st_size
    end = last_whole_member(path)
    if end < size:
        with path.open("rb+") as file:
            file.truncate(end)
            os.fsync(file.fileno())
    return size - end
