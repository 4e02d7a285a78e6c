"""Byte statistics: how well some bytes fit each language in each of its old encodings.

The table (charset_model.npz, made by bench/training/charset.py) has the cost in bits of every pair of byte classes in
every model. Only pairs with a byte above 127 are counted, so markup weighs nothing. Costs are bits per byte: about
3 to 4.5 where a model fits, 7 and more where it does not; multi-byte encodings are put on the same scale by the
frequency of the characters that they decode to.
"""

from __future__ import annotations

import codecs
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

MODEL = Path(__file__).with_name("charset_model.npz")

# Classes: 128 bytes above ASCII, 26 letters whatever their case, digit, white space, anything else.
CLASSES = 128 + 26 + 3
PAIRS = 1000  # as many are judged; more would not change the verdict
MULTI = ("gb18030", "big5hkscs", "cp932", "euc_jp", "cp949", "johab")
UNSEEN = 17.0  # bits of a character that the training text does not have
BAD = 30.0  # bits of a byte that does not decode


class Fit(NamedTuple):
    """An encoding, the language whose text it gave, and the cost of the bytes under it, in bits per byte."""

    charset: str
    language: str
    bits: float


def single_byte_fits(body: bytes, most: int | None = None) -> tuple[list[Fit], int]:
    """The single-byte models with their costs, best first, and how many pairs were judged."""
    import numpy as np

    names, pairs = _model()[:2]
    raw = np.frombuffer(body, dtype=np.uint8)
    high = raw >= 0x80
    where = np.flatnonzero(high[:-1] | high[1:])[:PAIRS]
    if not len(where):
        return [], 0
    classes = class_table()
    costs = pairs[classes[raw[where]] * CLASSES + classes[raw[where + 1]]].sum(axis=0, dtype=np.int32)
    order = [int(costs.argmin())] if most == 1 else np.argsort(costs, kind="stable")[:most].tolist()
    scale = 8.0 * len(where)
    return [Fit(names[number][0], names[number][1], float(costs[number]) / scale) for number in order], len(where)


def multi_byte_fits(body: bytes) -> list[Fit]:
    """Every multi-byte encoding that the bytes could be in, best first."""
    characters = _model()[2]
    sample = dense(body)
    fits: list[Fit] = []
    for charset in MULTI:
        text = sample.decode(charset, "replace")
        bits = size = 0.0
        for letter in text:
            if letter > "\x7f":
                bits += characters.get(letter, UNSEEN) if letter != "\ufffd" else BAD
                size += 1 if letter == "\ufffd" or "\uff61" <= letter <= "\uff9f" else 2
        if size:
            fits.append(Fit(charset, "", bits / size))
    return sorted(fits, key=lambda fit: fit.bits)


def dense(body: bytes, size: int = 2000) -> bytes:
    """A stretch of the body that begins where bytes above ASCII do, cut at ASCII so that no character is split."""
    start = next((position for position, byte in enumerate(body) if byte >= 0x80), 0)
    piece = body[start : start + size]
    return piece if len(piece) < size else piece[: _last_ascii(piece)]


def _last_ascii(piece: bytes) -> int:
    for position in range(len(piece) - 1, len(piece) // 2, -1):
        if piece[position] < 0x40:
            return position
    return len(piece)


def ready() -> None:
    """Load what is loaded at the first use otherwise."""
    class_table()
    _model()
    for charset in MULTI:
        codecs.lookup(charset)


@cache
def class_table() -> Any:
    """The class of each of the 256 bytes, as an array of int64."""
    import numpy as np

    table = np.full(256, CLASSES - 1, dtype=np.int64)
    table[128:] = np.arange(128)
    for letter in range(26):
        table[65 + letter] = table[97 + letter] = 128 + letter
    table[48:58] = CLASSES - 3
    table[[9, 10, 12, 13, 32]] = CLASSES - 2
    return table


@cache
def _model() -> tuple[list[tuple[str, str]], Any, dict[str, float]]:
    import numpy as np

    with np.load(MODEL) as stored:
        names = [(name.split(" ")[0], name.split(" ")[1]) for name in stored["names"].tolist()]
        pairs = stored["pairs"]
        characters = dict(zip(stored["characters"].tolist(), stored["bits"].astype(float).tolist(), strict=True))
    return names, pairs, characters
