"""Learn the weights of `phasa.overview.typical` from pages whose authors gave them tags, and print F by folds.

    python bench/training/keywords.py [--data FOLDER] [--news 300]

Two models: one for languages whose word frequencies are shipped (Thai home pages and news), one for the others (Persian
home pages, articles). Every set counts the same, and so does every page in it. Logistic regression by Newton's method;
the printed rows are what stands in the module. F is of the best list by number of words, over five folds: each page is
judged by a model that has not seen it.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))

from keyword_pages import Tagged, articles, home_pages, news

from phasa.overview.keyword_score import score_keywords
from phasa.overview.overview import passages
from phasa.overview.terms import terms_for
from phasa.overview.typical import Model, PageTerms, features

FOLDS = 5
SIZES = (5, 8, 10, 12, 15, 20, 30, 40)
PENALTY = 1.0
Matrix = NDArray[np.float64]


class Row(NamedTuple):
    """A page: which set it is of, its terms, their features, whether they are tags, and what F is counted by."""

    of: str
    terms: list[str]
    features: Matrix
    is_tag: Matrix
    tags: list[str]


def row_of(name: str, page: Tagged) -> Row | None:
    reading, terms = page.reading, terms_for(page.reading.language)
    title, description = (frozenset(terms.of(text)) for text in (reading.title, reading.description))
    found = features(PageTerms(passages(reading), reading.language, title, description))
    tags = [word for tag in page.tags for word in terms.of(tag)]
    if not found or not tags:
        return None
    given = set(tags)
    is_tag = np.array([term in given for term in found], dtype=float)
    return Row(name, list(found), np.array(list(found.values())), is_tag, tags)


def learn(rows: list[Row]) -> Matrix:
    pages = Counter(row.of for row in rows)
    x, y = np.vstack([row.features for row in rows]), np.concatenate([row.is_tag for row in rows])
    worth = np.concatenate([np.full(len(row.terms), 1 / pages[row.of] / len(row.terms)) for row in rows])
    worth *= len(worth) / worth.sum() / FOLDS
    weights = np.zeros(x.shape[1])
    for _ in range(25):
        chance = 1 / (1 + np.exp(-x @ weights))
        curve = (x * (worth * chance * (1 - chance))[:, None]).T @ x + PENALTY * np.eye(x.shape[1])
        weights += np.linalg.solve(curve, x.T @ (worth * (y - chance)) - PENALTY * weights)
    return weights


def by_folds(rows: list[Row]) -> dict[str, tuple[int, float]]:
    """Of each set the best number of words and its mean F."""
    found: dict[str, dict[int, list[float]]] = {row.of: {size: [] for size in SIZES} for row in rows}
    for fold in range(FOLDS):
        weights = learn([row for number, row in enumerate(rows) if number % FOLDS != fold])
        for row in rows[fold::FOLDS]:
            order = [row.terms[at] for at in np.argsort(-(row.features @ weights), kind="stable")]
            for size in SIZES:
                found[row.of][size].append(score_keywords(order[:size], row.tags, row.terms).f)
    means = {name: {size: float(np.mean(values)) for size, values in sizes.items()} for name, sizes in found.items()}
    return {name: max(sizes.items(), key=lambda one: one[1]) for name, sizes in means.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = os.environ.get("PHASA_DATA", Path(__file__).parents[3] / "shared" / "data")
    parser.add_argument("--data", type=Path, default=Path(default), help="folder of the real data")
    parser.add_argument("--news", type=int, default=300, help="how many news texts")
    options = parser.parse_args()
    data = options.data
    groups = {
        "WITH_BACKGROUND": {"th home pages": home_pages(data, "th"), "th news": news(data, options.news)},
        "WITHOUT_BACKGROUND": {"fa home pages": home_pages(data, "fa"), "articles": articles(data)},
    }
    for group, sets in groups.items():
        rows = [row for name, pages in sets.items() for page in pages if (row := row_of(name, page)) is not None]
        for name, (size, f) in by_folds(rows).items():
            print(f"{name:15} {sum(row.of == name for row in rows):4} pages, best with {size} words: F {100 * f:.1f} %")
        print(f"{group} = {Model(*(round(float(weight), 2) for weight in learn(rows)))}")


if __name__ == "__main__":
    main()
