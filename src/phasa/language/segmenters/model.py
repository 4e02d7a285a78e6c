"""The weights of the pointwise model and their file.

One shared table of small integers, and per annotation style a few differences from it. The file is a zstandard frame:
a JSON header line, then the arrays. The shared table is a bit a slot that says whether it is filled, and what is in the
filled ones; sparser arrays are gaps between filled slots.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import zstandard

from phasa.errors import InputError
from phasa.language.segmenters.known import KnownWords

Weights = npt.NDArray[np.int8]
FORMAT = "phasa words 2"
_STEP = 1 << 18


class Sparse(NamedTuple):
    """The filled slots of a table, ascending, and what is in them."""

    slots: npt.NDArray[np.int32]
    values: Weights


class Model(NamedTuple):
    """Everything the pointwise engine needs to cut text."""

    bits: int  # the weight table has 2**bits slots
    shared: Weights
    styles: Mapping[str, Sparse]  # what each style adds to the shared table
    words: KnownWords
    margin: int  # a sum of the early templates' weights beyond this is not looked at again
    style_table: npt.NDArray[np.int8]  # (styles, slots): how much an n-gram speaks for a style
    style_names: tuple[str, ...]
    card: Mapping[str, Any] = {}  # what it was trained on, with what

    def table(self, style: str) -> Weights:
        """The weights for one style. Raises InputError for a style the model does not know."""
        if style == "general":
            return self.shared
        try:
            extra = self.styles[style]
        except KeyError:
            known = ", ".join(["auto", "general", *self.styles])
            raise InputError(f"style {style!r}: the model does not know it; it knows {known}") from None
        if not len(extra.slots):
            return self.shared
        table = self.shared.copy()
        changed = table[extra.slots].astype(np.int16) + extra.values
        table[extra.slots] = np.clip(changed, -127, 127).astype(np.int8)
        return table

    def save(self, path: Path) -> None:
        """Write the model as one file."""
        filled = self.shared != 0
        parts = [np.packbits(filled).tobytes(), self.shared[filled].tobytes()]
        for table in (*self.styles.values(), sparse(self.words.table.view(np.int8))):
            parts += _pack(table)
        parts.append(self.style_table.tobytes())
        header = {
            "format": FORMAT,
            "bits": self.bits,
            "styles": list(self.styles),
            "word_slots": len(self.words.table),
            "margin": self.margin,
            "style_names": self.style_names,
            "style_slots": self.style_table.shape[1],
            "parts": [len(part) for part in parts],
            "card": dict(self.card),
        }
        data = json.dumps(header, ensure_ascii=False).encode() + b"\n" + b"".join(parts)
        path.write_bytes(zstandard.ZstdCompressor(level=19).compress(data))


def read_model(path: Path) -> Model:
    """The model in a file. Raises InputError when it is not one, OSError when it cannot be read."""
    try:
        data = memoryview(zstandard.ZstdDecompressor().decompress(path.read_bytes()))
        head = bytes(data[: 1 << 16]).partition(b"\n")[0]
        header = json.loads(head)
        if header["format"] != FORMAT:
            raise ValueError
    except (zstandard.ZstdError, ValueError, KeyError, TypeError):
        raise InputError(f"{path}: not a word model of this version; `phasa segment train` makes one") from None
    parts, position = [], len(head) + 1
    for size in header["parts"]:
        parts.append(data[position : position + size])
        position += size
    tables = [_unpack(gaps, values) for gaps, values in zip(parts[2:-1:2], parts[3:-1:2], strict=True)]
    words = np.zeros(header["word_slots"], dtype=np.int8)
    words[tables[-1].slots] = tables[-1].values
    return Model(
        header["bits"],
        _fill(parts[0], parts[1], 1 << header["bits"]),
        dict(zip(header["styles"], tables[:-1], strict=True)),
        KnownWords(words.view(np.uint8)),
        header["margin"],
        np.frombuffer(parts[-1], dtype=np.int8).reshape(-1, header["style_slots"]),
        tuple(header["style_names"]),
        header["card"],
    )


def _fill(filled: memoryview, values: memoryview, size: int) -> Weights:
    table = np.zeros(size, dtype=np.int8)
    bits, weights = np.frombuffer(filled, dtype=np.uint8), np.frombuffer(values, dtype=np.int8)
    done = 0
    for first in range(0, len(bits), _STEP):  # in steps, or the flags would be the peak of memory
        here = np.unpackbits(bits[first : first + _STEP]).view(np.bool_)
        count = int(np.count_nonzero(here))
        table[8 * first : 8 * first + len(here)][here] = weights[done : done + count]
        done += count
    return table


def sparse(table: Weights) -> Sparse:
    """The filled slots of a table."""
    filled = np.flatnonzero(table)
    return Sparse(filled.astype(np.int32), table[filled])


def _pack(table: Sparse) -> tuple[bytes, bytes]:
    """(gaps, values); a gap of 255 or more is written as 255s and the rest."""
    gaps = np.diff(table.slots, prepend=-1) - 1
    wide = gaps // 255
    coded = np.full(len(gaps) + int(wide.sum()), 255, dtype=np.uint8)
    coded[np.cumsum(wide + 1) - 1] = gaps % 255
    return coded.tobytes(), table.values.tobytes()


def _unpack(gaps: memoryview, values: memoryview) -> Sparse:
    coded = np.frombuffer(gaps, dtype=np.uint8)
    slots = np.empty(len(values), dtype=np.int32)
    done, last = 0, -1
    for first in range(0, len(coded), _STEP):  # in steps, or the sums would be the peak of memory
        part = coded[first : first + _STEP]
        whole = part != 255
        sums = np.cumsum(part, dtype=np.int32)
        sums += np.cumsum(whole, dtype=np.int32)
        sums += last
        found = sums[whole]
        slots[done : done + len(found)] = found
        done, last = done + len(found), int(sums[-1])
    return Sparse(slots, np.frombuffer(values, dtype=np.int8))
