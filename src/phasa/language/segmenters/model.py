"""The weights of the pointwise model and their file.

One shared table of small integers, and per annotation style a few differences from it. The file is a zstandard frame:
a JSON header line, then the arrays; those of the styles as gaps between filled slots and what is in them.
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
_LINE_UP = 64  # bytes to which the header is filled up, so that numbers after it can be read where they are


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
        parts = [self.shared.tobytes(), self.words.table.tobytes(), self.style_table.tobytes()]
        for table in self.styles.values():
            parts += _pack(table)
        header = {
            "format": FORMAT,
            "bits": self.bits,
            "styles": list(self.styles),
            "margin": self.margin,
            "style_names": self.style_names,
            "parts": [len(part) for part in parts],
            "card": dict(self.card),
        }
        head = json.dumps(header, ensure_ascii=False).encode()
        head += b" " * (-(len(head) + 1) % _LINE_UP) + b"\n"
        path.write_bytes(zstandard.ZstdCompressor(level=19).compress(head + b"".join(parts)))


def read_model(path: Path) -> Model:
    """The model in a file. Raises InputError when it is not one, OSError when it cannot be read."""
    try:
        data = zstandard.ZstdDecompressor().decompress(path.read_bytes())
        position = data.index(b"\n") + 1
        header = json.loads(data[:position])
        if header["format"] != FORMAT:
            raise ValueError
    except (zstandard.ZstdError, ValueError, KeyError, TypeError):
        raise InputError(f"{path}: not a word model of this version; `phasa segment train` makes one") from None
    parts = []
    for size in header["parts"]:
        parts.append(np.frombuffer(data, dtype=np.int8, count=size, offset=position))
        position += size
    shared, words, votes = parts[:3]
    return Model(
        header["bits"],
        shared,
        {name: _unpack(*parts[3 + 2 * i : 5 + 2 * i]) for i, name in enumerate(header["styles"])},
        KnownWords(words.view(np.uint8)),
        header["margin"],
        votes.reshape(len(header["style_names"]), -1),
        tuple(header["style_names"]),
        header["card"],
    )


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


def _unpack(gaps: Weights, values: Weights) -> Sparse:
    coded = gaps.view(np.uint8)
    whole = coded != 255
    return Sparse((np.cumsum(coded, dtype=np.int32) + np.cumsum(whole, dtype=np.int32) - 1)[whole], values)
