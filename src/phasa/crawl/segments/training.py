"""How a predictor is learned from a recorded crawl (segment-focused-crawling §4.8.3)."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from phasa.crawl.learn.balanced import FOLDS, REPEATS, Check, Flags, Rows, check, final_sample
from phasa.crawl.learn.word_bayes import WordBayes
from phasa.crawl.segments.choices import Choices
from phasa.crawl.segments.features import Edges, Extractor, LinkVector, address_tokens, equal_frequency
from phasa.crawl.segments.graph import SegmentGraph
from phasa.crawl.segments.identifier import website
from phasa.crawl.segments.matcher import Matcher
from phasa.crawl.segments.nominal_bayes import NominalBayes
from phasa.crawl.segments.predictor import Predictor, url_number
from phasa.crawl.segments.segment import is_relevant
from phasa.errors import InputError


class LinkExamples(NamedTuple):
    """Vectors of segment links with the class of their destination; `inside` counts those of one website, left out."""

    vectors: list[LinkVector]
    wanted: Flags
    ends: list[tuple[str, str]]
    inside: int = 0


class Learned(NamedTuple):
    """A predictor with what its cross-validation gave: the ensemble, and each model alone."""

    predictor: Predictor
    check: Check
    link_only: Check
    words_only: Check
    examples: LinkExamples


def link_examples(
    graph: SegmentGraph, matcher: Matcher, threshold: float = 0.5, *, choices: Choices | None = None, edges: Edges = ()
) -> LinkExamples:
    """One vector per segment link; links within one website are left out: they repeat themselves (A19)."""
    chosen = choices if choices is not None else Choices()
    by_domain = chosen.website == "domain"
    extractor = Extractor(matcher, lambda host: graph.countries.get(host, ""), edges)
    vectors, wanted, ends, inside = [], [], [], 0
    for source, found in graph.citations.items():
        for to, cited in found.items():
            if website(source, by_domain) == website(to, by_domain):
                inside += 1
                continue
            said = cited._replace(urls=graph.addresses[to]) if chosen.addresses == "known" else cited
            vectors.append(extractor.vector(source, graph.segments[source].degree, to, said))
            wanted.append(is_relevant(graph.segments[to].degree, threshold))
            ends.append((source, to))
    return LinkExamples(vectors, np.array(wanted, dtype=bool), ends, inside)


def real_edges(graph: SegmentGraph, matcher: Matcher) -> Edges:
    """Ends of bins of equal frequency for the three real features of the links of a graph."""
    columns: tuple[list[float], list[float], list[float]] = ([0.0], [0.0], [0.0])
    for source, found in graph.citations.items():
        for cited in found.values():
            columns[0].append(graph.segments[source].degree)
            columns[1].append(matcher.ratio("\n".join(cited.texts)))
            columns[2].append(matcher.ratio_of([token for url in cited.urls for token in address_tokens(url)]))
    return [equal_frequency(column) for column in columns]


def train_predictor(
    graph: SegmentGraph,
    matcher: Matcher,
    *,
    topic: str = "",
    language: str = "en",
    threshold: float = 0.5,
    folds: int = FOLDS,
    repeats: int = REPEATS,
    seed: int = 0,
    choices: Choices | None = None,
    hops: int = 0,
) -> Learned:
    """Learn both models of a topic, checked by cross-validation with under-sampled training folds.

    `choices` are the readings of §8, by which graph and matcher were made too; `hops` says how far its pages are from
    the first at most. Raises InputError when there is no link between websites or one of the classes is too small.
    """
    chosen = choices if choices is not None else Choices()
    edges = real_edges(graph, matcher) if chosen.bins == "frequency" else ()
    examples = link_examples(graph, matcher, threshold, choices=chosen, edges=edges)
    vectors, wanted = examples.vectors, examples.wanted
    what = f"predictor '{topic}'" if topic else "predictor"
    if not vectors:
        raise InputError(f"{what}: no link between segments of different websites; crawl more sites first")
    if wanted.all():
        raise InputError(f"{what}: no negative examples, every link led to the topic; crawl further, or breadth-first")
    if not wanted.any():
        raise InputError(f"{what}: no positive examples, no link led to the topic; crawl further, from pages about it")
    counts = [Counter(vector.words) for vector in vectors]

    def fit(rows: Rows) -> tuple[NominalBayes, WordBayes]:
        kinds = wanted[rows]
        link = NominalBayes.fit([vectors[row].attributes for row in rows], kinds)
        return link, WordBayes.fit([counts[row] for row in rows], kinds)

    def judge_with(members: str) -> Check:
        def fit_and_judge(training: Rows, held: Rows) -> Flags:
            link, words = fit(training)
            both = [(link.probability(vectors[row].attributes), words.probability(counts[row])) for row in held]
            chosen = {"link": [one for one, _ in both], "words": [two for _, two in both]}
            mean = [(one + two) / 2 for one, two in both]
            return np.array(chosen.get(members, mean)) >= 0.5

        return check(wanted, fit_and_judge, what=what, folds=folds, repeats=repeats, seed=seed)

    ensemble, link_only, words_only = (judge_with(members) for members in ("both", "link", "words"))
    link, words = fit(final_sample(wanted, ensemble.best, seed))
    trained = frozenset(url_number(url) for url in graph.pages)
    predictor = Predictor(matcher, link, words, topic, language, trained, edges, chosen, hops)
    return Learned(predictor, ensemble, link_only, words_only, examples)
