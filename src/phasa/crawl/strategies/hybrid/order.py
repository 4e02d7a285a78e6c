"""The hybrid order: every waiting URL has a likelihood, learned online from all that is known before a fetch.

1. *Evidence.* A row per waiting URL gathers what every link to it showed: Γ of the pages, language of the anchors,
   hreflang, the Thai-path length, links since the last page in the language, how many of its parents are in the
   language, what their other links turned out to be; the history of its directory, server, site and domain.
2. *Likelihood.* An online logistic regression turns the row into log odds; every judged page is one lesson.
3. *Second looks.* Every few pages all remembered rows are scored again, and the priorities that matter are changed.
4. *Exploration.* Below a floor the likelihoods say nothing: there the order is breadth-first. So the crawl explores
   widely when nothing promising is left, and only then.
"""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import Annotated, Any
from zipfile import BadZipFile

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from phasa.crawl.addresses import host_of
from phasa.crawl.aim import Aim
from phasa.crawl.features import anchor_values
from phasa.crawl.strategies.hybrid.candidates import FARTHEST, SOURCES, Candidates, Feature, Rows
from phasa.crawl.strategies.hybrid.history import Shares, log_odds
from phasa.crawl.strategies.hybrid.model import OnlineModel, Pieces
from phasa.crawl.strategies.hybrid.names import Names
from phasa.crawl.strategy import Change, Floats, JudgedPage, Offers, Rediscovery, Seed
from phasa.errors import InputError
from phasa.settings import Settings

# What common sense gives each feature before the first lesson.
STARTING_WEIGHTS: dict[Feature, float] = {
    Feature.BIAS: -2.6,
    Feature.WANTED_PARENT: 1.0,
    Feature.PARENT_LIKENESS: 1.0,
    Feature.ANCHOR_YES: 1.5,
    Feature.ANCHOR_NO: -0.7,
    Feature.HINT: 1.5,
    Feature.WANTED_PARENTS: 0.4,
    Feature.WANTED_SHARE: 0.6,
    Feature.DISTANCE: -0.3,
    Feature.PARENTS: 0.0,
    Feature.PATH: 0.2,
    Feature.INSIDE: 0.0,
    Feature.INSIDE_WANTED: 0.8,
    Feature.COUNTRY: 0.5,
    Feature.SEED: 0.5,
    Feature.DOMAIN: 0.8,
    Feature.SITE: 0.6,
    Feature.SERVER: 1.0,
    Feature.SERVER_JUDGED: 1.0,
    Feature.DIRECTORY: 0.8,
    Feature.SIBLINGS: 0.5,
}
_PAGE_BITS = 17
# Likeness is taken on a scale that tells small values apart: 0 → 0, 0.001 → 0.1, 0.01 → 0.35, 0.1 → 0.67, 1 → 1.
_GRADES = math.log1p(1000.0)
_LESSONS = 8
_TASTED, _FIRST = 10, 50.0


class HybridSettings(Settings, frozen=True, kw_only=True):
    step: Annotated[float, Meta(gt=0, description="How fast the weights of features move.")] = 0.1
    piece_step: Annotated[float, Meta(ge=0, description="How fast the weights of pieces of names move.")] = 0.05
    floor: Annotated[float, Meta(description="Log odds below which the order is breadth-first.")] = -2.0
    grain: Annotated[float, Meta(gt=0, description="Log odds closer than this count as equal.")] = 0.25
    every: Annotated[int, Meta(ge=1, description="Pages between two second looks at all waiting URLs.")] = 50
    memory: Annotated[int, Meta(ge=1000, description="Waiting URLs that are remembered and scored again.")] = 200_000


class Hybrid:
    """The default strategy. `LATEST`: the evidence of all links to a URL is summed up here, so the last word stands."""

    name = "hybrid"
    rediscovery = Rediscovery.LATEST

    def __init__(self, aim: Aim, settings: HybridSettings | None = None) -> None:
        self.aim = aim
        self.settings = settings if settings is not None else HybridSettings()
        self._candidates = Candidates(Names(aim.tlds), self.settings.memory)
        self._model = OnlineModel(
            np.array([STARTING_WEIGHTS[feature] for feature in Feature]), self.settings.step, self.settings.piece_step
        )
        self._tlds = Shares(12, 0.999, 4.0)
        self._sites = Shares(18, 0.995, 3.0)
        self._hosts = Shares(18, 0.99, 2.0)
        self._segments = Shares(19, 0.98, 2.0)
        self._children = Shares(_PAGE_BITS, 1.0, 2.0)
        self._hits, self._pages = 0.0, 0.0
        self._countries = np.zeros(self._hosts.mask + 1, dtype=np.int8)
        self._done: set[str] = set()
        self._done_before: set[str] = set()
        self._lessons: list[tuple[Floats, Pieces, bool]] = []
        self._number = 0
        self._since = 0
        self._queue: list[Change] = []

    def start(self, seeds: Sequence[Seed]) -> Offers:
        rows = self._candidates.add([seed.url for seed in seeds])
        features = self._candidates.features[rows]
        features[:, Feature.SEED] = 1.0
        features[:, Feature.DISTANCE] = 2.0
        features[:, Feature.PARENT_LIKENESS] = [math.log1p(seed.parent * 1000.0) / _GRADES for seed in seeds]
        features[:, Feature.ANCHOR_YES] = [float(seed.anchor >= self.aim.threshold) for seed in seeds]
        features[:, Feature.PATH] = [seed.distance for seed in seeds]
        priorities = self._priorities(rows, features)
        # A few seeds are fetched before all else, to learn what this list of seeds is worth.
        priorities[:_TASTED] = self._candidates.given[rows[:_TASTED]] = _FIRST
        return Offers(priorities)

    def page(self, page: JudgedPage) -> Offers:
        distance, path = self._learn(page)
        self._number += 1
        offers = self._score_links(page, distance, path)
        self._since += 1
        if self._since >= self._pause():
            self._since = 0
            self._look_again()
        return offers

    def failed(self, url: str, note: bytes) -> None:
        self._candidates.pop(url)
        self._remember_done(url)

    def changes(self) -> Sequence[Change]:
        changes, self._queue = self._queue, []
        return changes

    # -- learning ---------------------------------------------------------------------------------------------------

    def _learn(self, page: JudgedPage) -> tuple[float, float]:
        """One lesson. Gives what the links of the page inherit: links since the language, length of the path."""
        wanted, table = page.judgement.wanted, self._candidates
        self._remember_done(page.url)
        row = table.row(page.url)
        if row < 0:
            return (1.0, math.log(2)) if wanted else (FARTHEST, 0.0)
        # The features as they were when the URL was last scored: nothing of this page is in them.
        features = table.features[row].copy()
        self._lessons.append((features, table.pieces[row].copy(), wanted))
        if len(self._lessons) >= _LESSONS:
            self._study()
        host = int(table.host[row])
        # A thousand pages of one server say little about another server of the same domain: the more pages of a
        # server were seen, the less the next one counts for the wider places.
        share = 1.0 / (1.0 + self._hosts.count(host))
        self._segments.add(int(table.segment[row]), wanted)
        self._hosts.add(host, wanted)
        self._sites.add(int(table.site[row]), wanted, share)
        self._tlds.add(int(table.tld[row]), wanted, share)
        self._hits = self._hits * (1 - 0.001 * share) + wanted * share
        self._pages = self._pages * (1 - 0.001 * share) + share
        for source in table.sources[row, : min(SOURCES, int(table.source_count[row]))].tolist():
            self._children.add(source, wanted)
        if page.country and page.country in self.aim.countries:
            self._countries[host & self._hosts.mask] = 1
        table.pop(page.url)
        if wanted:
            return 1.0, math.log(math.exp(features[Feature.PATH]) + 1)
        return min(FARTHEST, features[Feature.DISTANCE] + 1), 0.0

    def _study(self) -> None:
        features, pieces, wanted = zip(*self._lessons, strict=True)
        self._model.learn(np.array(features), np.array(pieces), np.array(wanted))
        self._lessons.clear()

    def _remember_done(self, url: str) -> None:
        if len(self._done) >= 250_000:
            self._done, self._done_before = set(), self._done
        self._done.add(url)

    # -- scoring ----------------------------------------------------------------------------------------------------

    def _score_links(self, page: JudgedPage, distance: float, path: float) -> Offers:
        urls = page.links.urls
        priorities = np.full(len(urls), self.settings.floor - 2)
        done, before = self._done, self._done_before
        open_ = [i for i, url in enumerate(urls) if url not in done and url not in before]
        if not open_:
            return Offers(priorities)
        rows = self._candidates.add([urls[i] for i in open_])
        features = self._candidates.features[rows]
        self._gather(page, rows, features, distance, path)
        self._gather_texts(page, np.array(open_), features)
        priorities[open_] = self._priorities(rows, features)
        return Offers(priorities)

    def _gather(self, page: JudgedPage, rows: Rows, features: Floats, distance: float, path: float) -> None:
        """Add what being linked from this page says to the features of its links."""
        table = self._candidates
        here = table.names.host(host_of(page.url)).host
        hosts = table.host[rows]
        inside = hosts == here
        # Links that stand on every page of a server are one voice, not many.
        another = table.last_source[rows] != here
        table.last_source[rows] = here
        parents = table.parents[rows] + another
        wanted_parents = table.wanted_parents[rows]
        table.parents[rows] = parents
        _raise(features, Feature.INSIDE, inside)
        if page.judgement.wanted:
            wanted_parents += another
            table.wanted_parents[rows] = wanted_parents
            features[:, Feature.WANTED_PARENT] = 1.0
            features[:, Feature.WANTED_PARENTS] = np.log1p(wanted_parents)
            _raise(features, Feature.INSIDE_WANTED, inside)
            _raise(features, Feature.PATH, path)
        features[:, Feature.PARENTS] = np.log1p(parents)
        features[:, Feature.WANTED_SHARE] = wanted_parents / parents
        _raise(features, Feature.PARENT_LIKENESS, math.log1p(page.judgement.score * 1000.0) / _GRADES)
        features[:, Feature.DISTANCE] = np.minimum(features[:, Feature.DISTANCE], distance)
        features[:, Feature.COUNTRY] = self._countries[hosts & self._hosts.mask]
        count = table.source_count[rows]
        table.sources[rows, count % SOURCES] = self._number & self._children.mask
        table.source_count[rows] = count + 1

    def _gather_texts(self, page: JudgedPage, links: NDArray[np.int64], features: Floats) -> None:
        """The language of anchors (or of what stands around an empty one), and hreflang."""
        given = page.links
        if len(given.anchors) or given.likeness is not None:
            likeness = anchor_values(given, self.aim)[links]
            filled = np.array([bool(text) for text in given.anchors])[links] if len(given.anchors) else likeness > 0
            if len(given.contexts) and not filled.all():
                for place in np.flatnonzero(~filled).tolist():
                    likeness[place] = self.aim.likeness(given.contexts[int(links[place])])
            _raise(features, Feature.ANCHOR_YES, likeness >= self.aim.threshold)
            features[:, Feature.ANCHOR_NO] = filled & (features[:, Feature.ANCHOR_YES] == 0)
        if len(given.hints):
            language = self.aim.language
            hints = np.array([_hint(text, language) for text in given.hints])[links]
            features[:, Feature.HINT] = np.where(hints != 0, hints, features[:, Feature.HINT])

    def _refresh(self, rows: Rows, features: Floats) -> None:
        """Put in what the history of their places says now, and keep the features."""
        table = self._candidates
        base = (self._hits + 1.0) / (self._pages + 10.0)
        shares = np.empty((5, len(rows)))
        shares[0] = self._tlds.share(table.tld[rows], np.where(table.national[rows], max(0.6, base), base * 0.8))
        shares[1] = self._sites.share(table.site[rows], shares[0])
        hosts = table.host[rows]
        shares[2] = self._hosts.share(hosts, shares[1])
        shares[3] = self._segments.share(table.segment[rows], shares[2])
        shares[4] = self._children.share(table.sources[rows], base).max(axis=1)
        odds = log_odds(shares)
        base_odds = math.log(base / (1 - base))
        features[:, Feature.DOMAIN] = odds[0] - base_odds
        features[:, Feature.SITE : Feature.SERVER + 1] = (odds[1:3] - odds[0:2]).T
        features[:, Feature.SERVER_JUDGED] = self._judged(hosts)
        features[:, Feature.DIRECTORY] = odds[3] - odds[2]
        features[:, Feature.SIBLINGS] = (odds[4] - base_odds) * (table.source_count[rows] > 0)
        table.features[rows] = features

    def _judged(self, hosts: NDArray[np.int64]) -> Floats:
        """1 for a server judged to be in the language, −1 for one judged foreign, 0 while undecided (LSWC's S = 3)."""
        slots = hosts & self._hosts.mask
        hits, pages = self._hosts.hits[slots], self._hosts.pages[slots]
        sure = pages >= 3
        return np.where(sure & (hits >= 0.95 * pages), 1.0, np.where(sure & (hits <= 0.05 * pages), -1.0, 0.0))

    def _priorities(self, rows: Rows, features: Floats) -> Floats:
        table = self._candidates
        self._refresh(rows, features)
        odds = self._model.score(features, table.pieces[rows])
        grain, floor = self.settings.grain, self.settings.floor
        # Below the floor only two things still order, in coarse steps: a few words of the language on the pages around
        # are a trace, and the domains of the language are a rescue unless their record is bad.
        rescue = table.national[rows] & (features[:, Feature.DOMAIN] > 0)
        hope = floor - 2 + features[:, Feature.PARENT_LIKENESS] + rescue
        priorities = np.where(odds > floor, np.rint(odds / grain) * grain, hope)
        table.given[rows] = priorities
        return np.asarray(priorities)

    def _look_again(self) -> None:
        """Score all rows again; tell the new priorities of those that lead the queue, or led it wrongly."""
        table = self._candidates
        rows = table.alive()
        if not len(rows):
            return
        before = table.given[rows]
        now = self._priorities(rows, table.features[rows])
        lead = 4 * self._pause()
        least = float(np.partition(now, -lead)[-lead]) if len(now) > lead else -math.inf
        tell = (now != before) & ((now >= least) | (before >= least))
        # What is not told keeps its old priority in the frontier, so it keeps it here as well.
        table.given[rows] = np.where(tell, now, before)
        urls = table.urls
        self._queue = [Change(urls[rows[i]], float(now[i])) for i in np.flatnonzero(tell).tolist()]

    def _pause(self) -> int:
        """Pages between two second looks: more of them when there is more to look at."""
        return max(self.settings.every, len(self._candidates) // 500)

    # -- state ------------------------------------------------------------------------------------------------------

    def save(self) -> bytes:
        out = io.BytesIO()
        tables: dict[str, Any] = {
            "weights": self._model.weights,
            "squares": self._model.squares,
            "piece_weights": self._model.piece_weights,
            "piece_squares": self._model.piece_squares,
            "base": np.array([self._hits, self._pages]),
        }
        for name, shares in self._shares().items():
            tables[f"{name}_hits"], tables[f"{name}_pages"] = shares.hits, shares.pages
        np.savez_compressed(out, **tables)
        return out.getvalue()

    def load(self, state: bytes) -> None:
        try:
            with np.load(io.BytesIO(state), allow_pickle=False) as saved:
                if saved["weights"].shape != self._model.weights.shape:
                    raise ValueError("made by another version")
                self._model.weights, self._model.squares = saved["weights"], saved["squares"]
                self._model.piece_weights = saved["piece_weights"]
                self._model.piece_squares = saved["piece_squares"]
                self._hits, self._pages = saved["base"].tolist()
                for name, shares in self._shares().items():
                    shares.hits[:], shares.pages[:] = saved[f"{name}_hits"], saved[f"{name}_pages"]
        except (ValueError, KeyError, OSError, EOFError, BadZipFile) as problem:
            raise InputError(f"saved state of the strategy {self.name}: {problem}; delete it to start afresh") from None

    def _shares(self) -> dict[str, Shares]:
        return {"tlds": self._tlds, "sites": self._sites, "hosts": self._hosts, "segments": self._segments}


def _raise(features: Floats, column: Feature, values: NDArray[np.bool_] | float) -> None:
    """Keep the larger of what stood there and what is new."""
    features[:, column] = np.maximum(features[:, column], values)


def _hint(value: str, language: str) -> float:
    if not value:
        return 0.0
    return 1.0 if value.lower().split("-")[0] == language else -1.0
