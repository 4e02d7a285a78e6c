"""The index that a finished corpus keeps, so that the next one is deduplicated against it.

`index/` has keys.run (sorted keys of the documents that were kept), shingles.u32 with ends.u64 (what candidates are
compared by), and addresses.txt.zst with one address a line.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import zstandard
from numpy.typing import NDArray

from phasa.corpus.near import ENTRY, Hit
from phasa.corpus.shingles import Hashes
from phasa.errors import InputError

FOLDER = "index"
KEYS, SHINGLES, ENDS, ADDRESSES = "keys.run", "shingles.u32", "ends.u64", "addresses.txt.zst"
_AT_MOST = 8


class KeptIndex:
    """Reads the index of a corpus that was finished. Raises InputError when there is none."""

    def __init__(self, corpus: Path) -> None:
        folder = corpus / FOLDER
        if not (folder / ADDRESSES).exists():
            raise InputError(f"{corpus}: no finished corpus with an index is there; --against names one")
        self._folder = folder
        self._entries = _mapped(folder / KEYS, ENTRY)
        self._shingles = _mapped(folder / SHINGLES, np.dtype("<u4"))
        self._ends = _mapped(folder / ENDS, np.dtype("<u8"))

    def find(self, keys: NDArray[np.uint64]) -> list[Hit]:
        """The documents that have one of the keys of each row; some more than once."""
        flat = keys.ravel()
        places = np.searchsorted(self._entries["key"], flat)
        hits: list[Hit] = []
        for step in range(_AT_MOST):
            at = places + step
            inside = np.flatnonzero(at < len(self._entries))
            same = inside[self._entries["key"][at[inside]] == flat[inside]]
            if not len(same):
                break
            hits += map(Hit, (same // keys.shape[1]).tolist(), self._entries["doc"][at[same]].tolist())
        return hits

    def shingles(self, doc: int) -> Hashes:
        start = int(self._ends[doc - 1]) if doc else 0
        return np.asarray(self._shingles[start : int(self._ends[doc])])

    def address(self, doc: int) -> str:
        return self._addresses[doc] if doc < len(self._addresses) else ""

    @cached_property
    def _addresses(self) -> list[str]:
        packed = (self._folder / ADDRESSES).read_bytes()
        text = zstandard.ZstdDecompressor().decompressobj().decompress(packed).decode()
        return text.split("\n")[:-1]


def _mapped(path: Path, kind: np.dtype[Any]) -> NDArray[Any]:
    """The file as an array; an empty file cannot be mapped."""
    try:
        return np.memmap(path, kind, "r") if path.stat().st_size else np.zeros(0, kind)
    except (OSError, ValueError) as problem:
        raise InputError(f"{path}: cannot be read: {problem}; build that corpus again") from None
