"""How a topic is learned from pages that are about it and pages that are not (segment-focused-crawling §4.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from phasa.crawl.learn.balanced import FOLDS, REPEATS, Flags, Rows, check, final_sample, require_classes
from phasa.crawl.learn.word_bayes import WordBayes
from phasa.crawl.topics.terms import Terms
from phasa.crawl.topics.topic import Report, Topic
from phasa.language.detectors import Detector
from phasa.language.verdict import Document
from phasa.web.html import Page
from phasa.web.url import authority

PAGES_PER_SITE = 300
FEWEST_PAGES = 20


class Examples(NamedTuple):
    """Pages as counts of terms, with their class; `foreign` and `surplus` say how many pages were left out."""

    texts: list[Counter[str]]
    wanted: Flags
    foreign: int = 0
    surplus: int = 0
    pages_per_site: int = PAGES_PER_SITE


def gather_examples(
    positive: Iterable[Page],
    negative: Iterable[Page],
    detector: Detector,
    language: str = "en",
    pages_per_site: int = PAGES_PER_SITE,
) -> Examples:
    """The pages of both kinds in the language, at most `pages_per_site` of one host."""
    terms = Terms(language)
    texts: list[Counter[str]] = []
    wanted: list[bool] = []
    foreign = surplus = 0
    sites: Counter[str] = Counter()
    for kind, pages in ((True, positive), (False, negative)):
        for page in pages:
            site = authority(page.url)
            if site and sites[site] >= pages_per_site:
                surplus += 1
            elif not _in_language(page, detector, language):
                foreign += 1
            else:
                sites[site] += 1
                texts.append(terms.of_page(page))
                wanted.append(kind)
    return Examples(texts, np.array(wanted, dtype=bool), foreign, surplus, pages_per_site)


def train_topic(
    name: str,
    examples: Examples,
    *,
    language: str = "en",
    must: Sequence[str] = (),
    folds: int = FOLDS,
    repeats: int = REPEATS,
    seed: int = 0,
) -> Topic:
    """Learn a topic: cross-validate, then fit on a balanced sample of everything (A15).

    Raises InputError when a class is missing or has fewer than 20 pages.
    """
    wanted, texts = examples.wanted, examples.texts
    foreign = f" ({examples.foreign} pages not in '{language}' left out, see --lang)" if examples.foreign else ""
    require_classes(wanted, max(FEWEST_PAGES, folds), f"topic '{name}'{foreign}")

    def fit(rows: Rows) -> WordBayes:
        return WordBayes.fit([texts[row] for row in rows], wanted[rows])

    def fit_and_judge(training: Rows, held: Rows) -> Flags:
        model = fit(training)
        return np.array([model.probability(texts[row]) >= 0.5 for row in held], dtype=bool)

    found = check(wanted, fit_and_judge, what=f"topic '{name}'", folds=folds, repeats=repeats, seed=seed)
    report = Report(
        int(wanted.sum()),
        int((~wanted).sum()),
        folds,
        repeats,
        found.mean,
        found.deviation,
        found.best_mean,
        found.scores.tolist(),
        examples.pages_per_site,
    )
    return Topic(name, fit(final_sample(wanted, found.best, seed)), language, tuple(must), report=report)


def _in_language(page: Page, detector: Detector, language: str) -> bool:
    verdict = detector.judge(Document(page.text, page.charset, page.lang or None))
    return verdict.is_in(language)
