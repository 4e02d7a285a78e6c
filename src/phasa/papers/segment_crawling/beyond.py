"""What the thesis recommends and did not do: S and D by search, a dictionary per topic (§7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from phasa.crawl.segments.dictionary import Dictionary, tokens_of
from phasa.crawl.segments.features import address_tokens
from phasa.crawl.segments.graph import SegmentGraph
from phasa.crawl.segments.matcher import Matcher
from phasa.crawl.segments.segment import is_relevant
from phasa.crawl.segments.training import train_predictor
from phasa.crawl.strategies.segment import SegmentStrategy
from phasa.errors import InputError
from phasa.lab.result import Cell, Section, Table
from phasa.papers.segment_crawling.crawls import arena, crawl, strategy_for
from phasa.papers.segment_crawling.models import MODE, matcher_of, training_crawl

PATIENCES, DISTANCES = (1, 2, 3, 5), (1, 2, 3)
_TELLING = 0.55
"""A term is kept for a topic when so large a share of the links with it lead to relevant segments."""


def beyond_sections(seed: int, pages: int, training: int, budget: int, topics: Sequence[str]) -> list[Section]:
    """Both studies on the first web."""
    return [_surface(seed, pages, training, budget, topics), _dictionaries(seed, pages, training, budget, topics)]


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
        candidates = [("joint", joint)]
        try:
            candidates.append(("of the topic", Matcher(topic_dictionary(graph, joint), MODE)))
        except InputError:
            rows.append([topic, "of the topic", 0, None, None])
        candidates.append(("none", Matcher(Dictionary(["zzzz no such term"]), MODE)))
        for name, matcher in candidates:
            learned = train_predictor(graph, matcher, topic=topic, repeats=1)
            made = SegmentStrategy("segment", learned.predictor.predict)
            rows.append([topic, name, len(matcher.dictionary), learned.check.mean,
                         crawl(place, made, budget).mean_harvest])  # fmt: skip
    header = ["topic", "dictionary", "terms", "G-mean of the predictor", "mean harvest"]
    text = "The joint dictionary, the part of it that tells for the topic in the training crawl, and none."
    return Section("A dictionary per topic (ours)", text, [Table("Dictionaries", header, rows)])
