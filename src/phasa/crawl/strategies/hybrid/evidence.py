"""What a page says about its links: everything that is known of a URL before it is fetched, added up link by link."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from math import log1p
from typing import NamedTuple

import numpy as np

from phasa.crawl.learn.features import seed_features
from phasa.crawl.learn.knowledge import KnowledgeBase
from phasa.crawl.strategies.hybrid.candidates import FARTHEST, SOURCES, WIDTH, Candidates, Feature
from phasa.crawl.strategies.hybrid.history import History, HostOdds
from phasa.crawl.strategies.hybrid.news import News, Rows, Voice
from phasa.crawl.strategies.online.memory import log_odds
from phasa.crawl.strategy import Floats, JudgedPage, OutLinks, Seed
from phasa.crawl.target import Target
from phasa.web.url import authority

# Similarity is taken on a scale that tells small values apart: 0 → 0, 0.001 → 0.1, 0.01 → 0.35, 0.1 → 0.67, 1 → 1.
_GRADES = log1p(1000.0)


# Plain numbers: members of an enumeration are slow in a loop that runs for every link.
_INSIDE, _INSIDE_WANTED, _PATH = int(Feature.INSIDE), int(Feature.INSIDE_WANTED), int(Feature.PATH)
_ANCHOR_YES, _ANCHOR_NO, _HINT = int(Feature.ANCHOR_YES), int(Feature.ANCHOR_NO), int(Feature.HINT)
_DOMAIN, _SITE, _SERVER, _JUDGED = (
    int(f) for f in (Feature.DOMAIN, Feature.SITE, Feature.SERVER, Feature.SERVER_JUDGED)
)
_DIRECTORY, _SIBLINGS, _COUNTRY = int(Feature.DIRECTORY), int(Feature.SIBLINGS), int(Feature.COUNTRY)
_KNOWLEDGE, _ADDRESS = int(Feature.KNOWLEDGE), int(Feature.ADDRESS)


class Origin(NamedTuple):
    """What the links of a page inherit."""

    distance: float
    """Links since the last page in the language."""
    path: float
    """Length of the path within the language, as a4 = ln(1 + D)."""


def grade(similarity: float) -> float:
    """Γ on a logarithmic scale of 0 to 1."""
    return log1p(similarity * 1000.0) / _GRADES


def _cells_of_new(voice: Voice) -> array[float]:
    """The cells of a row that only this page links to, from another server and without words."""
    cells = array("f", [0.0] * WIDTH)
    cells[Feature.BIAS] = 1.0
    cells[Feature.WANTED_PARENT] = cells[Feature.WANTED_SHARE] = voice.wanted
    cells[Feature.WANTED_PARENTS] = log1p(voice.wanted)
    cells[Feature.PARENTS] = log1p(1)
    cells[Feature.PARENT_SIMILARITY] = voice.similarity
    cells[Feature.DISTANCE] = min(FARTHEST, voice.distance)
    cells[Feature.PATH] = voice.path if voice.wanted else 0.0
    return cells


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
        self._news = News(table, target.threshold)

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
            self._hear(np.array(rows), seed_features(seeds, self._target)[0])
        self.add_history(rows)
        return rows

    def of_links(self, page: JudgedPage, links: list[int], origin: Origin) -> tuple[list[int], list[int]]:
        """The rows of some links of a page, and those of them that are new, whose cells but for their history are
        filled. What the page says of the others is noted down until `take_in`."""
        table, given = self._table, page.links
        urls = [given.urls[link] for link in links]
        table.reserve(urls)
        here = table.names.host(authority(page.url)).host
        judgement = page.judgement
        number = self._history.next_page()
        voice = Voice(number, here, judgement.wanted, grade(judgement.score), judgement.score, *origin)
        said_of, worded = self._anchors(given, links)
        hints = given.hints
        before = table.rows_of(urls)
        if not hints and -1 not in before:  # as it is for most pages after a while
            self._news.note(voice, before, said_of, worded)
            return before, []
        rows: list[int] = []
        fresh: list[int] = []
        said: list[float] = []
        known: list[int] = []
        gammas: list[float] = []
        filled: list[int] = []
        find, add, template = table.row, table.add, _cells_of_new(voice)
        for link, url, gamma, words in zip(links, urls, said_of, worded, strict=True):
            row = find(url)
            if row < 0:
                row = add(url)
                self._fill(row, voice, template, gamma, words)
                fresh.append(row)
                said.append(gamma)
            else:
                known.append(row)
                gammas.append(gamma)
                filled.append(words)
            rows.append(row)
            if hints and (hint := hints[link]):
                told = 1.0 if hint.lower().split("-")[0] == self._target.language else -1.0
                table.cells[row * WIDTH + _HINT] = told
        self._news.note(voice, known, gammas, filled)
        if self._bayes is not None and fresh:
            self._ask(np.array(fresh), judgement.score, np.array(said))
        return rows, fresh

    def take_in(self) -> Rows:
        """Take in what was noted down of known URLs: their rows, whose history is to be refreshed."""
        taken = self._news.take_in()
        if self._bayes is not None and len(taken.rows):
            self._ask(*taken)
        return taken.rows

    def _fill(self, row: int, voice: Voice, template: array[float], gamma: float, words: int) -> None:
        """The cells of a new row, as far as they are from the page that links to it."""
        table = self._table
        cells, start = table.cells, row * WIDTH
        told = cells[start + _ADDRESS]
        cells[start : start + WIDTH] = template
        cells[start + _ADDRESS] = told
        if gamma >= self._target.threshold:
            cells[start + _ANCHOR_YES] = 1.0
        elif words > 0:
            cells[start + _ANCHOR_NO] = 1.0
        if table.host[row] == voice.here:
            cells[start + _INSIDE] = 1.0
            cells[start + _INSIDE_WANTED] = voice.wanted
        table.parents[row] = table.source_count[row] = 1
        table.wanted_parents[row] = voice.wanted
        table.last_source[row] = voice.here
        table.sources[row * SOURCES] = voice.number

    def _anchors(self, given: OutLinks, links: list[int]) -> tuple[list[float], list[int]]:
        """Γ of each anchor, or of what stands around an empty one; whether a link has one (1, 0; −1: unknown)."""
        anchors, contexts = given.anchors, given.contexts
        worded, surrounded = len(anchors) > 0, len(contexts) > 0
        if not worded and given.similarity is None:
            return [0.0] * len(links), [-1] * len(links)
        texts = [anchors[link] for link in links] if worded else [""] * len(links)
        if given.similarity is None:
            gammas = self._target.similarities(texts)
        else:
            known = given.similarity.tolist()
            gammas = [known[link] for link in links]
        filled = [1 if text else 0 for text in texts] if worded else [int(gamma > 0) for gamma in gammas]
        if surrounded and not all(filled):
            silent = [place for place, words in enumerate(filled) if not words]
            around = self._target.similarities([contexts[links[place]] for place in silent])
            for place, gamma in zip(silent, around, strict=True):
                gammas[place] = gamma
        return gammas, filled

    def _ask(self, rows: Rows, scores: Floats | float, gammas: Floats) -> None:
        """What the knowledge base thinks of links with these a1 and a2; the best that it said of a URL stands."""
        assert self._bayes is not None
        table, cells = self._table, self._table.view("cells")
        traits = np.empty((len(rows), 4))
        traits[:, 0], traits[:, 1] = scores, gammas
        traits[:, 2], traits[:, 3] = table.view("national")[rows], cells[rows, _PATH]
        self._hear(rows, traits)

    def _hear(self, rows: Rows, traits: Floats) -> None:
        assert self._bayes is not None
        cells, count = self._table.view("cells"), self._table.view("source_count")
        # Naive Bayes counts the same evidence several times: its odds are far too large, but their order is worth much.
        odds = np.arcsinh(self._bayes.log_odds(traits))
        best = np.maximum(cells[rows, _KNOWLEDGE], odds)
        cells[rows, _KNOWLEDGE] = np.where(count[rows] > 1, best, odds)

    def add_history(self, rows: list[int]) -> None:
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
