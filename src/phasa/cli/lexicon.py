"""`phasa lexicon`: word lists learned from segmented corpora."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phasa.cli.outputs import print_json

if TYPE_CHECKING:
    from phasa.language.lexicon import Inconsistency, Line

app = typer.Typer(
    no_args_is_help=True,
    help="Build, refine and show word lists learned from segmented corpora.",
    epilog="Example:  phasa lexicon build corpus.seg -o words.lex",
)

Corpora = Annotated[
    list[Path], typer.Argument(help="Segmented files: words joined by |, NE, AB and POEM tags, or .gz.")
]


@app.command("build", epilog="Example:  phasa lexicon build news.seg novel.seg -o thai.lex --refine")
def build(
    corpora: Corpora,
    output: Annotated[Path, typer.Option("--output", "-o", help="The lexicon file to write.")],
    names: Annotated[Path | None, typer.Option(help="Further names for CName, one a line.")] = None,
    refined: Annotated[bool, typer.Option("--refine", help="Refine the corpus first.")] = False,
    mend: Annotated[
        bool, typer.Option("--mend", help="Refine until nothing changes; no names of two letters or with outer blanks.")
    ] = False,
) -> None:
    """Build the Reference Corpus and CName lists of a corpus, as one compact file."""
    from phasa.language.lexicon import build_lexicon, find_inconsistencies, plain_names, settle
    from phasa.language.lexicon import refine as rewrite

    lines = list(_lines(corpora))
    for cases in settle(lines) if mend else [find_inconsistencies(lines)] if refined else []:
        lines = rewrite(lines, cases)
    further = names.read_text(encoding="utf-8").splitlines() if names else ()
    lexicon = build_lexicon(lines, further)
    if mend:
        lexicon = plain_names(lexicon)
    lexicon.save(output)
    print(f"{output}: {len(lexicon.reference)} words, {len(lexicon.cname)} names")


@app.command("refine", epilog="Example:  phasa lexicon refine corpus.seg -o refined.seg")
def refine(
    corpora: Corpora,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the refined corpus here.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The inconsistencies as a JSON list.")] = False,
    show: Annotated[int, typer.Option(help="How many inconsistencies to print, most frequent first.")] = 20,
) -> None:
    """Find strings that the corpus cuts in two ways, and rewrite the rarer way (Frequency Based Corpus Refinement)."""
    from phasa.language.lexicon import find_inconsistencies, write_line
    from phasa.language.lexicon import refine as rewrite

    lines = list(_lines(corpora))
    cases = find_inconsistencies(lines)
    if output is not None:
        output.write_text("".join(write_line(line) + "\n" for line in rewrite(lines, cases)), encoding="utf-8")
    if as_json:
        print_json([_row(case) for case in cases])
        return
    print(f"{len(cases)} strings are cut in two ways")
    for case in sorted(cases, key=lambda case: -(case.split_count + case.joined_count))[:show]:
        print(f"{'|'.join(case.split)}\t{case.split_count}\t{case.joined}\t{case.joined_count}")


@app.command("show", epilog="Example:  phasa lexicon show thai.lex --word ภาษา")
def show(
    lexicon: Annotated[Path, typer.Argument(help="A lexicon file or a plain word list.")],
    word: Annotated[str | None, typer.Option(help="Look one word up.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As a JSON object.")] = False,
) -> None:
    """Show what a lexicon holds: its size, its longest entries, or one word."""
    from phasa.language.lexicon import load_lexicon

    lists = load_lexicon(lexicon)
    found: dict[str, object] = {"reference": len(lists.reference), "cname": len(lists.cname)}
    if word is None:
        found |= {"longest": list(lists.reference[:5]), "longest_names": list(lists.cname[:5])}
    else:
        found = {
            "word": word,
            "in_reference": word in lists.reference,
            "in_cname": word in lists.cname,
            "count": lists.counts.get(word, 0),
        }
    if as_json:
        print_json(found)
        return
    for key, value in found.items():
        print(f"{key}\t{', '.join(value) if isinstance(value, list) else value}")


def _lines(corpora: list[Path]) -> Iterator[Line]:
    from phasa.language.lexicon import read_corpus

    for path in corpora:
        yield from read_corpus(path)


def _row(case: Inconsistency) -> dict[str, object]:
    return {
        "split": list(case.split),
        "split_count": case.split_count,
        "joined": case.joined,
        "joined_count": case.joined_count,
        "kept": "split" if case.keeps_split else "joined",
    }
