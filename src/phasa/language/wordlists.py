"""The word lists that come with phasa, as plain lists; each has a card beside it that names its source and licence."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import zstandard

from phasa.errors import InputError


@cache
def word_list(language: str) -> tuple[str, ...]:
    """The words of the list shipped for a language, in code-point order. Raises InputError when there is none."""
    source = files("phasa.language") / "data" / f"words-{language}.txt.zst"
    try:
        packed = source.read_bytes()
    except FileNotFoundError:
        raise InputError(f"language {language!r}: no word list is shipped for it; give one with --lexicon") from None
    return tuple(zstandard.ZstdDecompressor().decompress(packed).decode().split("\n"))
