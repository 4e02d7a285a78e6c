"""Arrays by name as bytes: what strategies keep between runs and give to each other."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import numpy as np
import zstandard
from numpy.typing import NDArray


class _Compressed(io.RawIOBase):
    """A file to write to, whose bytes are compressed as they come. zip is told that it has no places."""

    def __init__(self) -> None:
        self._packer = zstandard.ZstdCompressor(level=1).compressobj()
        self._packed: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, some: Any, /) -> int:
        self._packed.append(self._packer.compress(some))
        return len(some)

    def whole(self) -> bytes:
        """All that was written."""
        return b"".join([*self._packed, self._packer.flush()])


def pack_tables(tables: Mapping[str, NDArray[Any]]) -> bytes:
    # Most of it is empty: zip takes ten times as long to find that out. Table by table: all of them as bytes are twice
    # the memory of what is packed, every half minute of a crawl.
    out = _Compressed()
    np.savez(out, **dict(tables))  # type: ignore[arg-type]
    return out.whole()


def unpack_tables(packed: bytes) -> dict[str, NDArray[Any]]:
    """Raises ValueError, KeyError, OSError, EOFError, BadZipFile or ZstdError for bytes that are none."""
    if packed.startswith(zstandard.FRAME_HEADER):
        packed = zstandard.ZstdDecompressor().decompressobj().decompress(packed)
    with np.load(io.BytesIO(packed), allow_pickle=False) as saved:
        return {name: saved[name] for name in saved.files}
