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
from phasa.crawl.strategies.hybrid.candidates import SOURCES, Candidates, Rows
from phasa.crawl.strategies.hybrid.history import Shares, log_odds
from phasa.crawl.strategies.hybrid.model import OnlineModel
from phasa.crawl.strategies.hybrid.names import Names
from phasa.crawl.strategy import Change, Floats, JudgedPage, Offers, Rediscovery, Seed
from phasa.errors import InputError
from phasa.settings import Settings

# name of each dense feature and the weight it starts with
STARTING_WEIGHTS: dict[str, float] = {
    "bias": -2.6,
    "wanted parent": 1.0,
    "parent likeness": 1.0,
    "anchor in the language": 1.5,
    "anchor in another": -0.7,
    "hint": 1.5,
    "domain": 0.8,
    "site": 0.6,
    "server": 1.0,
    "server judged": 1.0,
    "directory": 0.8,
    "siblings": 0.5,
    "wanted parents": 0.4,
    "share of wanted parents": 0.6,
    "distance": -0.3,
    "parents": 0.0,
    "path": 0.2,
    "inside a server": 0.0,
    "inside, from the language": 0.8,
    "country": 0.5,
    "seed": 0.5,
}
_PAGE_BITS = 17


class HybridSettings(Settings, frozen=True, kw_only=True):
    step: Annotated[float, Meta(gt=0, description="How fast the weights of features move.")] = 0.1
    piece_step: Annotated[float, Meta(ge=0, description="How fast the weights of pieces of names move.")] = 0.05
    floor: Annotated[float, Meta(description="Log odds below which the order is breadth-first.")] = -3.0
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
        self._candidates = Candidates(Names(aim.tlds), len(STARTING_WEIGHTS), self.settings.memory)
        self._model = OnlineModel(
            np.array(list(STARTING_WEIGHTS.values())), self.settings.step, self.settings.piece_step
        )
        self._tlds = Shares(12, 0.999, 4.0)
        self._sites = Shares(18, 0.995, 3.0)
        self._hosts = Shares(18, 0.99, 2.0)
        self._segments = Shares(19, 0.98, 2.0)
        self._children = Shares(_PAGE_BITS, 1.0, 2.0)
        self._hits, self._pages = 0.0, 0.0
        self._countries: dict[int, float] = {}
        self._done: set[str] = set()
        self._done_before: set[str] = set()
        self._number = 0
        self._since = 0
        self._queue: list[Change] = []

    def start(self, seeds: Sequence[Seed]) -> Offers:
        rows, _ = self._candidates.add([seed.url for seed in seeds])
        table = self._candidates.table
        table["seed"][rows] = 1
        table["distance"][rows] = 2
        table["depth"][rows] = 0
        table["parent"][rows] = [seed.parent for seed in seeds]
        table["anchor_yes"][rows] = [seed.anchor for seed in seeds]
        table["path"][rows] = [seed.distance for seed in seeds]
        return Offers(self._priorities(rows))

    def page(self, page: JudgedPage) -> Offers:
        known = self._learn(page)
        self._number += 1
        offers = self._score_links(page, known)
        self._since += 1
        if self._since >= max(self.settings.every, len(self._candidates) // 500):
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

    def _learn(self, page: JudgedPage) -> np.void | None:
        wanted = page.judgement.wanted
        row = self._candidates.row(page.url)
        if row >= 0:
            entry = self._candidates.table[row]
            # The features as they were when the URL was last scored: nothing of this page is in them.
            self._model.learn(entry["features"].astype(np.float64), entry["pieces"], wanted)
            # A thousand pages of one server say little about another server of the same domain: the more pages of a
            # server were seen, the less the next one counts for the wider places.
            share = 1.0 / (1.0 + self._hosts.count(int(entry["host"])))
            self._segments.add(int(entry["segment"]), wanted)
            self._hosts.add(int(entry["host"]), wanted)
            self._sites.add(int(entry["site"]), wanted, share)
            self._tlds.add(int(entry["tld"]), wanted, share)
            self._hits = self._hits * (1 - 0.001 * share) + wanted * share
            self._pages = self._pages * (1 - 0.001 * share) + share
            for source in entry["sources"][: min(SOURCES, int(entry["source_count"]))].tolist():
                self._children.add(source, wanted)
            if page.country:
                self._countries[int(entry["host"]) & self._hosts.mask] = float(page.country in self.aim.countries)
        self._remember_done(page.url)
        return self._candidates.pop(page.url)

    def _remember_done(self, url: str) -> None:
        if len(self._done) >= 250_000:
            self._done, self._done_before = set(), self._done
        self._done.add(url)

    # -- scoring ----------------------------------------------------------------------------------------------------

    def _score_links(self, page: JudgedPage, known: np.void | None) -> Offers:
        urls = page.links.urls
        priorities = np.full(len(urls), self.settings.floor - 1)
        done, before = self._done, self._done_before
        open_ = [i for i, url in enumerate(urls) if url not in done and url not in before]
        if not open_:
            return Offers(priorities)
        rows, _ = self._candidates.add([urls[i] for i in open_])
        self._gather(page, known, np.array(open_), rows)
        priorities[open_] = self._priorities(rows)
        return Offers(priorities)

    def _gather(self, page: JudgedPage, known: np.void | None, links: NDArray[np.int64], rows: Rows) -> None:
        """Add what the links of this page show to the rows of their targets."""
        table, wanted = self._candidates.table, page.judgement.wanted
        distance, path, depth = 1.0, 1.0, float(page.depth + 1)
        if not wanted:
            distance = min(9.0, (float(known["distance"]) if known is not None else 3.0) + 1)
            path = 0.0
        elif known is not None:
            path = float(known["path"]) + 1
        here = self._candidates.names.host(host_of(page.url)).host
        # Links that stand on every page of a server are one voice, not many.
        another = table["last_source"][rows] != here
        table["last_source"][rows] = here
        table["parents"][rows] += another
        if wanted:
            table["wanted_parents"][rows] += another
        table["parent"][rows] = np.maximum(table["parent"][rows], page.judgement.score)
        table["distance"][rows] = np.minimum(table["distance"][rows], distance)
        table["path"][rows] = np.maximum(table["path"][rows], path)
        table["depth"][rows] = np.minimum(table["depth"][rows], depth)
        inside = table["host"][rows] == here
        table["inside"][rows] = np.maximum(table["inside"][rows], inside)
        if wanted:
            table["inside_wanted"][rows] = np.maximum(table["inside_wanted"][rows], inside)
        slot = table["source_count"][rows] % SOURCES
        table["sources"][rows, slot] = self._number & ((1 << _PAGE_BITS) - 1)
        table["source_count"][rows] += 1
        self._gather_texts(page, links, rows)
        if self._countries:
            mask, countries = self._hosts.mask, self._countries
            table["country"][rows] = [countries.get(host & mask, 0.0) for host in table["host"][rows].tolist()]

    def _gather_texts(self, page: JudgedPage, links: NDArray[np.int64], rows: Rows) -> None:
        """The language of anchors (or of what stands around an empty one), and hreflang."""
        table, given = self._candidates.table, page.links
        if len(given.anchors) or given.likeness is not None:
            likeness = anchor_values(given, self.aim)[links]
            filled = np.array([bool(given.anchors[i]) for i in links.tolist()]) if len(given.anchors) else likeness > 0
            if len(given.contexts) and not filled.all():
                for place in np.flatnonzero(~filled).tolist():
                    likeness[place] = self.aim.likeness(given.contexts[int(links[place])])
            in_language = likeness >= self.aim.threshold
            table["anchor_yes"][rows] = np.maximum(table["anchor_yes"][rows], in_language)
            table["anchor_no"][rows] = np.maximum(table["anchor_no"][rows], filled & ~in_language)
        if len(given.hints):
            language = self.aim.language
            hints = [_hint(given.hints[i], language) for i in links.tolist()]
            table["hint"][rows] = np.where(np.array(hints) != 0, hints, table["hint"][rows])

    def _features(self, rows: Rows) -> Floats:
        """The dense features of rows, in the order of STARTING_WEIGHTS. All are 0 where nothing is known."""
        t = self._candidates.table[rows]
        base = (self._hits + 1.0) / (self._pages + 10.0)
        shares = np.empty((5, len(rows)))
        shares[0] = self._tlds.share(t["tld"], np.where(t["national"] > 0, max(0.6, base), base * 0.8))
        shares[1] = self._sites.share(t["site"], shares[0])
        shares[2] = self._hosts.share(t["host"], shares[1])
        shares[3] = self._segments.share(t["segment"], shares[2])
        shares[4] = self._children.share(t["sources"], base).max(axis=1)
        of_tld, of_site, of_host, of_segment, of_children = log_odds(shares)
        base_odds = math.log(base / (1 - base)) if base < 1 else 9.0
        features = np.empty((len(rows), len(STARTING_WEIGHTS)))
        features[:, 0] = 1.0
        features[:, 1] = t["wanted_parents"] > 0
        features[:, 2] = likeness_grade(t["parent"])
        features[:, 3] = t["anchor_yes"]
        features[:, 4] = t["anchor_no"] * (1 - t["anchor_yes"])
        features[:, 5] = t["hint"]
        features[:, 6] = of_tld - base_odds
        features[:, 7] = of_site - of_tld
        features[:, 8] = of_host - of_site
        features[:, 9] = self._judged(t["host"])
        features[:, 10] = of_segment - of_host
        features[:, 11] = (of_children - base_odds) * (t["source_count"] > 0)
        features[:, 12] = np.log1p(t["wanted_parents"])
        features[:, 13] = t["wanted_parents"] / np.maximum(t["parents"], 1)
        features[:, 14] = np.minimum(t["distance"], 4)
        features[:, 15] = np.log1p(t["parents"])
        features[:, 16] = np.log1p(t["path"])
        features[:, 17] = t["inside"]
        features[:, 18] = t["inside_wanted"]
        features[:, 19] = t["country"]
        features[:, 20] = t["seed"]
        return features

    def _judged(self, hosts: NDArray[np.int64]) -> Floats:
        """1 for a server judged to be in the language, −1 for one judged foreign, 0 while undecided (LSWC's S = 3)."""
        slots = hosts & self._hosts.mask
        hits, pages = self._hosts.hits[slots], self._hosts.pages[slots]
        sure = pages >= 3
        return np.where(sure & (hits >= 0.95 * pages), 1.0, np.where(sure & (hits <= 0.05 * pages), -1.0, 0.0))

    def _priorities(self, rows: Rows) -> Floats:
        table, features = self._candidates.table, self._features(rows)
        table["features"][rows] = features
        odds = self._model.score(features, table["pieces"][rows])
        grain, floor = self.settings.grain, self.settings.floor
        # Below the floor only the likeness of the pages around still orders: a few words of the language are a trace.
        hope = floor - 1 + features[:, 2]
        priorities = np.where(odds > floor, np.rint(odds / grain) * grain, np.minimum(hope, floor))
        table["given"][rows] = priorities
        return np.asarray(priorities)

    def _look_again(self) -> None:
        """Score all rows again; tell the new priorities of those that lead the queue, or led it wrongly."""
        rows = self._candidates.alive()
        if not len(rows):
            return
        before = self._candidates.table["given"][rows].copy()
        now = self._priorities(rows)
        lead = 4 * max(self.settings.every, len(rows) // 500)
        least = float(np.partition(now, -lead)[-lead]) if len(now) > lead else -math.inf
        tell = (now != before) & ((now >= least) | (before >= least))
        # What is not told keeps its old priority in the frontier, so it keeps it here as well.
        self._candidates.table["given"][rows] = np.where(tell, now, before)
        urls = self._candidates.urls
        self._queue = [Change(urls[row], float(now[i])) for i, row in enumerate(rows.tolist()) if tell[i]]

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


def likeness_grade(likeness: NDArray[np.float32]) -> Floats:
    """Γ on a scale that also tells small values apart: 0 → 0, 0.001 → 0.1, 0.01 → 0.35, 0.1 → 0.67, 1 → 1."""
    return np.asarray(np.log1p(likeness * 1000.0) / math.log(1001.0), dtype=np.float64)


def _hint(value: str, language: str) -> float:
    if not value:
        return 0.0
    return 1.0 if value.lower().split("-")[0] == language else -1.0
