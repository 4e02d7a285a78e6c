"""What can be measured of a text by itself: lengths, shares, repetitions. Each is a column of the corpus.

After Gopher (Rae et al. 2021, table A1) as FineWeb 2 counts it, so that its thresholds hold: shares are of all
characters of the text, the first occurrence of an n-gram does not count, and repetitions that overlap count once.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from phasa.corpus.document import Document

REPEATED = (5, 6, 7, 8, 9, 10)
"""Lengths of n-grams whose repetition is measured, and of those whose commonest one is."""
COMMONEST = (2, 3, 4)
_BULLETS = ("•", "●", "○", "■", "□", "▪", "▫", "◦", "‣", "*", "-", "–", "»", "►", "✓")
_ENDS = frozenset(".!?…。！？؟۔।”\"»“'’)")
_SYMBOLS = re.compile(r"#|\.\.\.|…")
_MADE = re.compile(
    r"lorem ipsum|\{\{\s*\w|\$\{\w|<\?php|undefined index|fatal error:|you have an error in your sql|"
    r"javascript (?:is )?(?:disabled|required)|enable javascript|\[object object\]|nan nan|null null",
    re.I,
)
_LOOKED_AT = 20_000
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def measure(document: Document, stop_words: frozenset[str]) -> dict[str, float]:
    """The signals of a document whose words are known."""
    words, lines = document.words, [line for one in document.paragraphs for line in one.text.split("\n") if line]
    text = document.text
    count = len(words)
    counts = Counter(words)  # in the order in which they come first
    stops = stop_words.intersection(counts)
    lengths = np.fromiter(map(len, words), np.int64, count)
    repeated_lines, repeated_characters = _repeated(lines)
    numbers: dict[str, float] = {
        "words": count,
        "characters": len(text),
        "paragraphs": len(document.paragraphs),
        "mean_word": _share(int(lengths.sum()), count),
        "letters": _share(sum(number for word, number in counts.items() if word[0].isalpha()), count),
        "stop_share": _share(sum(counts[word] for word in stops), count),
        "stop_words": len(stops),
        "distinct_words": _share(len(counts), count),
        "symbols": _share(len(_SYMBOLS.findall(text)), count),
        "bullets": _share(sum(line.lstrip().startswith(_BULLETS) for line in lines), len(lines)),
        "ellipsis": _share(sum(line.rstrip().endswith(("...", "…")) for line in lines), len(lines)),
        "line_ends": _share(sum(line.rstrip()[-1:] in _ENDS for line in lines), len(lines)),
        "lines_per_word": _share(len(lines) - 1, count),
        "links": _link_share(document),
        "repeated_lines": repeated_lines,
        "repeated_line_characters": repeated_characters,
        "compressed": _compressed(text),
        "machine": len(_MADE.findall(text)),
    }
    ids = {word: number for number, word in enumerate(counts, 1)}
    return numbers | _ngrams(np.fromiter(map(ids.__getitem__, words), np.uint64, count), lengths, len(text))


def _share(part: float, whole: float) -> float:
    return round(part / whole, 4) if whole else 0.0


def _link_share(document: Document) -> float:
    total = sum(len(one.text) for one in document.paragraphs)
    return _share(sum(len(one.text) * one.links for one in document.paragraphs), total)


def _repeated(lines: Sequence[str]) -> tuple[float, float]:
    """The share of lines, and of their characters, that have stood before."""
    again = [(line, count - 1) for line, count in Counter(lines).items() if count > 1]
    extra = sum(count for _, count in again)
    characters = sum(count * len(line) for line, count in again)
    return _share(extra, len(lines)), _share(characters, sum(map(len, lines)))


def _compressed(text: str) -> float:
    """How small the text packs: prose to about a half of its UTF-16 length, lists and templates far below."""
    data = text[:_LOOKED_AT].encode("utf-16-le", "surrogatepass")
    return _share(len(zlib.compress(data, 1)), len(data))


def _ngrams(ids: NDArray[np.uint64], lengths: NDArray[np.int64], total: int) -> dict[str, float]:
    """`ids` are the words as numbers. What stands but once is part of no longer n-gram that stands twice: each length
    is looked for only where a shorter one was repeated."""
    names = [f"top_{n}" for n in COMMONEST] + [f"repeated_{n}" for n in REPEATED]
    out = dict.fromkeys(names, 0.0)
    mixed = ids * _FACTOR
    mixed ^= mixed >> np.uint64(29)
    before = np.concatenate(([0], np.cumsum(lengths)))
    grams = mixed
    places = np.arange(len(ids))
    for n in range(2, REPEATED[-1] + 1):
        places = places[: np.searchsorted(places, len(ids) - n, side="right")]
        grams = grams[:-1] * _FACTOR + mixed[n - 1 :]
        asked = grams[places]
        order = np.argsort(asked, kind="stable")
        ordered = asked[order]
        again = np.flatnonzero(ordered[1:] == ordered[:-1])
        if not len(again):
            break
        if n in COMMONEST:
            out[f"top_{n}"] = _commonest(places[order], again, before, n, total)
        else:
            out[f"repeated_{n}"] = _repeats(places[order[again + 1]], before, n, total)
        repeated = np.zeros(len(places), np.bool_)
        repeated[order[again]] = repeated[order[again + 1]] = True
        places = places[repeated]
    return out


def _commonest(
    places: NDArray[np.int64], again: NDArray[np.int64], before: NDArray[np.int64], n: int, total: int
) -> float:
    """The share of characters in the commonest n-gram. `again` are where among `places`, equal ones beside each other,
    the next has the same n-gram."""
    edges = np.flatnonzero(again[1:] != again[:-1] + 1) + 1
    begins = np.concatenate(([0], edges))
    counts = np.concatenate((edges, [len(again)])) - begins + 1
    best = int(counts.argmax())
    at = int(places[again[begins[best]]])
    return _share(int(counts[best]) * int(before[at + n] - before[at]), total)


def _repeats(places: NDArray[np.int64], before: NDArray[np.int64], n: int, total: int) -> float:
    """The share of characters in n-grams that have stood before, at these places, of those that overlap the first."""
    characters, end = 0, 0
    for start in np.sort(places).tolist():
        if start >= end:
            end = start + n
            characters += int(before[end] - before[start])
    return _share(characters, total)


class Measure:
    """The step that measures every document that comes to it; the numbers become columns, whatever is done by them."""

    name = "measure"

    def __init__(self, stop_words: frozenset[str]) -> None:
        self._stop_words = stop_words

    def __call__(self, documents: Sequence[Document]) -> list[Document]:
        return [replace(one, signals=one.signals | measure(one, self._stop_words)) for one in documents]
