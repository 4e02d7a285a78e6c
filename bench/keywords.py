"""Keywords against the tags that authors gave their pages, by the measures of specs/content-overview.md §4.9 (E11).

    python bench/keywords.py [--data DIR] [--news 400]

The published weights (AMTF in its readings, TLTF, TFIDF), plain frequency, phasa's default, and YAKE where it is
installed, on home pages with meta keywords, article pages with their publishers' tags, and news with the names in them.
For each the best of three families of lists, the same for all: by share of the unique weights (as published; 100 %
left out, where all agree), by number of words, and by share of the heaviest weight. F is averaged over pages; a phrase
counts as its words. `phasa` is judged by folds: the model that weighs a page was learned without it. `phasa shipped` is
what users get, phrases joined; its model was learned on all these pages, so it is printed and not compared.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.keyword_pages import Tagged, all_sets
from bench.training.keywords_model import Row, held_out, row_of

from phasa.overview.keyword_score import KeywordScore, score_keywords
from phasa.overview.keywords import METHODS, PERCENTS, Weights, keyword_lists
from phasa.overview.overview import overview_of
from phasa.overview.terms import terms_for
from phasa.overview.typical import Model, typical

PUBLISHED = ("amtf", "amtf-containing", "amtf-total", "tltf", "tfidf", "tf")
SIZES = (5, 8, 10, 12, 15, 20, 30, 40, 60)
SHARES = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8)
WANTED = 1.2


class Sample(NamedTuple):
    """A page, the words of its tags, the words of all its elements, and a model that has not seen it."""

    page: Tagged
    row: Row
    elements: list[list[str]]
    tags: list[str]
    content: set[str]
    model: Model


class Best(NamedTuple):
    """The best list of a family: its name, mean number of words, mean F."""

    name: str
    words: float
    f: float


def samples_of(sets: dict[str, Iterable[Tagged]]) -> dict[str, list[Sample]]:
    """The pages with tags and text by set; the models are learned over all sets together, five folds."""
    pages = [(page, row) for name, all_pages in sets.items() for page in all_pages if (row := row_of(name, page))]
    models = held_out([row for _, row in pages])
    out: dict[str, list[Sample]] = {name: [] for name in sets}
    for (page, row), model in zip(pages, models, strict=True):
        elements = [passage.terms for passage in row.page.passages]
        tags = [word for tag in page.tags for word in terms_for(page.reading.language).of(tag)]
        content = {term for element in elements for term in element}
        out[row.of].append(Sample(page, row, elements, tags, content, model))
    return out


def as_words(sample: Sample, weights: Iterable[tuple[str, float]]) -> Weights:
    """Weights of keywords as those of their single words, heaviest first."""
    terms, out = terms_for(sample.page.reading.language), Weights()
    for keyword, weight in sorted(weights, key=lambda one: -one[1]):
        for word in terms.of(keyword) if keyword not in sample.content else (keyword,):
            out.setdefault(word, weight)
    return out


def by_folds(sample: Sample) -> Weights:
    return as_words(sample, typical(sample.row.page, sample.model).items())


def as_shipped(sample: Sample) -> Weights:
    return as_words(sample, overview_of([sample.page.reading]).lists[100])


def by_method(name: str) -> Callable[[Sample], Weights]:
    return lambda sample: dict(sorted(METHODS[name](sample.elements).items(), key=lambda one: -one[1]))


def by_yake(sample: Sample) -> Weights:
    import yake

    reading = sample.page.reading
    extractor = yake.KeywordExtractor(lan=reading.language[:2], n=2, top=100)
    # YAKE parts words by blanks: Thai is cut for it.
    terms = terms_for(reading.language)
    text = "\n".join(" ".join(terms.of(text)) if reading.language == "th" else text for text in reading.texts)
    return as_words(sample, [(phrase, 1 / (score + 1e-9)) for phrase, score in extractor.extract_keywords(text)])


def best_lists(samples: Sequence[Sample], weigh: Callable[[Sample], Weights]) -> tuple[Best, Best, Best]:
    """The best list by share of the unique weights, by number of words, by share of the heaviest weight."""
    families: tuple[dict[str, list[KeywordScore]], ...] = ({}, {}, {})

    def add(family: int, name: str, sample: Sample, found: Iterable[str]) -> None:
        families[family].setdefault(name, []).append(score_keywords(found, sample.tags, sample.content))

    for sample in samples:
        weights = weigh(sample)
        words, heaviest, lists = list(weights), max(weights.values(), default=0.0), keyword_lists(weights)
        for percent in PERCENTS[:-1]:
            add(0, f"{percent} %", sample, (word.term for word in lists[percent]))
        for size in SIZES:
            add(1, f"{size}", sample, words[:size])
        for share in SHARES:
            add(2, f"{share:.2f}", sample, (word for word in words if weights[word] >= share * heaviest))
    return _best(families[0]), _best(families[1]), _best(families[2])


def _best(scores: dict[str, list[KeywordScore]]) -> Best:
    means = {name: mean(score.f for score in rows) for name, rows in scores.items()}
    name = max(means, key=lambda key: means[key])
    return Best(name, mean(float(score.tk) for score in scores[name]), means[name])


def mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers)


def report(name: str, samples: Sequence[Sample], weighers: dict[str, Callable[[Sample], Weights]]) -> None:
    """Print a set's table, the published order, and phasa's best list over the best of the others."""
    found = {weigh: best_lists(samples, weigher) for weigh, weigher in weighers.items()}
    for weigh, lists in found.items():
        print(f"{name:15} {weigh:16}" + "".join(f" {b.name:>6} {b.words:6.1f} {100 * b.f:6.2f} " for b in lists))
    top = {weigh: max(lists, key=lambda one: one.f).f for weigh, lists in found.items()}
    ranking = sorted(("amtf", "tltf", "tfidf"), key=lambda weigh: -top[weigh])
    holds = "holds" if ranking == ["amtf", "tltf", "tfidf"] else f"does not hold: {' > '.join(ranking)}"
    other = max((weigh for weigh in top if not weigh.startswith("phasa")), key=lambda weigh: top[weigh])
    times = top["phasa"] / top[other]
    said = "as wanted" if times >= WANTED else f"wanted {WANTED}"
    plain = "" if top["tf"] < max(top[weigh] for weigh in ranking) else "; plain frequency is no worse than any of them"
    print(f"{'':15} {len(samples)} pages; amtf > tltf > tfidf {holds}{plain}; phasa / {other}: {times:.2f} ({said})\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = os.environ.get("PHASA_DATA", Path(__file__).parents[2] / "shared" / "data")
    parser.add_argument("--data", type=Path, default=Path(default), help="folder of the real data")
    parser.add_argument("--news", type=int, default=400, help="how many news texts")
    options = parser.parse_args()
    if not options.data.is_dir():
        print(f"skipped: no real data at {options.data}")
        return
    weighers = {name: by_method(name) for name in PUBLISHED}
    if importlib.util.find_spec("yake") is None:
        print("yake is not installed: pip install -e '.[bench]'")
    else:
        weighers["yake"] = by_yake
    weighers |= {"phasa": by_folds, "phasa shipped": as_shipped}
    print(f"{'':32} {'by share of weights':22}{'by number of words':22}{'by share of heaviest':22}")
    print(f"{'set':15} {'weight':16}" + f" {'list':>6} {'words':>6} {'F %':>6} " * 3)
    for name, samples in samples_of(dict(all_sets(options.data, options.news))).items():
        report(name, samples, weighers)


if __name__ == "__main__":
    main()
