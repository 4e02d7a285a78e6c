"""What the thesis recommends and did not do: S and D by search, a dictionary per topic (§7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from phasa.crawl.learn.balanced import g_mean
from phasa.crawl.learn.validation import confusion_of
from phasa.crawl.segments.dictionary import Dictionary, tokens_of
from phasa.crawl.segments.features import address_tokens
from phasa.crawl.segments.graph import SegmentGraph
from phasa.crawl.segments.matcher import Matcher
from phasa.crawl.segments.predictor import Predictor
from phasa.crawl.segments.segment import Phase, is_relevant
from phasa.crawl.segments.training import link_examples, train_predictor
from phasa.crawl.strategies.segment import SegmentStrategy
from phasa.errors import InputError
from phasa.lab.result import Cell, Section, Table
from phasa.papers.segment_crawling.crawls import arena, crawl, predictor_of, strategy_for
from phasa.papers.segment_crawling.models import MODE, backlink_crawl, matcher_of, training_crawl
from phasa.strategy_settings import SegmentSettings

PATIENCES, DISTANCES = (1, 2, 3, 5), (1, 2, 3)
WHOLE = 8000
"""Pages of the web that is crawled to its end."""
_TELLING = 0.55
"""A term is kept for a topic when so large a share of the links with it lead to relevant segments."""


def beyond_sections(seed: int, pages: int, training: int, budget: int, topics: Sequence[str]) -> list[Section]:
    """Both studies on the first web."""
    return [
        _surface(seed, pages, training, budget, topics),
        _distances(seed, pages, training, topics),
        _dictionaries(seed, pages, training, budget, topics),
    ]


def _surface(seed: int, pages: int, training: int, budget: int, topics: Sequence[str]) -> Section:
    tables = []
    for topic in topics:
        place = arena(seed, pages, topic, training)
        rows: list[list[Cell]] = []
        for patience in PATIENCES:
            made = [strategy_for("segment", topic, training, patience=patience, distance=far) for far in DISTANCES]
            rows.append([f"S = {patience}", *(crawl(place, one, budget).mean_harvest for one in made)])
        tables.append(Table(f"Mean harvest of TFLSWC, {topic}", ["", *(f"D = {far}" for far in DISTANCES)], rows))
    text = f"{budget:,} pages on the first web; the thesis has S = D = 2 without a search."
    return Section("S and D by search (ours)", text, tables)


def _distances(seed: int, pages: int, training: int, topics: Sequence[str]) -> Section:
    """Rule D where nothing else ends a crawl: Eq. 8 has a destination of irrelevant sources wait behind all others."""
    rows: list[list[Cell]] = []
    size = min(pages, WHOLE)
    for topic in topics:
        place = arena(seed, size, topic, training)
        for far in (*DISTANCES, 9):
            strategy = SegmentStrategy("segment", predictor_of(topic, training).predict, SegmentSettings(distance=far))
            one = crawl(place, strategy, size)
            ends = [segment for segment in strategy.segments.values() if segment.closed]
            discarded = sum(segment.phase is Phase.DISCARDED for segment in strategy.segments.values())
            known = [segment.mean_score for segment in ends if segment.run]
            rows.append([topic, far, len(one.pages), one.harvest, one.coverage, discarded,
                         float(np.median(known)) if known else None])  # fmt: skip
    header = ["topic", "D", "pages until nothing waits", "harvest", "coverage", "segments discarded",
              "score of an irrelevant source, median"]  # fmt: skip
    text = (
        f"A web of {size:,} pages crawled until nothing is left. Pages of an irrelevant source have a score near 0,"
        " so by Eq. 8 what it leads to waits behind everything that a relevant source recommends: within a budget that"
        " leaves some of that, rule D changes nothing, whatever D is. It says when to stop."
    )
    return Section("Rule D without a budget (ours)", text, [Table("Distances", header, rows)])


def topic_dictionary(graph: SegmentGraph, joint: Matcher) -> Dictionary:
    """The terms of a dictionary that tell links to relevant segments from others. Raises InputError when none does."""
    seen: Counter[str] = Counter()
    good: Counter[str] = Counter()
    for found in graph.citations.values():
        for to, cited in found.items():
            tokens = tokens_of("\n".join(cited.texts))
            written = [token for url in cited.urls for token in address_tokens(url)]
            terms = {*joint.match_tokens(tokens).related, *joint.match_tokens(written).related}
            seen.update(terms)
            if is_relevant(graph.segments[to].degree, 0.5):
                good.update(terms)
    return Dictionary([term for term in seen if good[term] >= _TELLING * seen[term]])


def _dictionaries(seed: int, pages: int, training: int, budget: int, topics: Sequence[str]) -> Section:
    rows: list[list[Cell]] = []
    joint = matcher_of(MODE)
    for topic in topics:
        place = arena(seed, pages, topic, training)
        graph = training_crawl(topic, training, 10, 1).graph
        found = backlink_crawl(place.world, topic, place.graph.similarity.astype(float), pages // 4).graph
        candidates = [("joint", joint)]
        try:
            candidates.append(("of the topic", Matcher(topic_dictionary(graph, joint), MODE)))
        except InputError:
            rows.append([topic, "of the topic", 0, None, None, None, None, None])
        candidates.append(("none", Matcher(Dictionary(["zzzz no such term"]), MODE)))
        for name, matcher in candidates:
            learned = train_predictor(graph, matcher, topic=topic, repeats=1)
            made = SegmentStrategy("segment", learned.predictor.predict)
            rows.append([topic, name, len(matcher.dictionary), learned.check.mean, learned.link_only.mean,
                         *_elsewhere(learned.predictor, found, matcher),
                         crawl(place, made, budget).mean_harvest])  # fmt: skip
    header = ["topic", "dictionary", "terms", "G-mean", "links alone", "on a new web", "links alone", "mean harvest"]
    text = (
        "The joint dictionary, the part of it that tells for the topic in the training crawl, and none. In the"
        " cross-validation a destination is cited by links of the training folds too, so that the word model knows the"
        " names in its address by heart; on the links of the first web, whose rare places it never met, it does not."
    )
    return Section("A dictionary per topic (ours)", text, [Table("Dictionaries", header, rows)])


def _elsewhere(predictor: Predictor, graph: SegmentGraph, matcher: Matcher) -> tuple[float, float]:
    """G-means of a predictor, and of its link model alone, on the links of a web that it was not learned from."""
    examples = link_examples(graph, matcher)
    chances = [predictor.chance(vector) for vector in examples.vectors]
    both, link = (np.array(side) >= 0.5 for side in zip(*((one.ensemble, one.by_link) for one in chances), strict=True))
    return g_mean(confusion_of(both, examples.wanted)), g_mean(confusion_of(link, examples.wanted))
