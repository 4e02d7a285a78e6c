"""What a page says about its links: everything that is known of a URL before it is fetched, added up link by link."""

from __future__ import annotations

from collections.abc import Sequence
from math import log1p
from typing import NamedTuple

import numpy as np

from phasa.crawl.learn.features import seed_features
from phasa.crawl.learn.knowledge import KnowledgeBase
from phasa.crawl.strategies.hybrid.candidates import SOURCES, WIDTH, Candidates, Feature
from phasa.crawl.strategies.hybrid.history import History, HostOdds
from phasa.crawl.strategies.online.memory import log_odds
from phasa.crawl.strategy import Floats, JudgedPage, OutLinks, Seed
from phasa.crawl.target import Target
from phasa.web.url import authority

# Similarity is taken on a scale that tells small values apart: 0 → 0, 0.001 → 0.1, 0.01 → 0.35, 0.1 → 0.67, 1 → 1.
_GRADES = log1p(1000.0)


# Plain numbers: members of an enumeration are slow in a loop that runs for every link.
_PARENTS, _WANTED_SHARE, _WANTED_PARENTS = int(Feature.PARENTS), int(Feature.WANTED_SHARE), int(Feature.WANTED_PARENTS)
_INSIDE, _INSIDE_WANTED, _WANTED_PARENT = int(Feature.INSIDE), int(Feature.INSIDE_WANTED), int(Feature.WANTED_PARENT)
_PARENT_SIMILARITY, _DISTANCE, _PATH = int(Feature.PARENT_SIMILARITY), int(Feature.DISTANCE), int(Feature.PATH)
_ANCHOR_YES, _ANCHOR_NO, _HINT = int(Feature.ANCHOR_YES), int(Feature.ANCHOR_NO), int(Feature.HINT)
_DOMAIN, _SITE, _SERVER, _JUDGED = (
    int(f) for f in (Feature.DOMAIN, Feature.SITE, Feature.SERVER, Feature.SERVER_JUDGED)
)
_DIRECTORY, _SIBLINGS, _COUNTRY = int(Feature.DIRECTORY), int(Feature.SIBLINGS), int(Feature.COUNTRY)

_KNOWLEDGE = int(Feature.KNOWLEDGE)


class Origin(NamedTuple):
    """What the links of a page inherit."""

    distance: float
    """Links since the last page in the language."""
    path: float
    """Length of the path within the language, as a4 = ln(1 + D)."""


def grade(similarity: float) -> float:
    """Γ on a logarithmic scale of 0 to 1."""
    return log1p(similarity * 1000.0) / _GRADES


class Evidence:
    """Writes into the rows of the table of candidates."""

    def __init__(
        self, target: Target, table: Candidates, history: History, knowledge: KnowledgeBase | None = None
    ) -> None:
        """`knowledge` of an earlier crawl, if there is any, has its say in the cell KNOWLEDGE."""
        self._target = target
        self._table = table
        self._history = history
        self._bayes = None if knowledge is None else knowledge.model()

    def of_seeds(self, seeds: Sequence[Seed]) -> list[int]:
        """The rows of the seeds, with what their list says of them."""
        table = self._table
        table.reserve([seed.url for seed in seeds])
        rows = []
        for seed in seeds:
            row = table.add(seed.url)
            start = row * WIDTH
            table.cells[start + Feature.SEED] = 1.0
            table.cells[start + Feature.DISTANCE] = 2.0
            table.cells[start + Feature.PARENT_SIMILARITY] = grade(seed.parent)
            table.cells[start + Feature.ANCHOR_YES] = float(seed.anchor >= self._target.threshold)
            table.cells[start + Feature.PATH] = seed.distance
            rows.append(row)
        if self._bayes is not None:
            self._ask(rows, seed_features(seeds, self._target)[0])
        self._add_history(rows)
        return rows

    def of_links(self, page: JudgedPage, links: list[int], origin: Origin) -> tuple[list[int], list[int]]:
        """The rows of some links of a page, and those of them of which the page says something new."""
        table, urls = self._table, page.links.urls
        table.reserve([urls[link] for link in links])
        add = table.add
        rows = [add(urls[link]) for link in links]
        news = self._add_page(page, rows, origin)
        anchors = self._add_texts(page.links, links, rows, news)
        if self._bayes is not None:
            cells, national = table.cells, table.national
            traits = [
                (page.judgement.score, anchor, national[row], cells[row * WIDTH + _PATH])
                for row, anchor in zip(rows, anchors, strict=True)
            ]
            self._ask(rows, np.array(traits, dtype=np.float64))
        changed = list(news)
        self._add_history(changed)
        return rows, changed

    def _add_page(self, page: JudgedPage, rows: list[int], origin: Origin) -> dict[int, None]:
        """Add what being linked from this page says; the rows that it is news to, in order."""
        table = self._table
        cells, hosts, last_source = table.cells, table.host, table.last_source
        parents, wanted_parents, sources, count = table.parents, table.wanted_parents, table.sources, table.source_count
        here = table.names.host(authority(page.url)).host
        wanted, similarity = page.judgement.wanted, grade(page.judgement.score)
        distance, path = origin
        number = self._history.next_page()
        news: dict[int, None] = {}
        for row in rows:
            sources[row * SOURCES + count[row] % SOURCES] = number
            count[row] += 1
            start = row * WIDTH
            # Links that stand on every page of a server are one voice, not many.
            if last_source[row] != here:
                last_source[row] = here
                parents[row] = voices = parents[row] + 1
                wanted_parents[row] = wanted_voices = wanted_parents[row] + wanted
                cells[start + _PARENTS] = log1p(voices)
                cells[start + _WANTED_SHARE] = wanted_voices / voices
                if wanted:
                    cells[start + _WANTED_PARENTS] = log1p(wanted_voices)
                news[row] = None
            if wanted:
                if not cells[start + _WANTED_PARENT]:
                    cells[start + _WANTED_PARENT] = 1.0
                    news[row] = None
                if path > cells[start + _PATH]:
                    cells[start + _PATH] = path
                    news[row] = None
            if similarity > cells[start + _PARENT_SIMILARITY]:
                cells[start + _PARENT_SIMILARITY] = similarity
                news[row] = None
            if distance < cells[start + _DISTANCE]:
                cells[start + _DISTANCE] = distance
                news[row] = None
            if hosts[row] == here:
                cells[start + _INSIDE] = 1.0
                if wanted and not cells[start + _INSIDE_WANTED]:
                    cells[start + _INSIDE_WANTED] = 1.0
                    news[row] = None
        return news

    def _add_texts(self, given: OutLinks, links: list[int], rows: list[int], news: dict[int, None]) -> list[float]:
        """Add what anchors and hreflang say; Γ of each anchor, or of what stands around an empty one."""
        cells, threshold = self._table.cells, self._target.threshold
        similarity = [0.0] * len(rows)
        if len(given.anchors) or given.similarity is not None:
            for place, (row, (gamma, filled)) in enumerate(zip(rows, self._anchors(given, links), strict=True)):
                similarity[place] = gamma
                start = row * WIDTH
                if gamma >= threshold and not cells[start + _ANCHOR_YES]:
                    cells[start + _ANCHOR_YES] = 1.0
                    news[row] = None
                no = filled and not cells[start + _ANCHOR_YES]
                if no != cells[start + _ANCHOR_NO]:
                    cells[start + _ANCHOR_NO] = no
                    news[row] = None
        if len(given.hints):
            for row, link in zip(rows, links, strict=True):
                if hint := given.hints[link]:
                    told = 1.0 if hint.lower().split("-")[0] == self._target.language else -1.0
                    if cells[row * WIDTH + _HINT] != told:
                        cells[row * WIDTH + _HINT] = told
                        news[row] = None
        return similarity

    def _anchors(self, given: OutLinks, links: list[int]) -> list[tuple[float, bool]]:
        """Per link: Γ of its anchor, or of what stands around an empty one; whether it has one."""
        anchors, contexts = given.anchors, given.contexts
        worded, surrounded = len(anchors) > 0, len(contexts) > 0
        texts = [anchors[link] for link in links] if worded else [""] * len(links)
        if given.similarity is None:
            gammas = self._target.similarities(texts)
        else:
            known = given.similarity.tolist()
            gammas = [known[link] for link in links]
        filled = [bool(text) for text in texts] if worded else [gamma > 0 for gamma in gammas]
        if surrounded and not all(filled):
            silent = [place for place, words in enumerate(filled) if not words]
            around = self._target.similarities([contexts[links[place]] for place in silent])
            for place, gamma in zip(silent, around, strict=True):
                gammas[place] = gamma
        return list(zip(gammas, filled, strict=True))

    def _ask(self, rows: list[int], traits: Floats) -> None:
        """What the knowledge base thinks of links with these a1 to a4; the best that it said of a URL stands."""
        assert self._bayes is not None
        cells, count = self._table.cells, self._table.source_count
        # Naive Bayes counts the same evidence several times: its odds are far too large, but their order is worth much.
        odds = np.arcsinh(self._bayes.log_odds(traits))
        for row, value in zip(rows, odds.tolist(), strict=True):
            place = row * WIDTH + _KNOWLEDGE
            cells[place] = max(cells[place], value) if count[row] > 1 else value

    def _add_history(self, rows: list[int]) -> None:
        """What the history of their servers and directories says now; links of a page share few servers."""
        table, history = self._table, self._history
        cells, hosts, segments, count = table.cells, table.host, table.segment, table.source_count
        now = history.now()
        directory_odds = history.directory_odds
        sibling_odds = history.sibling_odds_now(table, now)
        known: dict[int, tuple[HostOdds, float]] = {}
        for row in rows:
            host = hosts[row]
            figures = known.get(host)
            if figures is None:
                odds = history.host_odds(table, row, now)
                figures = known[host] = odds, log_odds(odds.share)
            (domain, site, server, judged, share, at_home), share_odds = figures
            start = row * WIDTH
            cells[start + _DOMAIN], cells[start + _SITE], cells[start + _SERVER] = domain, site, server
            cells[start + _JUDGED] = judged
            cells[start + _DIRECTORY] = directory_odds(segments[row], share, share_odds)
            # The fate of the links of the page that is being read is not known yet.
            cells[start + _SIBLINGS] = sibling_odds(row) if count[row] > 1 else 0.0
            if at_home:
                cells[start + _COUNTRY] = 1.0
