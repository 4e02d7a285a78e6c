"""Which writing system each character belongs to, as one table over the 65,536 code units of UTF-16.

Counting scripts is then one table look-up and one `bincount` for a whole batch of texts. Characters beyond the Basic
Multilingual Plane come as surrogates and count as no letter; no language we tell apart is written with them alone.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

# (script as ISO 15924, first, last): blocks of letters. What is in no block is not a letter to us.
BLOCKS: tuple[tuple[str, int, int], ...] = (
    ("Latn", 0x0041, 0x005A),
    ("Latn", 0x0061, 0x007A),
    ("Latn", 0x00AA, 0x00AA),
    ("Latn", 0x00BA, 0x00BA),
    ("Latn", 0x00C0, 0x00D6),
    ("Latn", 0x00D8, 0x00F6),
    ("Latn", 0x00F8, 0x02AF),
    ("Latn", 0x1D00, 0x1DBF),
    ("Latn", 0x1E00, 0x1EFF),
    ("Latn", 0x2C60, 0x2C7F),
    ("Latn", 0xA720, 0xA7FF),
    ("Latn", 0xAB30, 0xAB6F),
    ("Latn", 0xFB00, 0xFB06),
    ("Latn", 0xFF21, 0xFF3A),
    ("Latn", 0xFF41, 0xFF5A),
    ("Grek", 0x0370, 0x03FF),
    ("Grek", 0x1F00, 0x1FFF),
    ("Cyrl", 0x0400, 0x052F),
    ("Cyrl", 0x1C80, 0x1C8F),
    ("Cyrl", 0x2DE0, 0x2DFF),
    ("Cyrl", 0xA640, 0xA69F),
    ("Armn", 0x0531, 0x058F),
    ("Armn", 0xFB13, 0xFB17),
    ("Hebr", 0x05D0, 0x05F4),
    ("Hebr", 0xFB1D, 0xFB4F),
    ("Arab", 0x0620, 0x064A),
    ("Arab", 0x066E, 0x06D5),
    ("Arab", 0x06EE, 0x06EF),
    ("Arab", 0x06FA, 0x06FF),
    ("Arab", 0x0750, 0x077F),
    ("Arab", 0x0870, 0x08FF),
    ("Arab", 0xFB50, 0xFDFF),
    ("Arab", 0xFE70, 0xFEFC),
    ("Syrc", 0x0700, 0x074F),
    ("Thaa", 0x0780, 0x07BF),
    ("Nkoo", 0x07C0, 0x07FF),
    ("Deva", 0x0900, 0x097F),
    ("Deva", 0xA8E0, 0xA8FF),
    ("Beng", 0x0980, 0x09FF),
    ("Guru", 0x0A00, 0x0A7F),
    ("Gujr", 0x0A80, 0x0AFF),
    ("Orya", 0x0B00, 0x0B7F),
    ("Taml", 0x0B80, 0x0BFF),
    ("Telu", 0x0C00, 0x0C7F),
    ("Knda", 0x0C80, 0x0CFF),
    ("Mlym", 0x0D00, 0x0D7F),
    ("Sinh", 0x0D80, 0x0DFF),
    ("Thai", 0x0E01, 0x0E3A),
    ("Thai", 0x0E40, 0x0E4E),
    ("Laoo", 0x0E80, 0x0EFF),
    ("Tibt", 0x0F00, 0x0FFF),
    ("Mymr", 0x1000, 0x109F),
    ("Mymr", 0xA9E0, 0xA9FF),
    ("Mymr", 0xAA60, 0xAA7F),
    ("Geor", 0x10A0, 0x10FF),
    ("Geor", 0x1C90, 0x1CBF),
    ("Geor", 0x2D00, 0x2D2F),
    ("Ethi", 0x1200, 0x139F),
    ("Ethi", 0x2D80, 0x2DDF),
    ("Cher", 0x13A0, 0x13FF),
    ("Cher", 0xAB70, 0xABBF),
    ("Cans", 0x1400, 0x167F),
    ("Khmr", 0x1780, 0x17FF),
    ("Mong", 0x1820, 0x18AF),
    ("Tale", 0x1950, 0x197F),
    ("Talu", 0x1980, 0x19DF),
    ("Bugi", 0x1A00, 0x1A1F),
    ("Lana", 0x1A20, 0x1AAF),
    ("Bali", 0x1B00, 0x1B7F),
    ("Sund", 0x1B80, 0x1BBF),
    ("Olck", 0x1C50, 0x1C7F),
    ("Tfng", 0x2D30, 0x2D7F),
    ("Vaii", 0xA500, 0xA63F),
    ("Java", 0xA980, 0xA9DF),
    ("Mtei", 0xABC0, 0xABFF),
    ("Yiii", 0xA000, 0xA4CF),
    ("Kana", 0x3041, 0x309F),
    ("Kana", 0x30A1, 0x30FF),
    ("Kana", 0x31F0, 0x31FF),
    ("Kana", 0xFF66, 0xFF9F),
    ("Bopo", 0x3105, 0x312F),
    ("Hang", 0x1100, 0x11FF),
    ("Hang", 0x3131, 0x318E),
    ("Hang", 0xAC00, 0xD7A3),
    ("Hani", 0x3005, 0x3007),
    ("Hani", 0x3400, 0x4DBF),
    ("Hani", 0x4E00, 0x9FFF),
    ("Hani", 0xF900, 0xFAFF),
)
NO_SCRIPT = 0
SCRIPTS: tuple[str, ...] = ("Zyyy", *dict.fromkeys(script for script, _, _ in BLOCKS))
SCRIPT_ID: dict[str, int] = {script: number for number, script in enumerate(SCRIPTS)}

# Names of ISO 15924 for several scripts together, or for a way of writing one: the scripts of BLOCKS that they mean,
# the one that shows the language first. Hiragana and katakana are one script here: no language has one of them alone.
SCRIPT_SETS: dict[str, tuple[str, ...]] = {
    "Jpan": ("Kana", "Hani"), "Hira": ("Kana",), "Hrkt": ("Kana",), "Kore": ("Hang", "Hani"), "Jamo": ("Hang",),
    "Hans": ("Hani",), "Hant": ("Hani",), "Hanb": ("Hani", "Bopo"), "Aran": ("Arab",), "Latf": ("Latn",),
    "Latg": ("Latn",), "Cyrs": ("Cyrl",), "Syre": ("Syrc",), "Syrj": ("Syrc",), "Syrn": ("Syrc",), "Geok": ("Geor",),
}  # fmt: skip
# Written without blanks between words.
UNSPACED = frozenset({"Thai", "Laoo", "Khmr", "Mymr", "Tibt", "Kana", "Hani", "Yiii", "Java", "Bali", "Lana", "Talu"})


@cache
def script_table() -> NDArray[np.uint8]:
    """script_table()[code unit] = index into SCRIPTS; 0 for what is not a letter."""
    table = np.zeros(65536, np.uint8)
    for script, first, last in BLOCKS:
        table[first : last + 1] = SCRIPT_ID[script]
    return table


def code_units(text: str) -> NDArray[np.uint16]:
    """The UTF-16 code units of a text. Lone surrogates are kept as they are."""
    return np.frombuffer(text.encode("utf-16-le", "surrogatepass"), np.uint16)


def count_scripts(text: str) -> dict[str, int]:
    """How many letters of each script a text has; scripts that do not occur are absent."""
    counts = np.bincount(script_table()[code_units(text)], minlength=len(SCRIPTS))
    return {SCRIPTS[number]: int(counts[number]) for number in range(1, len(SCRIPTS)) if counts[number]}
