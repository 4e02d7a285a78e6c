"""The segmented Thai text of E6 to E10 in two parts: BEST from a folder, or the small free corpus of the package.

`python -m phasa.papers.content_overview.corpora DATA` makes the small corpus again from `thai-seg-tud` and
`thai-seg-wisesight`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import zstandard

from phasa.errors import InputError
from phasa.files import unpacked
from phasa.language.lexicon import Line, Word, lots_of_five, read_corpus, read_line
from phasa.language.wordlists import word_list

GENRES = ("article", "encyclopedia", "news", "novel")
SMALL = Path(__file__).with_name("corpus-th.zst")
_TITLES = ("นาย", "นาง", "น.ส.", "ด.ช.", "ด.ญ.", "พล.", "พ.ต.", "พ.ท.", "ร.ต.", "ร.อ.", "ส.ต.", "ดร.", "ม.ร.ว.", "ม.ล.")
_EVERY = 2  # of the treebank every second sentence is enough to show the shape
_UNTAGGED = (
    "the train files come without tags; words with a blank, Thai abbreviations with a full stop and unknown words that "
    "begin with a personal title are taken for tagged ones, so some names stay in the Reference Corpus"
)


class Part(NamedTuple):
    """One half of the corpus, by genre."""

    lines: dict[str, list[Line]]

    def all(self) -> Iterable[Line]:
        return chain.from_iterable(self.lines.values())

    def map(self, change: Callable[[list[Line]], list[Line]]) -> Part:
        return Part({genre: change(lines) for genre, lines in self.lines.items()})


class Corpus(NamedTuple):
    """What lists are built from, what they are scored on, and what a reader must know of both."""

    train: Part
    test: Part
    notes: tuple[str, ...]
    is_best: bool = True


def read_best(folder: Path) -> Corpus:
    """BEST in `folder`: as it is published (a folder of .txt files a genre), or in `thai-seg-best` joined by genre.

    Raises InputError when it is neither.
    """
    joined = folder / "thai-seg-best"
    if joined.is_dir():
        train = _likely_tags(_joined(joined, "train.seg"))
        split = (
            "the split is by whole files, 8 parts train to 1 part test, not lots of five: the files come joined by "
            "genre"
        )
        return Corpus(train, _joined(joined, "dev.tagged"), (split, _UNTAGGED))
    files = {genre: sorted((folder / genre).glob("*.txt")) for genre in GENRES}
    if absent := [genre for genre in GENRES if not files[genre]]:
        raise InputError(
            f"{folder / absent[0]}: the BEST corpus is not there; unpack its folders {', '.join(GENRES)} into "
            f"{folder}, or leave --data out for the small corpus of the package"
        )
    halves = {genre: lots_of_five(files[genre]) for genre in GENRES}
    broken: list[str] = []
    train, test = (
        Part(
            {
                genre: list(_usable(chain.from_iterable(map(_raw_lines, halves[genre][half])), broken))
                for genre in GENRES
            }
        )
        for half in (0, 1)
    )
    notes = ["of every five files of a genre the first is for testing, as published"]
    if broken:
        notes.append(f"{len(broken)} lines with broken tags are left out")
    return Corpus(train, test, tuple(notes))


def read_small() -> Corpus:
    """The corpus that comes with the package: treebank sentences and messages, every fifth for testing."""
    lines: dict[str, list[Line]] = {}
    for row in unpacked(SMALL.read_bytes()).decode().splitlines():
        genre, _, line = row.partition("\t")
        lines.setdefault(genre, []).append(read_line(line))
    halves = {genre: lots_of_five(each) for genre, each in lines.items()}
    train, test = (Part({genre: halves[genre][half] for genre in halves}) for half in (0, 1))
    words = sum(len(line) for each in lines.values() for line in each)
    notes = (
        f"SMALL CORPUS: not BEST but {words:,} words of UD_Thai-TUD (CC BY-SA 4.0) and wisesight (CC0) that come with "
        "phasa; the published figures beside them are those of BEST, a hundred times as large. --data DIR reads BEST",
        _UNTAGGED,
    )
    return Corpus(_likely_tags(train), _likely_tags(test), notes, is_best=False)


def _joined(folder: Path, kind: str) -> Part:
    files = {genre: folder / f"best-{genre}.{kind}.gz" for genre in GENRES}
    if absent := [path for path in files.values() if not path.exists()]:
        raise InputError(f"{absent[0]}: the BEST corpus is not there; put its files into the folder or give --data")
    return Part({genre: list(read_corpus(path)) for genre, path in files.items()})


def _raw_lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8 text; BEST is published in UTF-8") from None


def _usable(rows: Iterable[str], broken: list[str]) -> Iterator[Line]:
    """The lines that have words; those with a tag without its partner go to `broken`."""
    for row in rows:
        try:
            words = read_line(row)
        except InputError:
            broken.append(row)
            continue
        if words:
            yield words


def _likely_tags(part: Part) -> Part:
    common = frozenset(word_list("th"))
    return part.map(lambda lines: [[_with_likely_tag(word, common) for word in line] for line in lines])


def _with_likely_tag(word: Word, common: frozenset[str]) -> Word:
    text = word.text
    if word.tag or text.isspace() or len(text) < 2 or not any("\u0e01" <= sign <= "\u0e4e" for sign in text):
        return word
    if "." in text:
        return Word(text, "AB")
    if " " in text or (text not in common and len(text) > 5 and text.startswith(_TITLES)):
        return Word(text, "NE")
    return word


def write_small(data: Path) -> None:
    """Make the small corpus again. No line of a test part is in it."""
    tud, messages = data / "thai-seg-tud", data / "thai-seg-wisesight"
    rows = [f"treebank\t{line}" for line in _raw_lines(tud / "ud-thai-tud.train.seg")[::_EVERY] if line]
    rows += [f"messages\t{line}" for line in _raw_lines(messages / "wisesight-1000.even.seg") if line]
    SMALL.write_bytes(zstandard.ZstdCompressor(level=19).compress("\n".join(rows).encode()))


if __name__ == "__main__":
    write_small(Path(sys.argv[1]))
