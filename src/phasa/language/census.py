"""A count of the letters of each script in many texts, in one pass over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phasa.language.scripts import SCRIPT_ID, SCRIPTS, script_table

# Beside the scripts the census counts characters that no text has: controls, U+FFFD, private use, half surrogates.
NOISE = len(SCRIPTS)
_WIDTH = len(SCRIPTS) + 1
# Latin words stand in texts of every language (names, brands, code); they count a third against another script.
_VOICE = np.ones(len(SCRIPTS), np.float32)
_VOICE[SCRIPT_ID["Latn"]] = 0.35


_KANA, _HAN = SCRIPT_ID["Kana"], SCRIPT_ID["Hani"]


class Census(NamedTuple):
    """Per text: letters by script, the leading script, its letters, and marks of what is no text."""

    counts: NDArray[np.int64]  # texts × scripts
    leading: NDArray[np.int64]  # number of the script, 0 when there are no letters
    letters: NDArray[np.int64]  # of the leading script
    units: NDArray[np.int64]  # length in UTF-16 code units
    noise: NDArray[np.int64]  # characters that do not occur in text
    changes: NDArray[np.int64]  # letters that differ from the one before: 0 in "aaaa"


@cache
def _kinds() -> NDArray[np.uint8]:
    table = script_table().copy()
    table[:9] = NOISE
    table[14:32] = NOISE
    table[0x7F:0xA0] = NOISE
    table[0xDC80:0xDD00] = NOISE  # bytes that were not UTF-8, as `surrogateescape` keeps them
    table[0xE000:0xF900] = NOISE
    table[0xFFFD:0xFFFF] = NOISE
    return table


def take_census(texts: Sequence[str]) -> Census:
    """Count the letters of every text. Each must be of bounded length (`sample`)."""
    if len(texts) == 1:
        return _census_of_one(texts[0])
    joined = "".join(texts).encode("utf-16-le", "surrogatepass")
    units = np.frombuffer(joined, np.uint16)
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    if lengths.sum() != len(units):  # some character takes two units
        lengths = np.fromiter((len(text.encode("utf-16-le", "surrogatepass")) // 2 for text in texts), np.int64)
    kinds = _kinds()[units]
    owner = np.repeat(np.arange(len(texts)), lengths)
    table = np.bincount(owner * _WIDTH + kinds, minlength=len(texts) * _WIDTH).reshape(-1, _WIDTH)
    counts, noise = table[:, : len(SCRIPTS)].copy(), table[:, NOISE]
    counts[:, 0] = 0
    # Japanese is Han with kana between: what is not purely Han counts as kana.
    japanese = counts[:, _KANA] * 12 > counts[:, _HAN]
    counts[japanese, _KANA] += counts[japanese, _HAN]
    counts[japanese, _HAN] = 0
    leading = (counts * _VOICE).argmax(axis=1)
    letters = counts[np.arange(len(texts)), leading]
    differs = np.zeros(len(units), bool)
    differs[1:] = units[1:] != units[:-1]
    changes = np.bincount(owner[differs & (kinds > 0)], minlength=len(texts))
    return Census(counts, leading, letters, lengths, noise, changes)


def _census_of_one(text: str) -> Census:
    """`take_census` of one text: a page is judged by itself, and most of the work above is telling texts apart."""
    units = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), np.uint16)
    kinds = _kinds().take(units)
    counts = np.bincount(kinds, minlength=_WIDTH)
    noise = counts[NOISE:]
    counts = counts[: len(SCRIPTS)]
    counts[0] = 0
    if counts[_KANA] * 12 > counts[_HAN]:
        counts[_KANA] += counts[_HAN]
        counts[_HAN] = 0
    leading = int((counts * _VOICE).argmax())
    changes = np.count_nonzero((units[1:] != units[:-1]) & (kinds[1:] > 0))
    return Census(
        counts[None],
        np.array((leading,)),
        counts[leading : leading + 1],
        np.array((len(units),)),
        noise,
        np.array((changes,)),
    )
