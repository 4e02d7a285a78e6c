"""How many characters of each class every block has, counted for a whole page in one pass over an array."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

OTHER, SPACE, STOP, COMMA, DIGIT, CAPITAL, SOUTHEAST, EAST = range(8)
CLASSES: Final = 8

_TABLE = np.zeros(0x10000, dtype=np.uint8)  # of a code point; the last entry stands for all beyond
_TABLE[ord("A") : ord("Z") + 1] = CAPITAL
_TABLE[0x0391:0x03AA] = CAPITAL
_TABLE[0x0410:0x0430] = CAPITAL
_TABLE[ord("0") : ord("9") + 1] = DIGIT
_TABLE[0x0660:0x066A] = DIGIT
_TABLE[0x06F0:0x06FA] = DIGIT
# Scripts written without spaces between words
_TABLE[0x0E00:0x0F00] = SOUTHEAST  # Thai, Lao
_TABLE[0x1000:0x10A0] = SOUTHEAST  # Burmese
_TABLE[0x1780:0x1800] = SOUTHEAST  # Khmer
_TABLE[0x3040:0xA000] = EAST
_TABLE[0x0E50:0x0E5A] = DIGIT
for _letter in ".!?…。！？؟۔।။។":
    _TABLE[ord(_letter)] = STOP
for _letter in ",;:،؛、，；၊":
    _TABLE[ord(_letter)] = COMMA
for _letter in " \n":
    _TABLE[ord(_letter)] = SPACE


def count_classes(texts: list[str]) -> npt.NDArray[np.float64]:
    """One row of `CLASSES` counts per text."""
    if not texts:
        return np.zeros((0, CLASSES))
    lengths = np.array([len(text) for text in texts])
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    keys = np.repeat(np.arange(0, CLASSES * len(texts), CLASSES), lengths)
    keys += _TABLE[np.minimum(codes, 0xFFFF)]
    return np.bincount(keys, minlength=CLASSES * len(texts)).reshape(-1, CLASSES).astype(np.float64)
