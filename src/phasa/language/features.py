"""Character n-grams of many texts at once, as numbers of buckets: what the model learns from and scores with.

A text becomes a row of code units: letters of the scripts at hand in lower case, everything else one blank, marks
that are optional in writing (Arabic vowel signs, tatweel) dropped. Each row starts with a blank and ends in padding
that hashes to nothing, so that the n-grams of a text never depend on the texts beside it. An n-gram is hashed with a
rolling multiplicative hash; bucket 0 is where padding falls, and it weighs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from phasa.language.scripts import SCRIPT_ID, script_table

ORDERS = 5
PAD = 0
BLANK = 0x20
_DROP = 1  # mark in the letter table for characters that are left out altogether
_OPTIONAL = (*range(0x064B, 0x0653), 0x0640, 0x0670, *range(0x0610, 0x061B), 0x200D, 0x200E, 0x200F, 0x00AD, 0xFEFF)
_CASED = ("Latn", "Grek", "Cyrl", "Armn", "Geor", "Cher")
_MULTIPLIER = np.uint32(0x9E3779B1)
_STEP = np.uint32(0x01000193)


@cache
def letter_table(scripts: tuple[str, ...]) -> NDArray[np.uint16]:
    """letter_table(scripts)[code unit] = the letter it counts as; BLANK for other scripts; 1 for what is dropped."""
    table = np.full(65536, BLANK, np.uint16)
    ours = np.isin(script_table(), [SCRIPT_ID[script] for script in scripts])
    ours[0x0300:0x0370] = True
    table[ours] = np.flatnonzero(ours)
    cased = ours & np.isin(script_table(), [SCRIPT_ID[script] for script in _CASED])
    for unit in np.flatnonzero(cased).tolist():
        lower = chr(unit).lower()
        if len(lower) == 1 and ord(lower) < 65536:
            table[unit] = ord(lower)
    table[list(_OPTIONAL)] = _DROP
    return table


@cache
def _letter_hashes() -> NDArray[np.uint32]:
    letters = np.arange(65536, dtype=np.uint32)
    mixed = (letters * _MULTIPLIER) ^ (letters * np.uint32(0x85EBCA6B) >> np.uint32(13))
    mixed[PAD] = 0
    return mixed


def letter_rows(texts: Sequence[str], table: NDArray[np.uint16], longest: int) -> NDArray[np.uint16]:
    """One row per text: a blank, at most `longest` letters with single blanks between words, then padding."""
    if len(texts) == 1:
        return _letter_row(texts[0], table, longest)
    separator = "\n"
    joined = separator.join(text.replace(separator, " ") for text in texts) + separator
    units = np.frombuffer(joined.encode("utf-16-le", "surrogatepass"), np.uint16)
    ends = np.flatnonzero(units == ord(separator))
    letters = table[units]
    owner = np.zeros(len(units), np.int32)
    owner[ends[:-1] + 1] = 1
    np.cumsum(owner, out=owner)
    blank = letters == BLANK
    keep = letters != _DROP
    # A blank after a blank, or at the start of a text, says nothing: the row starts with one anyway.
    keep[1:] &= ~(blank[1:] & blank[:-1])
    starts = np.concatenate(([0], ends[:-1] + 1))
    keep[starts] &= ~blank[starts]
    letters, owner = letters[keep], owner[keep]
    lengths = np.bincount(owner, minlength=len(texts))
    position = np.arange(len(letters)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    width = int(min(lengths.max(initial=0), longest))
    rows = np.zeros((len(texts), 1 + width + ORDERS), np.uint16)
    inside = position < width
    rows[:, 0] = BLANK
    rows[owner[inside], position[inside] + 1] = letters[inside]
    return rows


def _letter_row(text: str, table: NDArray[np.uint16], longest: int) -> NDArray[np.uint16]:
    """`letter_rows` of one text: a page is judged by itself, and most of the work above is telling texts apart."""
    units = np.frombuffer(f"{text}\n".encode("utf-16-le", "surrogatepass"), np.uint16)
    letters = table.take(units)
    blank = letters == BLANK
    keep = letters != _DROP
    keep[1:] &= ~(blank[1:] & blank[:-1])
    keep[:1] &= ~blank[:1]
    letters = letters[keep][:longest]
    row = np.zeros((1, 1 + len(letters) + ORDERS), np.uint16)
    row[0, 0] = BLANK
    row[0, 1 : 1 + len(letters)] = letters
    return row


def ngram_buckets(rows: NDArray[np.uint16], bits: int, orders: int = 4) -> NDArray[np.uint32]:
    """Buckets of all n-grams, n = 1..orders, of every row: shape (texts, orders × positions); 0 where there is none."""
    hashes = _letter_hashes()[rows]
    width = rows.shape[1] - ORDERS
    rolling = np.zeros((rows.shape[0], width), np.uint32)
    buckets = np.empty((rows.shape[0], orders, width), np.uint32)
    shift = np.uint32(32 - bits)
    with np.errstate(over="ignore"):
        for order in range(orders):
            rolling = rolling * _STEP + hashes[:, order : order + width]
            buckets[:, order] = (rolling * _MULTIPLIER) >> shift
    return buckets.reshape(rows.shape[0], -1)
