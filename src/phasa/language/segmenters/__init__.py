"""Where are the words: engines that cut text, each one file, all behind one protocol."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from phasa.errors import InputError
from phasa.language.segmenters.cuts import CutSegmenter, Segmenter, Span
from phasa.language.wordlists import word_list

__all__ = ["CutSegmenter", "Segmenter", "Span", "engine_names", "load_segmenter", "segmenter_for"]


def _lexto(language: str) -> CutSegmenter:
    from phasa.language.segmenters.lexto import Lexto

    return Lexto(word_list(language))


def _spaced(language: str) -> CutSegmenter:
    from phasa.language.segmenters.spaced import Spaced

    return Spaced()


_ENGINES: dict[str, Callable[[str], CutSegmenter]] = {"lexto": _lexto, "spaced": _spaced}


def engine_names() -> list[str]:
    """The names that `load_segmenter` knows."""
    return list(_ENGINES)


@cache
def load_segmenter(name: str = "lexto", language: str = "th") -> CutSegmenter:
    """The engine of that name for a language, loaded once. Raises InputError for a name it does not know."""
    try:
        make = _ENGINES[name]
    except KeyError:
        raise InputError(
            f"engine {name!r}: there is none of that name; the engines are {', '.join(_ENGINES)}"
        ) from None
    return make(language)


def segmenter_for(language: str) -> CutSegmenter:
    """The right engine for a BCP 47 code: its own for scripts without blanks, Unicode words for all others."""
    primary = language.lower().split("-")[0]
    return load_segmenter("lexto", primary) if primary == "th" else load_segmenter("spaced")
