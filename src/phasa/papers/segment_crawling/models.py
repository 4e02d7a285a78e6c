"""What is learned before a crawl by topic, as the thesis did: topic models from site lists, predictors from back-links.

Everything is learned from a web of its own (seed 0), so no page of a measured web was seen in training.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from phasa.crawl.judge import Judgement
from phasa.crawl.segments.dictionary import load_dictionary
from phasa.crawl.segments.graph import SegmentGraph, segment_graph
from phasa.crawl.segments.identifier import key_of
from phasa.crawl.segments.matcher import Matcher
from phasa.crawl.segments.training import Learned, train_predictor
from phasa.crawl.strategy import JudgedPage
from phasa.crawl.topics.terms import Terms
from phasa.crawl.topics.topic import DIVING, Topic
from phasa.crawl.topics.training import PAGES_PER_SITE, Examples, train_topic
from phasa.lab.chance import generator
from phasa.lab.replay import ReplayWeb
from phasa.lab.topical.listed import listed_pages
from phasa.lab.topical.text import Floats
from phasa.lab.topical.world import TopicalWorld

TRAINING_SEED = 0
TRAINING_PAGES = 30_000
TARGETS = 150
"""Hand-selected pages whose back-links begin the training crawl."""
BACKLINKS = 40
"""Of the pages that link to them, so many begin it: those that link to most of them, then those that are cited most.
Table 3 has 99.5 % harvest at τ = 1 with all pages of hop 0 counted (A18): few of those were irrelevant."""
HOPS = 2
MODE = "exact"
"""How words match in the lab: by sound, with 12,290 terms, almost every English word is a place (§4.4.3)."""


@dataclass(frozen=True)
class Backlinks:
    """The training crawl of a topic: its segment graph, where it began, and how far each page is from there."""

    graph: SegmentGraph
    starts: tuple[str, ...]
    hops: dict[str, int]


@lru_cache(maxsize=4)
def training_world(pages: int) -> TopicalWorld:
    """The web that models are learned from."""
    return TopicalWorld(TRAINING_SEED, pages)


@lru_cache(maxsize=16)
def topic_model(topic: str, pages: int, folds: int = 10, repeats: int = 10) -> Topic:
    """The judge of a topic; diving is the one of tourism with a word that must occur (§4.2)."""
    if topic == "diving":
        return topic_model("tourism", pages, folds, repeats).with_words("diving", DIVING)
    return train_topic(topic, site_examples(training_world(pages), topic), folds=folds, repeats=repeats)


def site_examples(world: TopicalWorld, topic: str) -> Examples:
    """English pages of the sites that a directory lists under the topic, and of others; labelled by site (§4.3)."""
    terms = Terms("en")
    texts: list[Counter[str]] = []
    wanted: list[bool] = []
    foreign = 0
    for _, pages, listed in listed_pages(world, topic):
        for page in pages:
            if world.english[page]:
                texts.append(terms.of_text(world.whole_text(page)))
                wanted.append(listed)
            else:
                foreign += 1
    return Examples(texts, np.array(wanted, dtype=bool), foreign)


def backlink_crawl(world: TopicalWorld, topic: str, scores: Floats, most: int) -> Backlinks:
    """The pages that link to selected pages on the topic (hop 0) and what is at most two links from them (§4.8.1)."""
    links, plan = world.links, world.plan
    sites = plan.site[plan.segment]
    dice = generator(world.seed, "topical", "targets", topic)
    cited = np.bincount(links.targets, minlength=len(world))
    on_topic = cited * world.gold(topic)
    targets = dice.permutation(np.argsort(-on_topic, kind="stable")[: 2 * TARGETS])[:TARGETS]
    sources = links.sources()
    theirs = sources[np.isin(links.targets, targets) & (sites[sources] != sites[links.targets])]
    citing, votes = np.unique(theirs, return_counts=True)
    starts = citing[np.lexsort((-cited[citing], -votes))][:BACKLINKS].tolist()
    hops: dict[int, int] = dict.fromkeys(starts, 0)
    waiting, taken = deque(starts), Counter(sites[starts].tolist())
    while waiting and len(hops) < most:
        page = waiting.popleft()
        if hops[page] == HOPS:
            continue
        for to in links.targets[links.offsets[page] : links.offsets[page + 1]].tolist():
            site = int(sites[to])
            if to not in hops and taken[site] < PAGES_PER_SITE:  # A31: 300, as everywhere else
                hops[to] = hops[page] + 1
                taken[site] += 1
                waiting.append(to)
    graph = segment_graph(judged_pages(world, scores, list(hops)))
    urls = world.addresses
    return Backlinks(
        graph,
        tuple(dict.fromkeys(key_of(urls.url(page)) for page in starts)),
        {urls.url(page): hop for page, hop in hops.items()},
    )


def judged_pages(world: TopicalWorld, scores: Floats, pages: list[int]) -> Iterator[JudgedPage]:
    """Pages as a crawl would have recorded them."""
    graph = world.graph(scores)
    web = ReplayWeb(graph)
    assert graph.country is not None
    for page in pages:
        score = float(scores[page])
        yield JudgedPage(
            world.addresses.url(page),
            Judgement(score >= 0.5, score, "en", "topic"),
            web.out_links(page),
            country=graph.countries[int(graph.country[page])],
        )


@lru_cache(maxsize=16)
def predictor_for(topic: str, pages: int, mode: str = MODE, folds: int = 10, repeats: int = 10) -> Learned:
    """The predictor of a topic with its cross-validation (§4.8.3)."""
    crawl = training_crawl(topic, pages, folds, repeats)
    return train_predictor(crawl.graph, matcher_of(mode), topic=topic, folds=folds, repeats=repeats)


@lru_cache(maxsize=16)
def training_crawl(topic: str, pages: int, folds: int = 10, repeats: int = 10) -> Backlinks:
    """The training crawl of a topic, judged by its model."""
    world = training_world(pages)
    return backlink_crawl(world, topic, world.scores(topic_model(topic, pages, folds, repeats)), pages // 4)


@lru_cache(maxsize=4)
def matcher_of(mode: str = MODE) -> Matcher:
    return Matcher(load_dictionary(), mode)
