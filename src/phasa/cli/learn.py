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


@app.command("collection", epilog="Example:  phasa learn thai-web --pages 10000")
def learn(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The collection.")],
    pages: Annotated[int, typer.Option("--pages", metavar="N", min=1, help="Most pages to learn from.")] = 10_000,
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
        lesson = learn_from(collection, pages)
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
        }
        print_json(found)
        return
    print(f"{len(lesson.base)} rows, {int(lesson.base.wanted.sum())} of them {lesson.base.label}")
    if confusion is not None:
        print(confusion.table(lesson.base.label))
    for weakness in lesson.weak:
        print(f"phasa: weak knowledge base: {weakness}", file=sys.stderr)
