"""A topic as a list of its words that grows with the crawl: the topical crawler of the Persian note (§7, row 30).

A page in the language is about the topic when enough words of the list stand on it. The words of such pages that
hardly occur on other pages in the language are its specialised words: they join the list, and the file that the next
run reads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from phasa.crawl.answer import Answer
from phasa.crawl.judge import Judgement
from phasa.errors import SettingsError

LEARNED = ".learned"
"""Ending of the file beside the list that has the words that were learned."""
PAGES, SHARE, REMEMBERED = 5, 0.8, 50_000


class Thesaurus:
    """The words of a topic. `least` different ones make a page related; `learned` is where new ones are kept."""

    def __init__(self, words: Iterable[str], least: int = 2, learned: Path | None = None) -> None:
        self.words = set(words)
        self.least = least
        self._learned = learned
        self._related: Counter[str] = Counter()
        self._others: Counter[str] = Counter()

    def look(self, answer: Answer, judgement: Judgement, words: Sequence[str]) -> Judgement:
        """Whether a page in the language is about the topic, by its words without stop words; it is learned from."""
        seen = {word for word in words if len(word) > 2}
        known = seen & self.words
        if len(known) < self.least:
            self._others.update(seen)
            self._forget(self._others)
            return judgement._replace(
                wanted=False, evidence=f"{len(known)} words of the topic, fewer than {self.least}"
            )
        self._related.update(seen)
        self._forget(self._related)
        self._extend(seen - known)
        return judgement._replace(evidence=f"{judgement.evidence}; {len(known)} words of the topic")

    def _extend(self, words: Iterable[str]) -> None:
        new = [word for word in words if self._is_special(word)]
        if not new:
            return
        self.words.update(new)
        if self._learned is not None:
            with self._learned.open("a", encoding="utf-8") as file:
                file.write("".join(f"{word}\n" for word in sorted(new)))

    def _is_special(self, word: str) -> bool:
        related = self._related[word]
        return related >= PAGES and related >= SHARE * (related + self._others[word])

    def _forget(self, counts: Counter[str]) -> None:
        if len(counts) > REMEMBERED:
            for word in [word for word, times in counts.items() if times < PAGES]:
                del counts[word]


def read_thesaurus(path: Path, least: int) -> Thesaurus:
    """The list in a file, one word a line, with what earlier runs learned. Raises SettingsError."""
    learned = path.with_name(path.name + LEARNED)
    try:
        words = [word for line in path.read_text(encoding="utf-8").splitlines() if (word := line.strip())]
        more = learned.read_text(encoding="utf-8").split() if learned.is_file() else []
    except (OSError, UnicodeDecodeError) as problem:
        raise SettingsError(f"setting 'thesaurus': {path}: {problem}; write the topic's words, one a line") from None
    if not words:
        raise SettingsError(f"setting 'thesaurus': {path}: no words; write the topic's words, one a line")
    return Thesaurus([*words, *more], least, learned)
