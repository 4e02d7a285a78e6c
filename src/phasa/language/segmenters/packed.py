"""Engines over the shipped word lists as they stand in memory, so that they load without being built.

`python -m phasa.language.segmenters.packed th` writes the files `packed-ENGINE-LANGUAGE.zst` beside the word lists. A
file is raw numbers in zstandard, never code; one that does not fit the installed libraries is passed over and the
engine is built from its word list, which gives the same words.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import zstandard

DATA = Path(__file__).parents[1] / "data"

Engine = TypeVar("Engine")


def read_packed(name: str, language: str, read: Callable[[bytes], Engine], data: Path = DATA) -> Engine | None:
    """What `read` makes of the packed engine; None when there is none for the language, or none that fits."""
    try:
        packed = (data / f"packed-{name}-{language}.zst").read_bytes()
        return read(zstandard.ZstdDecompressor().decompress(packed))
    except (FileNotFoundError, zstandard.ZstdError, ValueError):
        return None


def write_packed(language: str, data: Path = DATA, level: int = 19) -> None:
    """Write the packed engines of a language anew from its word list."""
    from phasa.language.lexicon import Lexicon
    from phasa.language.profile import load_profile
    from phasa.language.segmenters.lexto import Lexto
    from phasa.language.segmenters.longest_first import LongestFirst
    from phasa.language.wordlists import known_words, word_list

    words = word_list(language)
    engines = {
        "dictionary": Lexto(known_words(words, load_profile(language))).to_bytes(),
        "lexto": Lexto(words).to_bytes(),
        "longest-first": LongestFirst(Lexicon((), words, {})).entries.to_bytes(),
    }
    for name, engine in engines.items():
        packed = zstandard.ZstdCompressor(level=level).compress(engine)
        (data / f"packed-{name}-{language}.zst").write_bytes(packed)


if __name__ == "__main__":
    for code in sys.argv[1:]:
        write_packed(code)
