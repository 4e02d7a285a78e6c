"""`phasa detect`: the language of texts, pages or lines."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from phasa.cli.inputs import read_bytes, read_lines, tell_trouble, write_text
from phasa.cli.outputs import print_json
from phasa.errors import PhasaError

if TYPE_CHECKING:
    from phasa.language.verdict import Verdict

app = typer.Typer()

_BATCH = 4000


@app.command(epilog="Example:  phasa detect page.html   ·   phasa detect --lines --json sentences.txt")
def detect(
    files: Annotated[
        list[str] | None, typer.Argument(help="Text or HTML files; - or nothing for standard input.")
    ] = None,
    lines: Annotated[bool, typer.Option("--lines", help="Every line is a text of its own.")] = False,
    method: Annotated[
        str,
        typer.Option(
            help="How: auto, model, script, charset, dictionary, ngram, kernel, persian, persian-meta, persian-content."
        ),
    ] = "auto",
    lang: Annotated[
        str | None, typer.Option(help="The language that yes/no methods ask for: a code, or your own profile (.toml).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per text.")] = False,
) -> None:
    """Say in which language texts are: code, score from 0 to 1, and the evidence. `und` means unknown."""

    from phasa import sandbox
    from phasa.cli.pages import read_document
    from phasa.language.detectors import detector

    chosen = detector(method, lang)
    names = files or ["-"]
    if lines:
        for name in names:
            source = read_lines(name)
            while batch := list(islice(source, _BATCH)):
                write_text("".join(_rows(chosen.detect_many(batch), as_json)))
        return
    well = True
    for name in names:
        try:
            document, evidence = sandbox.run(read_document, read_bytes(name))
        except (PhasaError, OSError) as problem:
            well = tell_trouble(name, problem)
            continue
        verdict = chosen.judge(document)
        if as_json:
            row = {"file": name, **verdict._asdict(), "charset": document.charset, "charset_evidence": evidence}
            print_json(row)
        else:
            prefix = f"{name}\t" if len(names) > 1 else ""
            write_text(f"{prefix}{verdict.language}\t{verdict.score:.4f}\t{verdict.evidence}\n")
    if not well:
        raise typer.Exit(1)


def _rows(verdicts: list[Verdict], as_json: bool) -> Iterator[str]:
    if as_json:
        import msgspec

        encode = msgspec.json.Encoder().encode
        for verdict in verdicts:
            yield encode(verdict._asdict()).decode() + "\n"
    else:
        for verdict in verdicts:
            yield f"{verdict.language}\t{verdict.score:.4f}\t{verdict.evidence}\n"
