"""Thresholds for a language from clean text of it: quantiles of its own signals, after CulturaX and FineWeb 2.

An encyclopedia or news will do. What 99 % of these documents keep within, with some slack, is text of the language.
"""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import zstandard

from phasa.corpus.document import Document, Paragraph
from phasa.corpus.signals import COMMONEST, REPEATED, measure
from phasa.corpus.thresholds import Thresholds
from phasa.corpus.words import engine_of, words_of
from phasa.errors import InputError
from phasa.language.profile import Profile

FEWEST = 20
"""Documents below which quantiles say nothing."""
_QUANTILE = 0.01
_SLACK = 1.5
_STOP_SHARE = 0.006
"""Share of all words from which on a word is one that running text has."""
_STOP_WORDS = 40


class Learned(msgspec.Struct, frozen=True):
    """The thresholds, and from how many documents and words."""

    thresholds: Thresholds
    documents: int
    words: int


def learn(texts: Iterable[str], profile: Profile) -> Learned:
    """Thresholds from clean documents. Raises InputError when there are too few."""
    engine = engine_of(profile)
    documents = []
    counts: Counter[str] = Counter()
    for text in texts:
        lines = tuple(Paragraph(line) for part in text.split("\n") if (line := part.strip()))
        words = words_of("\n".join(line.text for line in lines), engine)
        if len(words) < 10:
            continue
        counts.update(words)
        documents.append(Document("", "", "", "", 0, paragraphs=lines, words=words))
    if len(documents) < FEWEST:
        raise InputError(f"{len(documents)} documents of ten words and more; give at least {FEWEST}")
    total = sum(counts.values())
    stops = [word for word, count in counts.most_common(_STOP_WORDS) if count >= _STOP_SHARE * total]
    stops = [word for word in stops if word[0].isalpha()]
    signals = [measure(document, frozenset(stops)) for document in documents]
    return Learned(_thresholds(signals, tuple(stops)), len(documents), total)


def _thresholds(signals: list[dict[str, float]], stop_words: tuple[str, ...]) -> Thresholds:
    def least(name: str) -> float:
        return float(np.quantile([one[name] for one in signals], _QUANTILE))

    def most(name: str, floor: float = 0.0) -> float:
        return round(max(float(np.quantile([one[name] for one in signals], 1 - _QUANTILE)) * _SLACK, floor), 3)

    plain = Thresholds()
    return Thresholds(
        min_words=min(plain.min_words, max(10, int(least("words")))),
        min_mean_word=round(least("mean_word") * 0.8, 2),
        max_mean_word=most("mean_word"),
        min_letters=round(min(plain.min_letters, least("letters") * 0.9), 3),
        min_stop_words=min(plain.min_stop_words, int(least("stop_words"))),
        max_symbols=most("symbols", plain.max_symbols),
        max_ellipsis=most("ellipsis", plain.max_ellipsis),
        max_lines_per_word=most("lines_per_word", 0.1),
        max_repeated_lines=most("repeated_lines", 0.2),
        min_compressed=round(min(plain.min_compressed, least("compressed") * 0.5), 3),
        top_ngrams={str(n): most(f"top_{n}", plain.top_ngrams[str(n)]) for n in COMMONEST},
        repeated_ngrams={str(n): most(f"repeated_{n}", plain.repeated_ngrams[str(n)]) for n in REPEATED},
        stop_words=stop_words,
    )


def read_clean(path: Path) -> Iterator[str]:
    """The documents of a file: the field `text` of JSON lines (.jsonl, .gz and .zst too), else paragraphs of plain text
    between blank lines. Raises InputError."""
    names = path.name.lower()
    try:
        if names.endswith(".zst"):
            with path.open("rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as source:
                content = source.read()
        else:
            content = path.read_bytes()
            content = gzip.decompress(content) if names.endswith(".gz") else content
        text = content.decode("utf-8")
    except (UnicodeDecodeError, gzip.BadGzipFile, EOFError, zstandard.ZstdError) as problem:
        raise InputError(f"{path}: not UTF-8 text ({problem})") from None
    if ".jsonl" in names:
        # Not splitlines: a text may have separators of lines of Unicode inside, which JSON leaves as they are.
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip():
                continue
            try:
                row: Any = msgspec.json.decode(line)
                yield str(row["text"])
            except (msgspec.MsgspecError, KeyError, TypeError):
                raise InputError(f"{path}, line {number}: not a JSON object with a text") from None
        return
    yield from (part for part in text.split("\n\n") if part.strip())
