"""Learn the weights of `phasa.overview.typical` from pages whose authors gave them tags, and print F by folds.

    python bench/training/keywords_model.py [--data FOLDER] [--news 400]

One model for each kind of language (`typical.kind_of`). A set counts as much as another however many pages it has, from
a hundred on, and so does every page in it. Logistic regression by Newton's method; the printed rows are what stands in
the module. `bench/keywords.py` judges each page by a model that has not seen it, with the folds made here.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.keyword_pages import Tagged, all_sets

from phasa.overview.terms import terms_for
from phasa.overview.typical import Model, PageTerms, features, kind_of

FOLDS = 5
PENALTY = 1.0
FULL_SET = 100
Matrix = NDArray[np.float64]


class Row(NamedTuple):
    """A page: which set it is of, its terms, their features, and whether they are tags."""

    of: str
    page: PageTerms
    features: Matrix
    is_tag: Matrix


def row_of(name: str, page: Tagged) -> Row | None:
    """What is learned from a page; None where it has no word or no tag."""
    reading, terms = page.reading, terms_for(page.reading.language)
    title, description = (frozenset(terms.of(text)) for text in (reading.title, reading.description))
    read = PageTerms(terms.passages(reading.texts), reading.language, title, description)
    found = features(read)
    given = {word for tag in page.tags for word in terms.of(tag)}
    if not found or not given:
        return None
    is_tag = np.array([term in given for term in found], dtype=float)
    return Row(name, read, np.array(list(found.values())), is_tag)


def learn(rows: Sequence[Row]) -> Model:
    """The model under which the tags of these pages are likeliest."""
    pages = Counter(row.of for row in rows)
    x, y = np.vstack([row.features for row in rows]), np.concatenate([row.is_tag for row in rows])
    worth = np.concatenate([np.full(len(r.is_tag), 1 / max(pages[r.of], FULL_SET) / len(r.is_tag)) for r in rows])
    worth *= len(worth) / worth.sum() / FOLDS
    weights = np.zeros(x.shape[1])
    for _ in range(25):
        chance = 1 / (1 + np.exp(-x @ weights))
        curve = (x * (worth * chance * (1 - chance))[:, None]).T @ x + PENALTY * np.eye(x.shape[1])
        weights += np.linalg.solve(curve, x.T @ (worth * (y - chance)) - PENALTY * weights)
    return Model(*(round(float(weight), 2) for weight in weights))


def held_out(rows: Sequence[Row]) -> list[Model]:
    """For each row the model of its kind of language that was learned without the row's fold."""
    kinds = [kind_of(row.page.language) for row in rows]
    models: dict[tuple[str, int], Model] = {}
    for kind in set(kinds):
        for fold in range(FOLDS):
            others = [row for at, row in enumerate(rows) if kinds[at] == kind and at % FOLDS != fold]
            models[kind, fold] = learn(others)
    return [models[kind, at % FOLDS] for at, kind in enumerate(kinds)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = os.environ.get("PHASA_DATA", Path(__file__).parents[3] / "shared" / "data")
    parser.add_argument("--data", type=Path, default=Path(default), help="folder of the real data")
    parser.add_argument("--news", type=int, default=400, help="how many news texts")
    options = parser.parse_args()
    sets = all_sets(options.data, options.news)
    rows = [row for name, pages in sets.items() for page in pages if (row := row_of(name, page)) is not None]
    for kind in sorted({kind_of(row.page.language) for row in rows}):
        ours = [row for row in rows if kind_of(row.page.language) == kind]
        print(f"# {', '.join(f'{name}: {number} pages' for name, number in Counter(row.of for row in ours).items())}")
        print(f'"{kind}": {learn(ours)},', flush=True)


if __name__ == "__main__":
    main()
