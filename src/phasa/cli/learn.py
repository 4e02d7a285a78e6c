"""`phasa learn`: a knowledge base from a collection, a topic, a dictionary, a segment predictor."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from phasa.cli.group import group_with_default
from phasa.cli.learn_dictionary import dictionary
from phasa.cli.learn_predictor import predictor
from phasa.cli.learn_topic import topic
from phasa.cli.outputs import print_json

app = typer.Typer(
    cls=group_with_default("collection"),
    help="Learn from a collection (phasa learn DIR), or a topic, a dictionary, a segment predictor.",
    epilog="Example:  phasa learn thai-web --pages 10000",
)
app.command("topic", epilog="Example:  phasa learn topic -p thai-hotels/ -n other-pages/ -o tourism.topic")(topic)
app.command("dictionary", epilog="Example:  phasa learn dictionary --country TH --list mine.txt -o thailand.txt")(
    dictionary
)
app.command("predictor", epilog="Example:  phasa learn predictor english-thailand --dictionary thailand")(predictor)


@app.command("starts", epilog="Example:  phasa learn starts thai-web --pages 20 -o starts.txt")
def starts(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The collection of the initial pages.")],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="The seed file to write.")],
    pages: Annotated[int, typer.Option("--pages", metavar="N", min=1, help="How many of its first pages.")] = 20,
) -> None:
    """The links of an initial group of pages as seeds with their values a1 a2 a3 a4, as the Thai thesis starts a crawl.

    The file is a seeds.txt: for `phasa init --seeds`, or `phasa lab run --graph … --seeds`.
    """
    from phasa.collection import Collection
    from phasa.crawl.learn.lesson import starts_of
    from phasa.crawl.seeds import seed_line

    found = starts_of(Collection.open(directory), pages)
    out.write_text("".join(f"{seed_line(seed)}\n" for seed in found), encoding="utf-8")
    print(f"{out}: {len(found)} starting URLs")


@app.command("collection", epilog="Example:  phasa learn thai-web --pages 10000")
def learn(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The collection.")],
    pages: Annotated[int, typer.Option("--pages", metavar="N", min=1, help="Most pages to learn from.")] = 10_000,
    check_every: Annotated[
        int, typer.Option("--check-every", metavar="N", min=0, help="Rows between two checks of its accuracy; 0: none.")
    ] = 1000,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Build the knowledge base from what was crawled, and check it by ten-fold cross-validation.

    Writes models/knowledge.arff (a Weka file) and models/trained.txt (the pages used; leave them out of any
    measurement). The strategy nb uses it in the next crawl.
    """

    from phasa.collection import Collection
    from phasa.crawl.learn.lesson import learn as learn_from

    collection = Collection.open(directory)
    with collection.locked():
        lesson = learn_from(collection, pages, check_every)
    confusion = lesson.confusion
    if as_json:
        found = {
            "rows": len(lesson.base),
            "wanted": int(lesson.base.wanted.sum()),
            "accuracy": confusion.accuracy if confusion else None,
            "precision": confusion.wanted()[0] if confusion else None,
            "recall": confusion.wanted()[1] if confusion else None,
            "f": confusion.wanted()[2] if confusion else None,
            "weaknesses": lesson.weak,
            "checks": [check._asdict() for check in lesson.checks],
        }
        print_json(found)
        return
    print(f"{len(lesson.base)} rows, {int(lesson.base.wanted.sum())} of them {lesson.base.label}")
    if len(lesson.checks) > 1:
        print(f"{'rows':>8}{'wanted':>8}{'accuracy':>10}{'F':>7}{'F other':>9}   while it grew")
        for check in lesson.checks:
            print(f"{check.rows:>8}{check.wanted:>8}{check.accuracy:>10.4f}{check.f:>7.3f}{check.other_f:>9.3f}")
    if confusion is not None:
        print(confusion.table(lesson.base.label))
    for weakness in lesson.weak:
        print(f"phasa: weak knowledge base: {weakness}", file=sys.stderr)
