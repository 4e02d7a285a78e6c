"""A word-segmented corpus: one line of text a line, words between bars, BEST's tags kept (overview spec. §4.7.1).

`<NE>…</NE>` is a named entity, `<AB>…</AB>` an abbreviation, `<POEM>…</POEM>` a poem; each such span is one word, even
when bars stand inside it. Without the bars and tags a line is the running text.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from phasa.errors import InputError

BAR = "|"
_TAGGED = re.compile(r"<(NE|AB|POEM)>(.*?)</\1>")
_TAG = re.compile(r"</?(?:NE|AB|POEM)>")
_File = TypeVar("_File")


class Word(NamedTuple):
    """A word of a corpus; `tag` is "", "NE", "AB" or "POEM"."""

    text: str
    tag: str = ""


Line = list[Word]


def read_line(line: str) -> Line:
    """The words of one line. Raises InputError for a tag without its partner."""
    words: Line = []
    position = 0
    for span in _TAGGED.finditer(line):
        words += _plain(line[position : span.start()])
        inner = span[2].replace(BAR, "")
        if inner:
            words.append(Word(inner, span[1]))
        position = span.end()
    return words + _plain(line[position:])


def _plain(stretch: str) -> Line:
    if stray := _TAG.search(stretch):
        raise InputError(f"segmented line: {stray[0]} has no partner in «{stretch[:60]}»; mend the tag")
    return [Word(text) for text in stretch.split(BAR) if text]


def read_corpus(path: Path | str) -> Iterator[Line]:
    """The lines of a segmented file, plain or .gz, UTF-8; lines without a word are left out."""
    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8", newline="\n") as lines:
        for number, line in enumerate(lines, 1):
            try:
                words = read_line(line.rstrip("\r\n"))
            except InputError as problem:
                raise InputError(f"{path}, line {number}: {problem}") from None
            if words:
                yield words


def raw_text(words: Iterable[Word]) -> str:
    """The running text of a line."""
    return "".join(word.text for word in words)


def write_line(words: Iterable[Word]) -> str:
    """The line as it stands in a file, without a line end."""
    return BAR.join(f"<{word.tag}>{word.text}</{word.tag}>" if word.tag else word.text for word in words)


def lots_of_five(files: Sequence[_File]) -> tuple[list[_File], list[_File]]:
    """(train, test): of every five files the first is for testing, the other four for training (§4.7.2)."""
    return [file for i, file in enumerate(files) if i % 5], [file for i, file in enumerate(files) if not i % 5]
