"""The step that drops what the thresholds say is no text: the first signal that is out of its bounds is the reason."""

from __future__ import annotations

from collections.abc import Sequence

from phasa.corpus.document import Document, dropped
from phasa.corpus.thresholds import Thresholds


class Quality:
    """Every document whose signals are within the thresholds stays."""

    name = "quality"

    def __init__(self, thresholds: Thresholds) -> None:
        self._bounds = bounds_of(thresholds)

    def __call__(self, documents: Sequence[Document]) -> list[Document]:
        return [self._judged(one) for one in documents]

    def _judged(self, document: Document) -> Document:
        for signal, least, most in self._bounds:
            value = document.signals.get(signal, 0.0)
            if value < least:
                return dropped(document, self.name, f"{signal}_low", {signal: value, "least": least})
            if value > most:
                return dropped(document, self.name, f"{signal}_high", {signal: value, "most": most})
        return document


def bounds_of(thresholds: Thresholds) -> list[tuple[str, float, float]]:
    """(signal, least, most), in the order in which they are asked: what says most about a text first."""
    much = float("inf")
    one = thresholds
    return [
        ("words", one.min_words, one.max_words),
        ("mean_word", one.min_mean_word, one.max_mean_word),
        ("letters", one.min_letters, much),
        ("stop_words", one.min_stop_words, much),
        ("links", 0.0, one.max_links),
        ("symbols", 0.0, one.max_symbols),
        ("bullets", 0.0, one.max_bullets),
        ("ellipsis", 0.0, one.max_ellipsis),
        ("lines_per_word", 0.0, one.max_lines_per_word),
        ("line_ends", one.min_line_ends, much),
        ("repeated_lines", 0.0, one.max_repeated_lines),
        ("machine", 0.0, one.max_machine),
        ("compressed", one.min_compressed, much),
        *((f"top_{n}", 0.0, share) for n, share in sorted(one.top_ngrams.items(), key=_by_number)),
        *((f"repeated_{n}", 0.0, share) for n, share in sorted(one.repeated_ngrams.items(), key=_by_number)),
    ]


def _by_number(item: tuple[str, float]) -> int:
    return int(item[0]) if item[0].isdecimal() else 0
