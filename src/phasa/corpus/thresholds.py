"""From which numbers on a text is none, by language: the user's own, those of the profile, those that were learned from
clean text of the language and are shipped, or FineWeb 2's table."""

from __future__ import annotations

from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from phasa.errors import SettingsError
from phasa.files import unpacked
from phasa.language.profile import Profile
from phasa.language.stopwords import stop_words_of
from phasa.settings import Settings, read_settings


class Thresholds(Settings, frozen=True, kw_only=True):
    """Bounds of the signals. A text outside one of them is dropped by the step `quality`; the defaults are Gopher's."""

    min_words: Annotated[int, Meta(description="Fewest words of a document.", ge=0)] = 50
    max_words: Annotated[int, Meta(description="Most words of a document.", ge=1)] = 100_000
    min_mean_word: Annotated[float, Meta(description="Shortest mean word, in characters.", ge=0)] = 2.0
    max_mean_word: Annotated[float, Meta(description="Longest mean word.", ge=0)] = 12.0
    min_letters: Annotated[float, Meta(description="Least share of words that begin with a letter.", ge=0, le=1)] = 0.7
    min_stop_words: Annotated[int, Meta(description="Fewest different stop words.", ge=0)] = 2
    max_symbols: Annotated[float, Meta(description="Most # and … per word.", ge=0)] = 0.1
    max_bullets: Annotated[float, Meta(description="Largest share of lines that begin with a bullet.", ge=0)] = 0.9
    max_ellipsis: Annotated[float, Meta(description="Largest share of lines that end with an ellipsis.", ge=0)] = 0.3
    max_lines_per_word: Annotated[float, Meta(description="Most line ends per word.", ge=0)] = 0.25
    min_line_ends: Annotated[
        float, Meta(description="Least share of lines that end a sentence; 0 where they have no mark.", ge=0, le=1)
    ] = 0.0
    max_links: Annotated[float, Meta(description="Largest share of characters inside links.", ge=0)] = 0.6
    max_repeated_lines: Annotated[float, Meta(description="Largest share of repeated lines.", ge=0)] = 0.3
    max_machine: Annotated[
        int, Meta(description="Most marks of machine-made text: placeholders, error messages of programs.", ge=0)
    ] = 2
    min_compressed: Annotated[
        float, Meta(description="Smallest packed size: below it the text repeats itself.", ge=0, le=1)
    ] = 0.06
    top_ngrams: Annotated[
        dict[str, float], Meta(description="Largest share of the commonest n-gram, by n, of characters.")
    ] = msgspec.field(default_factory=lambda: {"2": 0.2, "3": 0.18, "4": 0.16})
    repeated_ngrams: Annotated[
        dict[str, float], Meta(description="Largest share of repeated n-grams, by n, of characters.")
    ] = msgspec.field(default_factory=lambda: {"5": 0.15, "6": 0.14, "7": 0.13, "8": 0.12, "9": 0.11, "10": 0.1})
    stop_words: Annotated[
        tuple[str, ...], Meta(description="Words that running text of the language has; empty: the profile's list.")
    ] = ()


class _Row(msgspec.Struct, frozen=True):
    """A language in the table of FineWeb 2."""

    language: str
    script: str
    dup_line_frac: float
    dup_n_grams: list[tuple[int, float]]
    top_n_grams: list[tuple[int, float]]
    line_punct_thr: float
    max_avg_word_length: float
    min_avg_word_length: float
    max_non_alpha_words_ratio: float
    new_line_ratio: float
    stopwords: tuple[str, ...]


def thresholds_for(profile: Profile, file: str = "") -> tuple[Thresholds, str]:
    """The thresholds for a language and where they are from. `file` comes before what the profile names, that before
    what is shipped (data/thresholds.md), and that before the table. Raises SettingsError for a file that is none."""
    if path := file or profile.thresholds:
        try:
            return read_settings(Path(path), Thresholds), Path(path).name
        except OSError as problem:
            raise SettingsError(f"{path}: cannot be read: {(problem.strerror or '').lower()}") from None
    with as_file(files("phasa.corpus") / "data" / f"thresholds-{profile.code}.toml") as shipped:
        if shipped.is_file():
            return read_settings(shipped, Thresholds), f"phasa, {shipped.name}"
    rows = _table()
    names = (profile.code.partition("-")[0], *profile.aliases)
    for script in profile.scripts:
        for name in names:
            if row := rows.get((name, script)):
                return _from_row(row, profile), f"FineWeb 2, {row.language}_{row.script}"
    return Thresholds(), "Gopher"


def stop_words_for(profile: Profile, thresholds: Thresholds) -> frozenset[str]:
    """The words that running text has: those of the thresholds and of the profile together."""
    return frozenset(thresholds.stop_words) | stop_words_of(profile)


def _from_row(row: _Row, profile: Profile) -> Thresholds:
    # Their words of scripts without blanks are not ours, and syllables are shorter than words.
    slack = 1.0 if profile.segmenter == "syllables" else 0.0
    return Thresholds(
        min_mean_word=max(row.min_avg_word_length - slack, 1.0),
        max_mean_word=row.max_avg_word_length,
        min_letters=min(row.max_non_alpha_words_ratio, 0.8),
        max_lines_per_word=row.new_line_ratio,
        min_line_ends=max(row.line_punct_thr, 0.0),
        max_repeated_lines=row.dup_line_frac,
        top_ngrams={str(n): share for n, share in row.top_n_grams},
        repeated_ngrams={str(n): share for n, share in row.dup_n_grams},
        stop_words=row.stopwords,
    )


@cache
def _table() -> dict[tuple[str, str], _Row]:
    packed = (files("phasa.corpus") / "data" / "thresholds.jsonl.zst").read_bytes()
    rows = (msgspec.json.decode(line, type=_Row) for line in unpacked(packed).splitlines())
    return {(row.language, row.script): row for row in rows}
