"""The card of a word model: what it learned from, how, and what that means for who uses it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from phasa.errors import InputError
from phasa.language.lexicon import read_corpus
from phasa.language.segmenters.train import GoldLine, Recipe


@dataclass(frozen=True, slots=True)
class Corpus:
    """The segmented text of one style."""

    style: str
    files: tuple[str, ...]
    licence: str
    lines: tuple[GoldLine, ...]
    left_out: int  # lines that stand in files kept for testing as well


class WordLists(NamedTuple):
    """The names of the files with words that a model was told beside its corpora."""

    listed: str
    frequencies: str = ""


def read_corpora(
    named: Mapping[str, Sequence[Path]], kept_back: Iterable[Path], licences: Mapping[str, str]
) -> list[Corpus]:
    """The corpora by style, without the lines whose text also stands in a file that is kept back.

    Raises InputError for a licence of a style that is not there.
    """
    if unknown := sorted(set(licences) - set(named)):
        raise InputError(f"licence of {unknown[0]!r}: no corpus has that style; write STYLE=TEXT")
    seen = {_text(line) for path in kept_back for line in _lines(path)}
    corpora = []
    for style, paths in named.items():
        lines = [line for path in paths for line in _lines(path)]
        kept = tuple(line for line in lines if _text(line) not in seen)
        names = tuple(path.name for path in paths)
        corpora.append(Corpus(style, names, licences.get(style, "not stated"), kept, len(lines) - len(kept)))
    return corpora


def card_of(
    corpora: Sequence[Corpus], recipe: Recipe, kept_back: Iterable[Path], lists: WordLists, note: str
) -> dict[str, Any]:
    """What goes into the model's file."""
    return {
        "corpora": {
            corpus.style: {
                "files": list(corpus.files),
                "licence": corpus.licence,
                "lines": len(corpus.lines),
                "words": sum(1 for line in corpus.lines for word in line if not word.isspace()),
                "left_out": corpus.left_out,
            }
            for corpus in corpora
        },
        "kept_back": [path.name for path in kept_back],
        "word_list": lists.listed,
        "frequencies": lists.frequencies,
        "recipe": asdict(recipe),
        "note": note,
    }


def card_page(name: str, card: Mapping[str, Any]) -> str:
    """The card as a page to read."""
    rows = [
        f"| {style} | {', '.join(corpus['files'])} | {corpus['lines']:,} | {corpus['words']:,} | {corpus['left_out']} "
        f"| {corpus['licence']} |"
        for style, corpus in card["corpora"].items()
    ]
    files = " ".join(f"{style}={','.join(corpus['files'])}" for style, corpus in card["corpora"].items())
    licences = " ".join(f'--licence "{style}={corpus["licence"]}"' for style, corpus in card["corpora"].items())
    without = " ".join(f"--without {file}" for file in card["kept_back"])
    options = f"--repeats {card['recipe']['repeats']}"
    if card.get("frequencies"):
        options = f"--frequencies {card['frequencies']} {options}"
    recipe = ", ".join(f"{key} {value}" for key, value in card["recipe"].items())
    lines = [
        f"# {name}: where words begin",
        "",
        "Written by `phasa segment train`. The weights of the engine `phasa`: a linear model that says at every place",
        "where a word may begin whether one does, from the units around it (a consonant with its marks, a number, a",
        "blank), their types, the letters next to it and the known words around it. Styles add small differences to",
        "the shared weights; a vote of letter four-grams chooses the style of a text.",
        "",
        "## Trained on",
        "",
        "| Style | Files | Lines | Words | Lines left out | Licence |",
        "|---|---|---|---|---|---|",
        *rows,
        "",
        f"Known words: {_known_words(card)}, and words seen {card['recipe']['least_count']} times in the files above.",
        "Left out are lines whose text also stands in a file kept for testing: "
        + (", ".join(card["kept_back"]) or "none was named")
        + ".",
        "",
        "## Made by",
        "",
        f"    phasa segment train -o {name} {files} {without} {licences} {options}",
        "",
        f"Recipe: {recipe}. The same files, recipe and version of numpy give the same bytes.",
        "",
    ]
    if card["note"]:
        lines += ["## Note", "", card["note"], ""]
    return "\n".join(lines)


def _known_words(card: Mapping[str, Any]) -> str:
    if not card.get("frequencies"):
        return str(card["word_list"])
    return f"{card['word_list']}, those counted {card['recipe']['least_frequency']} times in {card['frequencies']}"


def _lines(path: Path) -> list[GoldLine]:
    return [[word.text for word in line] for line in read_corpus(path)]


def _text(line: GoldLine) -> str:
    return "".join(line).strip()
