"""The segment graph of a recorded crawl: segments with their relevance degree, and what links say (§4.8.1)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from phasa.crawl.segments.choices import Choices
from phasa.crawl.segments.dictionary import tokens_of
from phasa.crawl.segments.evaluation import Counted, SegmentLink
from phasa.crawl.segments.features import Citation, address_tokens
from phasa.crawl.segments.identifier import identify, key_by
from phasa.crawl.segments.matcher import Matcher
from phasa.crawl.segments.segment import is_relevant
from phasa.crawl.strategy import JudgedPage, OutLinks
from phasa.web.url import authority


@dataclass(frozen=True)
class SegmentGraph:
    """Who links to whom. Only segments of which a page was downloaded are in it."""

    segments: dict[str, Counted]
    citations: dict[str, dict[str, Citation]]
    """Source → destination → what is said of it."""
    countries: dict[str, str]
    """Host → country, where it is known."""
    pages: tuple[str, ...]
    addresses: dict[str, list[str]]
    """Segment → all addresses of it that are known: downloaded, or cited by somebody."""

    @property
    def links(self) -> dict[str, list[str]]:
        return {source: list(found) for source, found in self.citations.items()}

    def measured_links(self, matcher: Matcher, threshold: float = 0.5) -> list[SegmentLink]:
        """Every segment link with the conditions that Tables 5–7 ask for."""
        return [
            SegmentLink(
                is_relevant(self.segments[source].degree, threshold),
                matcher.finds([token for text in cited.texts for token in tokens_of(text)]),
                matcher.finds([token for url in cited.urls for token in address_tokens(url)]),
                is_relevant(self.segments[to].degree, threshold),
            )
            for source, found in self.citations.items()
            for to, cited in found.items()
        ]


def segment_graph(pages: Iterable[JudgedPage], choices: Choices | None = None) -> SegmentGraph:
    """The graph of pages that were downloaded and judged. No rule S or D is applied here (A37)."""
    chosen = choices if choices is not None else Choices()
    key_of = key_by(chosen.directories)
    known: dict[str, dict[str, None]] = {}
    counts: dict[str, list[int]] = {}
    outs: dict[str, list[OutLinks]] = {}
    countries: dict[str, str] = {}
    urls: list[str] = []
    for page in pages:
        key = key_of(page.url)
        if not key:
            continue
        urls.append(page.url)
        known.setdefault(key, {})[page.url] = None
        count = counts.setdefault(key, [0, 0])
        count[0] += 1
        count[1] += page.judgement.wanted
        outs.setdefault(key, []).append(page.links)
        if page.country:
            countries[authority(page.url)] = page.country
    segments = {key: Counted(*count) for key, count in counts.items()}
    citations = {
        key: {to: cited for to, cited in identify(key, links, key_of, chosen.surroundings).items() if to in segments}
        for key, links in outs.items()
    }
    for found in citations.values():
        for to, cited in found.items():
            known[to].update(dict.fromkeys(cited.urls))
    addresses = {key: list(some) for key, some in known.items()}
    return SegmentGraph(segments, citations, countries, tuple(urls), addresses)
