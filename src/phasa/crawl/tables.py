"""Arrays by name as bytes: what strategies keep between runs and give to each other."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import numpy as np
import zstandard
from numpy.typing import NDArray


def pack_tables(tables: Mapping[str, NDArray[Any]]) -> bytes:
    out = io.BytesIO()
    # Most of it is empty: zip takes ten times as long to find that out.
    np.savez(out, **dict(tables))  # type: ignore[arg-type]
    return zstandard.ZstdCompressor(level=1).compress(out.getvalue())


def unpack_tables(packed: bytes) -> dict[str, NDArray[Any]]:
    """Raises ValueError, KeyError, OSError, EOFError, BadZipFile or ZstdError for bytes that are none."""
    if packed.startswith(zstandard.FRAME_HEADER):
        packed = zstandard.ZstdDecompressor().decompress(packed)
    with np.load(io.BytesIO(packed), allow_pickle=False) as saved:
        return {name: saved[name] for name in saved.files}
