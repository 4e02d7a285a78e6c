"""Tables 5–7 of the thesis next to the same ratios of crawls on a generated web (§6.5)."""

from __future__ import annotations

from collections.abc import Iterable

from phasa.crawl.segments.evaluation import Ratio, SegmentLink, link_tables
from phasa.crawl.segments.graph import segment_graph
from phasa.crawl.segments.matcher import Matcher
from phasa.lab.topical.world import TopicalWorld
from phasa.papers.calibration import Calibrated
from phasa.papers.segment_crawling.crawls import Arena, TopicalCrawl, arena, crawl, strategy_for
from phasa.papers.segment_crawling.models import TRAINING_PAGES, judged_pages, matcher_of
from phasa.papers.segment_crawling.published import LINK_SHARES

TABLES = {"source": "Table 5", "anchor": "Table 6", "address": "Table 7"}
CONDITIONS = {"source": "source relevant", "anchor": "keyword in anchor", "address": "keyword in address"}
ANALYSED = ("segment", "best-segment", "bfs")
"""The crawls whose links the thesis counts."""
_LEAST_TRAINING = 8000


def crawled_links(place: Arena, crawls: Iterable[TopicalCrawl], matcher: Matcher) -> list[SegmentLink]:
    """The segment links of crawls whose destination was downloaded."""
    scores = place.graph.similarity.astype(float)
    found: list[SegmentLink] = []
    for one in crawls:
        pages = segment_graph(judged_pages(place.world, scores, one.pages.tolist()))
        found += pages.measured_links(matcher)
    return found


def ratios(place: Arena, crawls: Iterable[TopicalCrawl], matcher: Matcher) -> dict[str, Ratio]:
    """Tables 5–7 of one topic."""
    return link_tables(crawled_links(place, crawls, matcher))


def calibrate_topics(name: str) -> list[Calibrated]:
    """Every printed ratio next to that of crawls on the web 'SEED:PAGES', over a tenth of its pages."""
    made = TopicalWorld.from_name(name)
    training = min(TRAINING_PAGES, max(_LEAST_TRAINING, len(made)))
    rows = []
    for topic in LINK_SHARES["source"]:
        place = arena(made.seed, len(made), topic, training)
        crawls = [crawl(place, strategy_for(one, topic, training), len(made) // 10) for one in ANALYSED]
        for table, ratio in ratios(place, crawls, matcher_of()).items():
            for what, published, here in zip(
                (CONDITIONS[table], f"not {CONDITIONS[table]}"), LINK_SHARES[table][topic], ratio, strict=True
            ):
                rows.append(Calibrated(TABLES[table], f"{topic}, {what}", published, here))
    return rows
