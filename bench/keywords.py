"""Keyword weights against author-given keywords, by the measures of specs/content-overview.md §4.9 (E11).

Set A: home pages with meta keywords (Thai, Persian), pages as served. Set B: Thai news with hand-annotated names as
gold. For each weight the best list (100 % left out, where all agree), macro-averaged over pages.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from phasa.errors import InputError
from phasa.overview.keyword_score import KeywordScore, score_keywords
from phasa.overview.keywords import METHODS, PERCENTS, keyword_lists
from phasa.overview.overview import read_content
from phasa.overview.terms import Terms


class Sample(NamedTuple):
    """A text as elements of terms, and the words of its tags."""

    elements: list[list[str]]
    tags: list[str]


def home_pages(data: Path, language: str, extractor: str) -> Iterator[Sample]:
    rows = (data / "keywords-pages" / f"meta-keywords-{language}.jsonl").read_text(encoding="utf-8").splitlines()
    gold = {row["page"]: row["keywords"] for row in map(json.loads, rows)}
    terms = Terms(language)
    with tarfile.open(data / "pages-homepages2018" / "pages.tar.xz") as bundle:
        for member in bundle:
            name = member.name.removeprefix("./")
            file = bundle.extractfile(member) if name in gold else None
            if file is None:
                continue
            try:
                reading = read_content(file.read(), name, method=extractor, language=language)
            except InputError:
                continue
            yield Sample([terms.of(text) for text in reading.texts], [w for tag in gold[name] for w in terms.of(tag)])


def news(data: Path, most: int) -> Iterator[Sample]:
    terms = Terms("th")
    with gzip.open(data / "thainest-news" / "news.jsonl.gz", "rt", encoding="utf-8") as lines:
        for number, row in enumerate(map(json.loads, lines)):
            if number >= most:
                return
            texts = [row["title"], row["lead"], *row["body"].split("\n")]
            names = [name if isinstance(name, str) else name[0] for name in row["names"][:10]]
            yield Sample([terms.of(text) for text in texts], [word for name in names for word in terms.of(name)])


def best(samples: list[Sample], weigh: str) -> tuple[int, KeywordScore, float, float, float]:
    """(percent, pooled counts, mean P, mean R, mean F) of the best list."""
    scores: dict[int, list[KeywordScore]] = {percent: [] for percent in PERCENTS[:-1]}
    for sample in samples:
        lists = keyword_lists(METHODS[weigh](sample.elements))
        content = {term for element in sample.elements for term in element}
        for percent in scores:
            found = (word.term for word in lists[percent])
            scores[percent].append(score_keywords(found, sample.tags, content))
    means = {percent: mean(score.f for score in rows) for percent, rows in scores.items()}
    percent = max(means, key=lambda key: means[key])
    rows = scores[percent]
    pooled = KeywordScore(*(sum(values) for values in zip(*rows, strict=True)))
    return percent, pooled, mean(s.precision for s in rows), mean(s.recall for s in rows), means[percent]


def mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    default = os.environ.get("PHASA_DATA", Path(__file__).parents[2] / "shared" / "data")
    parser.add_argument("--data", type=Path, default=Path(default), help="folder of the real data")
    parser.add_argument("--news", type=int, default=400, help="how many news texts")
    options = parser.parse_args()
    if not options.data.is_dir():
        print(f"skipped: no real data at {options.data}")
        return
    sets = {
        f"{language} home pages, {extractor}": list(home_pages(options.data, language, extractor))
        for language in ("th", "fa")
        for extractor in ("phasa", "thesis")
    }
    sets["th news, names as gold"] = list(news(options.data, options.news))
    print(f"{'set':32} {'weight':7} {'%':>3} {'TK':>7} {'CK':>6} {'P %':>6} {'R %':>6} {'F %':>6}")
    for name, samples in sets.items():
        usable = [sample for sample in samples if sample.tags and any(sample.elements)]
        order = []
        for weigh in ("amtf", "tltf", "tfidf"):
            percent, pooled, precision, recall, f = best(usable, weigh)
            order.append((f, weigh))
            tk, ck = pooled.tk / len(usable), pooled.ck / len(usable)
            print(
                f"{name:32} {weigh:7} {percent:3} {tk:7.2f} {ck:6.2f} "
                f"{100 * precision:6.2f} {100 * recall:6.2f} {100 * f:6.2f}"
            )
        ranking = " > ".join(weigh for _, weigh in sorted(order, reverse=True))
        holds = "holds" if ranking == "amtf > tltf > tfidf" else "does not hold"
        print(f"{'':32} {len(usable)} pages; published order amtf > tltf > tfidf {holds}: {ranking}")


if __name__ == "__main__":
    main()
