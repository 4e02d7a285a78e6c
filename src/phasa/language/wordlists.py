"""The word lists that come with phasa, as plain lists; each has a card beside it that names its source and licence."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.resources import files

import zstandard

from phasa.errors import InputError
from phasa.language.normalise import normalise_all
from phasa.language.profile import Profile


@cache
def word_list(language: str) -> tuple[str, ...]:
    """The words of the list shipped for a language, in code-point order. Raises InputError when there is none."""
    source = files("phasa.language") / "data" / f"words-{language}.txt.zst"
    try:
        packed = source.read_bytes()
    except FileNotFoundError:
        raise InputError(f"language {language!r}: no word list is shipped for it; give one with --lexicon") from None
    return tuple(zstandard.ZstdDecompressor().decompress(packed).decode().split("\n"))


def known_words(words: Iterable[str], profile: Profile) -> list[str]:
    """The words that Γ knows (crawling specification §5.2): in the language's one spelling, each once, in order, but
    those that are a prefix plus another word: LEXiTRON lists การ and ท่องเที่ยว, not both in one."""
    known = dict.fromkeys(normalise_all(list(words), profile))
    prefixes = profile.prefixes
    derived = {
        word
        for word in known
        if word.startswith(prefixes)
        and any(word.startswith(prefix) and word[len(prefix) :] in known for prefix in prefixes)
    }
    return [word for word in known if word not in derived]
