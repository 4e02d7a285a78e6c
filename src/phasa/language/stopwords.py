"""Stop words: the frequent words that say little. Lists are text files, one word a line, # for comments."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

from phasa.errors import SettingsError
from phasa.language.profile import Profile, load_profile, profile_for


def stop_words(language: str) -> frozenset[str]:
    """The stop words of a shipped language or of a profile file; empty when there is no list."""
    return stop_words_of(load_profile(language))


def stop_words_for(code: str) -> frozenset[str]:
    """The stop words of any language: its profile's, else those of the stopwords-iso lists, else none."""
    profile = profile_for(code)
    return stop_words_of(profile) if profile is not None else _iso_list(code.lower().split("-")[0])


def stop_words_of(profile: Profile) -> frozenset[str]:
    """The stop words of a profile: of the list it names, else those of the stopwords-iso lists.

    Raises SettingsError when its list cannot be read.
    """
    if profile.stop_words:
        return _read_list(profile.stop_words)
    names = (profile.code.partition("-")[0], *profile.aliases)
    return next((found for name in names if (found := _iso_list(name))), frozenset())


def _iso_list(code: str) -> frozenset[str]:
    from stopwordsiso import has_lang, stopwords

    return frozenset(stopwords(code)) if has_lang(code) else frozenset()


@cache
def _read_list(name: str) -> frozenset[str]:
    source = Path(name) if "." in name else files("phasa.language") / "data" / f"stop-{name}.txt"
    try:
        lines = source.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise SettingsError(f"stop words {name!r}: cannot be read as UTF-8 text: {problem}") from None
    return frozenset(word for line in lines if (word := line.partition("#")[0].strip()))
