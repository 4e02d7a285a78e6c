"""segment-hybrid: which page next, by what its links, its segment, its site and its words have been so far.

The thesis scores a segment once from models that never change, then downloads it whole. Here

1. the predictor of the topic is only where learning starts: an online model weighs what it says of the links to an
   address together with the record of its segment, its parent directory and its site, and the words in anchors and
   addresses;
2. segments merge and split by evidence: a directory without a record has that of its parent and its site, and words of
   file names are learned per site, so pages of one directory can differ;
3. every judged page is a lesson, and the addresses of its site are scored again at once, all others now and then;
4. a site that nobody has looked at gets a bonus that shrinks with every page taken from it (bounded exploration).

Nothing of a page is used before it was fetched.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from phasa.crawl.segments.choices import Choices
from phasa.crawl.segments.features import Citation, Extractor
from phasa.crawl.segments.identifier import key_by, surrounding, website
from phasa.crawl.segments.predictor import Predictor
from phasa.crawl.strategies.online.memory import LastSeen, LastTold, Shares, log_odds_of
from phasa.crawl.strategies.online.model import Example, OnlineModel
from phasa.crawl.strategies.online.state import Table, load_state, save_state, sums
from phasa.crawl.strategies.segment_hybrid.evidence import (
    Keys,
    Rows,
    Sign,
    Waiting,
    hashed_words,
    starting_weights,
)
from phasa.crawl.strategy import DROP, Change, Floats, JudgedPage, Offers, Rediscovery, Seed
from phasa.language.stopwords import stop_words_for
from phasa.strategy_settings import SegmentHybridSettings
from phasa.web.url import authority

_SEED = 50.0
_ODDS = 4.0
_GRAIN = 0.05
_RUN = 4
"""Unwanted pages in a row are counted up to here."""
_DONE, _SERVERS = 250_000, 65_536
"""Fetched addresses (the frontier knows them all), and servers with their countries, that are remembered at least."""
_LEAD = 400
"""Addresses at the head of the queue whose new priorities are told after a look at all."""


class SegmentHybrid:
    """Pages in the order of how likely they are wanted, learned online."""

    name = "segment-hybrid"
    rediscovery = Rediscovery.FIRST

    def __init__(
        self,
        predictor: Predictor | None = None,
        settings: SegmentHybridSettings | None = None,
        was_seen: Callable[[str], bool] = lambda url: False,
        language: str = "en",
        choices: Choices | None = None,
    ) -> None:
        self.settings = settings if settings is not None else SegmentHybridSettings()
        self._predictor = predictor
        chosen = predictor.choices if predictor is not None else choices or Choices()
        self._key_of, self._surroundings = key_by(chosen.directories), chosen.surroundings
        self._website = partial(website, by_domain=chosen.website == "domain")
        self._extractor = Extractor(predictor.matcher, self._locate, predictor.edges) if predictor is not None else None
        self._stop = predictor.matcher.stop if predictor is not None else stop_words_for(language)
        self._was_seen = was_seen
        self._countries = LastTold[str, str](_SERVERS)
        self._model = OnlineModel(starting_weights(), step=0.08, piece_step=0.15)
        self._waiting = Waiting(self.settings.remembered)
        self._done = LastSeen[int](_DONE)
        self._sites = Shares(16, 1.0, 2.0)
        self._folders = Shares(16, 1.0, 2.0)
        self._segments = Shares(18, 1.0, 1.5)
        self._runs = np.zeros(self._segments.mask + 1, dtype=np.int8)
        """Unwanted pages in a row per segment, up to a few."""
        self._hits, self._pages = 1.0, 2.0
        self._since = 0
        self._queue: list[Change] = []

    # ── the protocol ─────────────────────────────────────────────────────────────────────────────

    def start(self, seeds: Sequence[Seed]) -> Offers:
        return Offers(np.array([DROP if self._was_seen(seed.url) else _SEED for seed in seeds]))

    def page(self, page: JudgedPage) -> Offers:
        here = self._keys(page.url)
        self._learn(page, here)
        offers = self._take_links(page, here)
        self._look(self._waiting.of_site(here.site))
        self._since += 1
        if self._since >= max(self.settings.every, len(self._waiting) // 400):
            self._since = 0
            self._look(self._waiting.all(), _LEAD)
        return offers

    def failed(self, url: str, note: bytes) -> None:
        self._waiting.pop(url)
        self._done.add(hash(url))

    def changes(self) -> Sequence[Change]:
        changes, self._queue = self._queue, []
        return changes

    # ── learning ─────────────────────────────────────────────────────────────────────────────────

    def _learn(self, page: JudgedPage, here: Keys) -> None:
        """One lesson: the signs as they were before the fetch, and what the page turned out to be."""
        wanted, table = page.judgement.wanted, self._waiting
        self._done.add(hash(page.url))
        row = table.row(page.url)
        if row >= 0:
            self._model.learn([Example(table.signs[row].tolist(), table.words[row].tolist(), wanted)])
            table.pop(page.url)
        if page.country:
            self._countries[authority(page.url)] = page.country
        self._sites.add(here.site, wanted)
        self._folders.add(here.folder, wanted)
        self._segments.add(here.segment, wanted)
        slot = here.segment & self._segments.mask
        self._runs[slot] = 0 if wanted else min(self._runs[slot] + 1, _RUN)
        self._hits += wanted
        self._pages += 1

    # ── scoring ──────────────────────────────────────────────────────────────────────────────────

    def _take_links(self, page: JudgedPage, here: Keys) -> Offers:
        links = page.links
        priorities = np.full(len(links), DROP)
        degree = self._segments.share(here.segment, page.judgement.score)
        contexts = surrounding(links, self._surroundings)
        fresh: list[int] = []
        places: list[int] = []
        for number, url in enumerate(links.urls):
            if hash(url) in self._done or self._was_seen(url):
                continue
            row = self._waiting.row(url)
            if row < 0:
                row = self._waiting.add(url)
                if row < 0:
                    priorities[number] = self._hurried(page)
                    continue
                self._describe(row, url)
            said = f"{links.anchors[number] if len(links.anchors) else ''} " + (
                contexts[number] if len(contexts) else ""
            )
            self._hear(row, url, page, here, degree, said)
            fresh.append(row)
            places.append(number)
        if fresh:
            rows = np.array(fresh)
            priorities[places] = self._waiting.given[rows] = self._priorities(rows)
        return Offers(priorities)

    def _describe(self, row: int, url: str) -> None:
        keys = self._keys(url)
        self._waiting.keys[row] = keys.site, keys.folder, keys.segment
        self._waiting.words[row] = 0

    def _hear(self, row: int, url: str, page: JudgedPage, here: Keys, degree: float, said: str) -> None:
        """What a page says of an address; the pages of one segment are one voice, their best score counts."""
        table, signs = self._waiting, self._waiting.signs[row]
        score = 2.0 * page.judgement.score - 1.0
        inside = table.keys[row, 2] == here.segment
        if inside:
            signs[Sign.INSIDE] = 1.0
            signs[Sign.INSIDE_WANTED] = max(signs[Sign.INSIDE_WANTED], float(page.judgement.wanted))
        first = table.voices[row] == 0
        signs[Sign.BEST_PARENT] = score if first else max(signs[Sign.BEST_PARENT], score)
        if table.citing[row] == here.segment:
            return
        table.citing[row] = here.segment
        table.voices[row] += 1
        count = table.voices[row]
        signs[Sign.CITED] = math.log(count)
        signs[Sign.PARENT] += (score - signs[Sign.PARENT]) / count
        near = float(table.keys[row, 0] == here.site)
        signs[Sign.NEAR] = near if first else min(signs[Sign.NEAR], near)
        words = hashed_words(url, said, int(table.keys[row, 0]), self._stop)
        if np.count_nonzero(table.words[row]) < sum(map(bool, words)):
            table.words[row] = words
        if self._predictor is not None and self._extractor is not None:
            vector = self._extractor.vector(here.name, degree, self._key_of(url), Citation([url], [said]))
            chance = self._predictor.chance(vector)
            signs[Sign.BY_LINK] += (_log_odds(chance.by_link) - signs[Sign.BY_LINK]) / count
            signs[Sign.BY_WORDS] += (_log_odds(chance.by_words) - signs[Sign.BY_WORDS]) / count

    def _priorities(self, rows: Rows) -> Floats:
        """Log odds of each row as things stand, with the bonus of unknown sites."""
        table = self._waiting
        signs, keys = table.signs[rows], table.keys[rows]
        base = self._hits / self._pages
        site = self._sites.shares(keys[:, 0], base)
        folder = self._folders.shares(keys[:, 1], site)
        segment = self._segments.shares(keys[:, 2], folder)
        odds = log_odds_of(np.array([site, folder, segment]))
        signs[:, Sign.SITE] = odds[0] - math.log(base / (1 - base)) if 0 < base < 1 else odds[0]
        signs[:, Sign.FOLDER] = odds[1] - odds[0]
        signs[:, Sign.SEGMENT] = odds[2] - odds[1]
        signs[:, Sign.RUN] = self._runs[keys[:, 2] & self._segments.mask]
        table.signs[rows] = signs
        known = self._sites.pages_view[keys[:, 0] & self._sites.mask]
        bonus = self.settings.explore / np.sqrt(1.0 + known)
        score = self._model.score(signs, table.words[rows]) + bonus
        return np.asarray(np.rint(score / _GRAIN) * _GRAIN)

    def _hurried(self, page: JudgedPage) -> float:
        """The priority of an address for which there is no room: that of its page."""
        return _log_odds(page.judgement.score) - 2.0

    def _look(self, rows: Rows, lead: int = 0) -> None:
        """Score rows again and tell what changed; with `lead`, only what leads the queue now or did before."""
        if not len(rows):
            return
        before = self._waiting.given[rows]
        now = self._priorities(rows)
        tell = now != before
        if lead and len(now) > lead:
            least = float(np.partition(now, -lead)[-lead])
            tell &= (now >= least) | (before >= least)
        self._waiting.given[rows] = np.where(tell, now, before)
        urls = self._waiting.urls
        self._queue += [Change(urls[rows[place]], float(now[place])) for place in np.flatnonzero(tell).tolist()]

    def _keys(self, url: str) -> Keys:
        return Keys(url, self._key_of, self._website)

    def _locate(self, host: str) -> str:
        return self._countries.get(host, "")

    # ── state ────────────────────────────────────────────────────────────────────────────────────

    def save(self) -> bytes:
        """Weights and records; the evidence of single addresses is gathered again."""
        base = np.array([self._hits, self._pages])
        return save_state(self._model, self._records(), base=base, runs=self._runs)

    def load(self, state: bytes) -> None:
        base, runs = load_state(self.name, state, self._model, self._records(), "base", "runs")
        self._hits, self._pages = base.tolist()
        if runs.shape == self._runs.shape:  # version 0.1 had pairs of segment and run
            self._runs = runs

    def sums(self) -> dict[str, Table]:
        return sums(self._model, self._records())

    def _records(self) -> dict[str, Shares]:
        return {"sites": self._sites, "folders": self._folders, "segments": self._segments}


def _log_odds(chance: float) -> float:
    """ln(p / (1 − p)) within ±4: a naive Bayes model is surer than it should be."""
    bounded = min(max(chance, 1e-6), 1 - 1e-6)
    return max(-_ODDS, min(_ODDS, math.log(bounded / (1 - bounded))))
