"""Keywords against the tags that authors gave their pages, by the measures of specs/content-overview.md §4.9 (E11).

    python bench/keywords.py [--data DIR] [--news 400] [--yake]

The published weights (AMTF in its readings, TLTF, TFIDF), plain frequency, phasa's default, and YAKE where it is
installed, on home pages with meta keywords, article pages with their publishers' tags, and news with the names in them.
For each the best of the published lists by share of the unique weights (100 % left out, where all agree) and the best
of the lists by number of words; F is averaged over pages. A phrase counts as its words. phasa's default was trained on
these pages (`bench/training/keywords.py` prints it by folds); the half that is held out is for others to judge by.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from keyword_pages import Tagged, articles, home_pages, news
from phasa.overview.keyword_score import KeywordScore, score_keywords
from phasa.overview.keywords import METHODS, PERCENTS, KeywordLists, keyword_lists
from phasa.overview.overview import overview_of
from phasa.overview.terms import Terms, terms_for

PUBLISHED = ("amtf", "amtf-containing", "tltf", "tfidf", "tf")
SIZES = (5, 8, 10, 12, 15, 20, 30, 40, 60)


class Sample(NamedTuple):
    """A page as elements of terms, the words of its tags, and the words of all its elements."""

    page: Tagged
    elements: list[list[str]]
    tags: list[str]
    content: set[str]


class Best(NamedTuple):
    """The best list: its name, mean number of words, mean F."""

    name: str
    words: float
    f: float


def sample_of(page: Tagged) -> Sample:
    terms = terms_for(page.reading.language)
    elements = [terms.of(text) for text in page.reading.texts]
    tags = [word for tag in page.tags for word in terms.of(tag)]
    return Sample(page, elements, tags, {term for element in elements for term in element})


def words_of(keywords: Iterable[str], terms: Terms) -> list[str]:
    """Keywords as single words, each once, in their order."""
    return list(dict.fromkeys(word for keyword in keywords for word in terms.of(keyword)))


def lists_of(sample: Sample, weigh: str) -> KeywordLists:
    if weigh == "phasa":
        return overview_of([sample.page.reading]).lists
    return keyword_lists(METHODS[weigh](sample.elements))


def best_share(samples: Sequence[Sample], weigh: str) -> Best:
    scores: dict[str, list[KeywordScore]] = {f"{percent} %": [] for percent in PERCENTS[:-1]}
    for sample in samples:
        lists, terms = lists_of(sample, weigh), terms_for(sample.page.reading.language)
        for percent in PERCENTS[:-1]:
            found = words_of((word.term for word in lists[percent]), terms)
            scores[f"{percent} %"].append(score_keywords(found, sample.tags, sample.content))
    return _best(scores)


def best_size(samples: Sequence[Sample], ranked: Callable[[Sample], list[str]]) -> Best:
    scores: dict[str, list[KeywordScore]] = {f"{size}": [] for size in SIZES}
    for sample in samples:
        words = words_of(ranked(sample), terms_for(sample.page.reading.language))
        for size in SIZES:
            scores[f"{size}"].append(score_keywords(words[:size], sample.tags, sample.content))
    return _best(scores)


def by_weight(weigh: str) -> Callable[[Sample], list[str]]:
    return lambda sample: [word.term for word in sorted(lists_of(sample, weigh)[100], key=lambda word: -word.weight)]


def by_yake(sample: Sample) -> list[str]:
    import yake

    reading = sample.page.reading
    extractor = yake.KeywordExtractor(lan=reading.language[:2], n=2, top=100)
    # YAKE parts words by blanks: Thai is cut for it.
    terms = terms_for(reading.language)
    text = "\n".join(" ".join(terms.of(text)) if reading.language == "th" else text for text in reading.texts)
    return [phrase for phrase, _ in extractor.extract_keywords(text)]


def _best(scores: dict[str, list[KeywordScore]]) -> Best:
    means = {name: mean(score.f for score in rows) for name, rows in scores.items()}
    name = max(means, key=lambda key: means[key])
    return Best(name, mean(float(score.tk) for score in scores[name]), means[name])


def mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = os.environ.get("PHASA_DATA", Path(__file__).parents[2] / "shared" / "data")
    parser.add_argument("--data", type=Path, default=Path(default), help="folder of the real data")
    parser.add_argument("--news", type=int, default=400, help="how many news texts")
    options = parser.parse_args()
    if not options.data.is_dir():
        print(f"skipped: no real data at {options.data}")
        return
    sets = {
        "th home pages": home_pages(options.data, "th"),
        "fa home pages": home_pages(options.data, "fa"),
        "articles": articles(options.data),
        "th news, names": news(options.data, options.news),
    }
    has_yake = importlib.util.find_spec("yake") is not None
    if not has_yake:
        print("yake is not installed: pip install -e '.[bench]'")
    print(f"{'set':15} {'weight':16} {'list':>6} {'words':>6} {'F %':>6}   {'list':>4} {'words':>6} {'F %':>6}")
    for name, pages in sets.items():
        samples = [sample for sample in map(sample_of, pages) if sample.tags and sample.content]
        shares = {weigh: best_share(samples, weigh) for weigh in (*PUBLISHED, "phasa")}
        sizes = {weigh: best_size(samples, by_weight(weigh)) for weigh in shares}
        if has_yake:
            sizes["yake"] = best_size(samples, by_yake)
        for weigh, size in sizes.items():
            found = shares.get(weigh)
            share = f"{found.name:>6} {found.words:6.1f} {100 * found.f:6.2f}" if found else ""
            print(f"{name:15} {weigh:16} {share:20}   {size.name:>4} {size.words:6.1f} {100 * size.f:6.2f}")
        ranking = sorted(("amtf", "tltf", "tfidf"), key=lambda weigh: -shares[weigh].f)
        holds = "holds" if ranking == ["amtf", "tltf", "tfidf"] else "does not hold"
        others = max(*(shares[weigh].f for weigh in PUBLISHED), *(sizes[w].f for w in sizes if w != "phasa"))
        published = max(shares[weigh].f for weigh in PUBLISHED)
        ours = max(shares["phasa"].f, sizes["phasa"].f)
        print(
            f"{'':15} {len(samples)} pages; amtf > tltf > tfidf {holds}; phasa's best over the best published list: "
            f"{ours / published:.2f}, over the best of all lists: {ours / others:.2f}"
        )


if __name__ == "__main__":
    main()
