"""`phasa extract`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated

import typer

from phasa.cli.inputs import read_bytes, write_text
from phasa.errors import InputError, PhasaError
from phasa.overview.extract import Content, Method, content_of, extract_page
from phasa.overview.extract.thesis import FormPolicy, Logic, Rules
from phasa.overview.match import Frequencies

app = typer.Typer()


class Format(StrEnum):
    """What is printed for a page."""

    TEXT = "text"
    JSON = "json"


@app.command(epilog="Example:  phasa extract --json page.html other.html")
def extract(
    pages: Annotated[list[str], typer.Argument(metavar="FILE|URL|-...", help="Pages; - is standard input.")],
    form: Annotated[
        Format, typer.Option("--format", help="Print the text, or one JSON object per page.")
    ] = Format.TEXT,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    method: Annotated[
        Method, typer.Option(help="phasa: judge blocks by their features; thesis: the published rules.")
    ] = Method.PHASA,
    match: Annotated[
        bool, typer.Option("--match", help="The pages are of one site: drop what repeats from page to page.")
    ] = False,
    logic: Annotated[Logic, typer.Option(help="thesis: join anchor ratio and title rule by or, and.")] = Logic.OR,
    form_policy: Annotated[
        FormPolicy, typer.Option(help="thesis: drop a form with all in it, or only its tag.")
    ] = FormPolicy.SUBTREE,
) -> None:
    """Print the key content of pages: the text without menus, advertisements, comments and footers."""
    rules = Rules(logic=logic, form_policy=form_policy)
    write = _write_json if as_json or form is Format.JSON else _write_plain
    failed = 0
    for page, content in _contents(pages, method, rules, match):
        if isinstance(content, Content):
            write(page, content)
        else:
            failed += 1
            print(f"phasa: {page}: {content}", file=sys.stderr)
    if failed:
        raise typer.Exit(1)


def _contents(pages: list[str], method: Method, rules: Rules, match: bool) -> Iterator[tuple[str, Content | Exception]]:
    """Each page with its content, or with what was wrong with it. With `match` the pages are read twice."""
    frequencies = Frequencies()
    if match:
        if "-" in pages:
            raise InputError("--match reads every page twice, which standard input does not allow: name files")
        for page in pages:
            try:
                content = extract_page(_read(page), _address(page), method, rules)[1]
            except (PhasaError, OSError):
                continue  # told in the second pass
            frequencies.add(element.text for element in content)
    for page in pages:
        try:
            metadata, elements = extract_page(_read(page), _address(page), method, rules)
        except (PhasaError, OSError) as problem:
            wrong = problem.strerror.lower() if isinstance(problem, OSError) and problem.strerror else str(problem)
            yield page, InputError(wrong)
        else:
            yield page, content_of(metadata, frequencies.clean(elements) if match else elements)


def _address(page: str) -> str:
    return page if page.startswith(("http://", "https://")) else ""


def _read(page: str) -> bytes:
    return read_bytes(page)


def _write_plain(page: str, content: Content) -> None:
    write_text(content.text + "\n")


def _write_json(page: str, content: Content) -> None:
    row = {
        "file": page,
        "title": content.title,
        "text": content.text,
        "author": content.author,
        "date": content.date,
        "language": content.language,
        "elements": [{"xpath": element.xpath, "text": element.text} for element in content.elements],
    }
    write_text(json.dumps(row, ensure_ascii=False) + "\n")
