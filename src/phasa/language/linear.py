"""The general model: for each group of scripts a softmax over hashed n-grams, kept as bytes in one file.

logits = (sum of the table's rows over a text's n-grams / sqrt(their number)) @ projection + bias. The file is made by
`phasa languages train`; its card (model.md) says from what.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import zstandard
from numpy.typing import NDArray

from phasa.errors import InputError
from phasa.language.features import letter_rows, letter_table, ngram_buckets

Floats = NDArray[np.float32]
# Texts scored at a time, as n-grams: bounds the memory of their buckets.
_CHUNK = 48_000
# N-grams whose rows of the table are added up at a time, as floats. A block of a few hundred kilobytes is memory that
# the C library has at hand; a larger one it asks the system for, which costs ten times as much as adding it up.
_BLOCK = 1_536


@dataclass(frozen=True)
class Group:
    """The part of the model that tells the languages of some scripts apart. Its table is unpacked when a text in one of
    them comes first: few users meet the scripts of all groups."""

    scripts: tuple[str, ...]
    classes: tuple[str, ...]
    seen: dict[str, NDArray[np.int64]]  # script -> classes that are written in it
    packed: Callable[[], bytes]  # gives the table, as `pack` has it
    scale: Floats  # one per column of the table
    projection: Floats | None
    bias: Floats
    bits: int
    orders: int

    @cached_property
    def table(self) -> NDArray[np.int8]:
        table = zstandard.ZstdDecompressor().decompress(self.packed())
        return np.frombuffer(table, np.int8).reshape(1 << self.bits, -1)

    def logits(self, texts: Sequence[str], longest: int) -> Floats:
        """One row per text, one column per class; only letters of the group's scripts count."""
        letters = letter_table(self.scripts)
        if len(texts) == 1:
            return self._scored(letter_rows(texts, letters, longest)) + self.bias
        result = np.empty((len(texts), len(self.classes)), np.float32)
        order = np.argsort(np.fromiter(map(len, texts), np.int64, len(texts)), kind="stable")
        start = 0
        while start < len(order):
            size = max(1, _CHUNK // (self.orders * (min(len(texts[order[-1]]), longest) + 1)))
            chosen = order[start : start + size]
            result[chosen] = self._scored(letter_rows([texts[i] for i in chosen], letters, longest))
            start += size
        result += self.bias
        return result

    def _scored(self, rows: NDArray[np.uint16]) -> Floats:
        """What the n-grams of some texts, given as rows of letters, add up to."""
        buckets = ngram_buckets(rows, self.bits, self.orders)
        counts = np.count_nonzero(buckets, axis=1).astype(np.float32)
        table, ones = self.table, np.ones((1, buckets.shape[1]), np.float32)
        sums = np.empty((len(buckets), 1, table.shape[1]), np.float32)
        some = max(1, _BLOCK // buckets.shape[1])
        for start in range(0, len(buckets), some):
            # The bytes become floats only for the rows at hand: a table of floats would be four times as large.
            gathered = table.take(buckets[start : start + some], axis=0).astype(np.float32)
            np.matmul(ones, gathered, out=sums[start : start + some])
        sums = sums[:, 0, :] * self.scale / np.sqrt(np.maximum(counts, 1))[:, None]
        return sums if self.projection is None else np.asarray(sums @ self.projection)


class Model(NamedTuple):
    """All groups, and which one serves a script."""

    groups: tuple[Group, ...]

    def group_of(self, script: str) -> Group | None:
        return next((group for group in self.groups if script in group.seen), None)

    @property
    def languages(self) -> list[str]:
        return sorted({name for group in self.groups for name in group.classes})


def as_bytes(table: Floats, levels: int = 127) -> tuple[NDArray[np.int8], Floats]:
    """A table as signed bytes from -levels to levels and one scale per column; fewer levels make a smaller file."""
    scale = (np.abs(table).max(axis=0) / levels + 1e-12).astype(np.float32)
    return np.round(table / scale).astype(np.int8), scale


def pack(table: NDArray[np.int8]) -> bytes:
    """A table as it is kept: zstandard unpacks it in a third of the time that a compressed npz takes."""
    return zstandard.ZstdCompressor(level=19).compress(table.tobytes())


@cache
def shipped_model() -> Model:
    """The model inside the package, read once."""
    return read_model(Path(__file__).with_name("data") / "model.npz", "model.npz")


def read_model(path: Path, name: str) -> Model:
    """The model in a file that `write_model` made. Raises InputError when it is no such file. The tables stay in the
    file, which is to be left as it is while the model is in use."""
    try:
        with np.load(path) as stored:
            number = int(stored["groups"])
            return Model(tuple(_read_group(stored, f"g{i}_", path) for i in range(number)))
    except (KeyError, ValueError, OSError, zstandard.ZstdError) as problem:
        raise InputError(
            f"{name}: not a phasa language model ({problem}); make one with: phasa languages train"
        ) from None


def write_model(model: Model, path: Path) -> None:
    """The model as one file."""
    arrays: dict[str, NDArray[np.generic]] = {"groups": np.array(len(model.groups))}
    for number, group in enumerate(model.groups):
        arrays |= {
            f"g{number}_table": np.frombuffer(group.packed(), np.uint8),
            f"g{number}_scale": group.scale,
            f"g{number}_bias": group.bias,
            f"g{number}_scripts": np.array(group.scripts),
            f"g{number}_classes": np.array(group.classes),
            f"g{number}_seen": np.array([f"{script} {i}" for script, ids in group.seen.items() for i in ids]),
            f"g{number}_shape": np.array([group.bits, group.orders]),
        }
        if group.projection is not None:
            arrays[f"g{number}_projection"] = group.projection.astype(np.float16)
    with path.open("wb") as out:
        np.savez(out, **arrays)  # type: ignore[arg-type]


def _read_table(path: Path, name: str) -> bytes:
    with np.load(path) as stored:
        table: NDArray[np.uint8] = stored[name]
        return table.tobytes()


def _read_group(stored: np.lib.npyio.NpzFile, key: str, path: Path) -> Group:
    seen: dict[str, list[int]] = {}
    for pair in stored[key + "seen"]:
        script, _, number = str(pair).partition(" ")
        seen.setdefault(script, []).append(int(number))
    bits, orders = (int(value) for value in stored[key + "shape"])
    scale, packed = stored[key + "scale"], stored[key + "table"].tobytes()
    if zstandard.frame_content_size(packed) != len(scale) << bits:
        raise ValueError(f"{key}table is of another size")
    projection = stored[key + "projection"].astype(np.float32) if key + "projection" in stored else None
    return Group(
        scripts=tuple(str(script) for script in stored[key + "scripts"]),
        classes=tuple(str(name) for name in stored[key + "classes"]),
        seen={script: np.array(numbers) for script, numbers in seen.items()},
        packed=partial(_read_table, path, key + "table"),
        scale=scale,
        projection=projection,
        bias=stored[key + "bias"],
        bits=bits,
        orders=orders,
    )
