"""The hybrid order: every waiting URL has a likelihood, learned online from all that is known before a fetch.

1. *Evidence.* A row per waiting URL gathers what every link to it showed: Γ of the pages, language of the anchors,
   hreflang, the Thai-path length, links since the last page in the language, how many of its parents are in the
   language, what their other links turned out to be; the history of its directory, server, site and domain.
2. *Likelihood.* An online logistic regression turns the row into log odds; every judged page is one lesson.
3. *Second looks.* Every few pages all remembered rows are scored again, and the priorities that matter are changed;
   after a page that was not what was expected, those of its server and of its siblings are at once. Pages that are
   settled together share one such look: the one that is made when `changes` is asked for.
4. *Exploration.* Below a floor the likelihoods say nothing: there the order is breadth-first, first what bears a trace
   of the language, then what is nearest to it. So the crawl explores widely when nothing promising is left, and only
   then.

A knowledge base of an earlier crawl (`phasa learn`), if there is one, is one more voice: what its naive Bayes says of a
link is a feature, whose weight is learned like the others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from phasa.crawl.learn.knowledge import KnowledgeBase
from phasa.crawl.strategies.hybrid import passing
from phasa.crawl.strategies.hybrid.candidates import FARTHEST, NOWHERE, WIDTH, Candidates, Feature, Rows, Spot
from phasa.crawl.strategies.hybrid.evidence import Evidence, Origin
from phasa.crawl.strategies.hybrid.history import History
from phasa.crawl.strategies.hybrid.reasons import reasons
from phasa.crawl.strategies.online.memory import LastSeen, Shares
from phasa.crawl.strategies.online.model import Example, OnlineModel, chance
from phasa.crawl.strategies.online.names import PIECES, Names
from phasa.crawl.strategies.online.state import Table, load_state, save_state, sums
from phasa.crawl.strategy import Change, Floats, JudgedPage, Offers, Reason, Rediscovery, Seed
from phasa.crawl.target import Target
from phasa.strategy_settings import HybridSettings

# What common sense gives each feature before the first lesson.
STARTING_WEIGHTS: dict[Feature, float] = {
    Feature.BIAS: -2.6,
    Feature.WANTED_PARENT: 1.0,
    Feature.PARENT_SIMILARITY: 1.0,
    Feature.ANCHOR_YES: 1.5,
    Feature.ANCHOR_NO: -0.7,
    Feature.HINT: 2.5,
    Feature.WANTED_PARENTS: 0.4,
    Feature.WANTED_SHARE: 0.6,
    Feature.DISTANCE: -0.3,
    Feature.PARENTS: 0.0,
    Feature.PATH: 0.2,
    Feature.INSIDE: 0.0,
    Feature.INSIDE_WANTED: 0.8,
    Feature.COUNTRY: 0.5,
    Feature.SEED: 0.5,
    Feature.KNOWLEDGE: 2.0,
    Feature.ADDRESS: 3.0,
    Feature.DOMAIN: 0.8,
    Feature.SITE: 0.6,
    Feature.SERVER: 1.0,
    Feature.SERVER_JUDGED: 1.0,
    Feature.DIRECTORY: 0.8,
    Feature.SIBLINGS: 0.5,
}
_BESIDE_KNOWLEDGE = 0.6
"""What common sense is still worth where a knowledge base has measured the same things."""
_UNMEASURED = (Feature.KNOWLEDGE, Feature.HINT, Feature.ADDRESS)
"""What keeps its whole weight next to a knowledge base: itself, and what sites say of their pages' language."""
_DONE = 250_000
"""Fetched URLs that are remembered at least, by their hashes, so that links to them cost nothing; the frontier knows
them all, and takes a new link to an address of the same hash, which is one in 10¹³, for a poor one."""
_LESSONS = 8
_FEW = 12
"""So many rows are scored more quickly one by one."""
_SLICE = 8_192
"""So many rows are scored at once: what is computed of them on the way stays in the cache of the processor, and the
memory that it takes does not grow with the table."""
_TASTED, _FIRST = 10, 50.0
_SURPRISE = 0.5
"""How far a page must be from what was expected of it for its neighbours to be looked at again at once: on the other
side. Where nothing is expected, no page surprises."""
_SURE, _HASTE = 0.9, 25
"""A disappointment where so much was expected brings the next second look at all URLs nearer by so many pages: what
misled once misleads again, on other servers too."""
_NEARER = 0.5
"""What one link less since the last page in the language is worth below the floor."""
_FOREIGN = 0.5
"""What a server judged to be foreign loses below the floor: others of its kind come before it."""


def _starting_weights(knowing: bool) -> Floats:
    """What each feature is worth before the first lesson; less for common sense next to a knowledge base."""
    weights = np.array([STARTING_WEIGHTS[feature] for feature in Feature])
    if knowing:
        weights[[feature not in _UNMEASURED for feature in Feature]] *= _BESIDE_KNOWLEDGE
    return weights


class Hybrid:
    """The default strategy. `LATEST`: the evidence of all links to a URL is summed up here, so the last word stands."""

    name = "hybrid"
    rediscovery = Rediscovery.LATEST
    only_open_links = True

    def __init__(
        self, target: Target, settings: HybridSettings | None = None, knowledge: KnowledgeBase | None = None
    ) -> None:
        self.target = target
        self.settings = settings if settings is not None else HybridSettings()
        # Trace, nearness and rescue together stay below the floor.
        self._lowest = self.settings.floor - 2 - _NEARER * FARTHEST
        self._candidates = Candidates(Names(target.tlds, target.language), self.settings.memory)
        self._model = OnlineModel(
            _starting_weights(knowledge is not None), self.settings.step, self.settings.piece_step
        )
        self._history = History()
        self._evidence = Evidence(target, self._candidates, self._history, knowledge)
        self._done = LastSeen[int](_DONE)
        self._lessons: list[Example] = []
        self._since = 0
        self._unread = 0
        """Pages whose links to known URLs are noted down and not taken in."""
        self._surprises: list[Spot] = []
        """Where the pages stood that were not what was expected of them, since the last look around."""
        self._least = -math.inf
        """The priority from which on a URL was among the first at the last second look."""
        self._queue: list[Change] = []

    def start(self, seeds: Sequence[Seed]) -> Offers:
        rows = self._evidence.of_seeds(seeds)
        self._score(rows)
        priorities = np.array([self._candidates.given[row] for row in rows])
        # A few of a long list are fetched before all else, to learn what the list is worth; seeds that are all there
        # is only come before what is rather not in the language.
        tasted = priorities[:_TASTED]
        np.maximum(tasted, 0.0 if len(seeds) <= _TASTED else _FIRST, out=tasted)
        for seed, first in zip(seeds, tasted.tolist(), strict=False):
            self._candidates.given[self._candidates.row(seed.url)] = first
        return Offers(priorities)

    def page(self, page: JudgedPage) -> Offers:
        heir = bool(page.via) and self._inherit(page.url, page.via)
        origin = self._learn(page, heir=heir)
        for url in page.via:
            self._settle(url, page.judgement.wanted, dead=False)
        rows, fresh = self._see_links(page, origin)
        if fresh:
            self._score(fresh)
        self._since += 1
        self._unread += 1
        given, lowest = self._candidates.given, self._lowest
        return Offers(np.array([given[row] if row >= 0 else lowest for row in rows], dtype=np.float64))

    def lesson(self, url: str, note: bytes, wanted: bool) -> None:
        """A dead link is a page that is not wanted; one that was redirected is the page that it led to."""
        self._settle(url, wanted, dead=not wanted)
        # Dead links may come by the hundred, with no page between them: they bring the next second look nearer, too.
        self._since += 1

    def _settle(self, url: str, wanted: bool, *, dead: bool) -> None:
        """Learn from a link that is no page of its own."""
        table = self._candidates
        row = table.row(url)
        if row >= 0:
            features = table.cells[row * WIDTH : (row + 1) * WIDTH]
            self._lessons.append(Example(features, table.pieces[row * PIECES : (row + 1) * PIECES], wanted))
            if len(self._lessons) >= _LESSONS:
                self._study()
            self._history.learn(table, row, wanted, dead=dead)
            table.pop(url)
        self._done.add(hash(url))

    def failed(self, url: str, note: bytes) -> None:
        self._candidates.pop(url)
        self._done.add(hash(url))

    def explain(self, url: str) -> Sequence[Reason]:
        row = self._candidates.row(url)
        return reasons(self._candidates, self._model, row) if row >= 0 else ()

    def changes(self) -> Sequence[Change]:
        if self._since >= self._pause():
            self._look_again()
        elif (news := self._unread >= self.settings.batch) or self._surprises:
            self._look_around(news=news)
        changes, self._queue = self._queue, []
        return changes

    # -- links of other workers -------------------------------------------------------------------------------------

    def evidence(self, url: str) -> bytes:
        row = self._candidates.row(url)
        return passing.pack(self._candidates, row) if row >= 0 else b""

    def adopt(self, links: Sequence[tuple[str, float, bytes]]) -> Sequence[float]:
        table, done = self._candidates, self._done
        known = [url for url, _, evidence in links if len(evidence) == passing.SIZE and hash(url) not in done]
        if table.is_full(len(known)):
            self._look_around(news=True)
        table.reserve(known)
        wanted, rows = set(known), list[int]()
        for url, priority, evidence in links:
            if url in wanted:
                row = table.add(url)
                passing.merge(table, row, evidence)
                table.given[row] = priority
                rows.append(row)
        if rows:
            at = np.array(rows)
            # Where seeds come among each other was decided by the worker that has the whole list.
            told = table.at("cells", at)[:, Feature.SEED] > 0
            table.view("given")[at] = np.where(told, table.at("given", at), self._score_some(at))
        return [table.given[table.row(url)] if url in wanted else priority for url, priority, _ in links]

    # -- learning ---------------------------------------------------------------------------------------------------

    def _inherit(self, url: str, via: Sequence[str]) -> bool:
        """Give a page that nobody linked to, only redirected, what is known of the link that led to it."""
        table = self._candidates
        found = next((row for lead in via if (row := table.row(lead)) >= 0), -1)
        if found < 0 or table.row(url) >= 0:
            return False
        evidence, given = table.cells[found * WIDTH : (found + 1) * WIDTH], table.given[found]
        table.reserve([url, *via])
        row = table.add(url)
        evidence[Feature.ADDRESS] = table.cells[row * WIDTH + Feature.ADDRESS]
        table.cells[row * WIDTH : (row + 1) * WIDTH], table.given[row] = evidence, given
        self._history.refresh(table, np.array([row]))
        return True

    def _learn(self, page: JudgedPage, *, heir: bool = False) -> Origin:
        """One lesson; of an heir only where it stands is learned, the rest is the lesson of the link that led to it.
        Gives what the links of the page inherit."""
        wanted, table = page.judgement.wanted, self._candidates
        self._done.add(hash(page.url))
        row = table.row(page.url)
        if row < 0:
            return Origin(1.0, math.log(2)) if wanted else Origin(FARTHEST, 0.0)
        # The features as they were when the URL was last scored: nothing of this page is in them.
        features = table.cells[row * WIDTH : (row + 1) * WIDTH]
        if not heir:
            self._lessons.append(Example(features, table.pieces[row * PIECES : (row + 1) * PIECES], wanted))
        if len(self._lessons) >= _LESSONS:
            self._study()
        self._history.learn(table, row, wanted)
        expected = chance(table.given[row])
        if abs(wanted - expected) > _SURPRISE:
            self._surprises.append(table.spot(row))
        if expected > _SURE and not wanted:
            self._since += _HASTE
        if page.country and page.country in self.target.countries:
            self._history.at_home(table.host[row])
        table.pop(page.url)
        if wanted:
            return Origin(1.0, math.log(math.exp(features[Feature.PATH]) + 1))
        return Origin(min(FARTHEST, features[Feature.DISTANCE] + 1), 0.0)

    def _study(self) -> None:
        if self._lessons:
            self._model.learn(self._lessons)
            self._lessons.clear()

    # -- scoring ----------------------------------------------------------------------------------------------------

    def _see_links(self, page: JudgedPage, origin: Origin) -> tuple[list[int], list[int]]:
        """The row of each link, −1 for what was fetched; and those that are new."""
        urls = page.links.urls
        if self._candidates.is_full(len(urls)):
            self._look_around(news=True)
        done, before = self._done.young, self._done.old
        keys = map(hash, urls)
        waiting = [i for i, key in enumerate(keys) if key not in done and key not in before]
        rows, fresh = self._evidence.of_links(page, waiting, origin)
        if len(waiting) < len(urls):
            known = iter(rows)
            waits = set(waiting)
            rows = [next(known) if i in waits else -1 for i in range(len(urls))]
        return rows, fresh

    def _take_in(self) -> NDArray[np.int64]:
        """Take in what the last pages said of known URLs: the rows of those that still wait."""
        self._unread = 0
        rows = self._evidence.take_in()
        waits: NDArray[np.bool_] = self._candidates.at("host", rows) != NOWHERE
        return rows[waits]

    def _score(self, rows: list[int]) -> None:
        """Give new rows the priority that their features ask for."""
        table = self._candidates
        if len(rows) > _FEW:
            at = np.array(rows)
            table.view("given")[at] = self._score_some(at)
            return
        self._evidence.add_history(rows)
        odds = self._model.score(*table.few(rows))
        floor, grain, lowest = self.settings.floor, self.settings.grain, self._lowest
        for row, likely in zip(rows, odds.tolist(), strict=True):
            if likely > floor:
                priority = round(likely / grain) * grain
            else:
                # Below the floor a few things still order, in coarse steps: words of the language are a trace, be they
                # few and on the pages around or the anchor itself, pages near to the language lead back to it, the
                # domains of the language are a rescue unless their record is bad, foreign servers come last, and what
                # is dead leads nowhere: the less likely a link leads to a page at all, the later it comes. That many
                # links are dead says nothing of seeds: somebody named them.
                cells = table.cells[row * WIDTH : (row + 1) * WIDTH]
                rescue = table.national[row] and cells[Feature.DOMAIN] > 0
                near = _NEARER * (FARTHEST - cells[Feature.DISTANCE])
                trace = max(cells[Feature.PARENT_SIMILARITY], cells[Feature.ANCHOR_YES], cells[Feature.HINT])
                foreign = _FOREIGN * (cells[Feature.SERVER_JUDGED] < 0)
                alive = 0.0 if cells[Feature.SEED] else self._history.life(table.host[row])
                priority = lowest + trace + near + rescue - foreign + alive
            table.given[row] = priority

    def _score_all(self) -> Floats:
        """The priorities that all rows should have."""
        starts = range(0, len(self._candidates.urls) or 1, _SLICE)
        return np.concatenate([self._score_some(slice(start, start + _SLICE)) for start in starts])

    def _score_some(self, rows: Rows) -> Floats:
        """The priorities that some rows should have, their history brought up to date."""
        table, (floor, grain) = self._candidates, (self.settings.floor, self.settings.grain)
        self._history.refresh(table, rows)
        cells = table.at("cells", rows)
        odds = self._model.score(cells, table.at("pieces", rows))
        rescue = table.at("national", rows).astype(bool) & (cells[:, Feature.DOMAIN] > 0)
        near = _NEARER * (FARTHEST - cells[:, Feature.DISTANCE])
        trace = np.maximum(cells[:, Feature.PARENT_SIMILARITY], cells[:, Feature.ANCHOR_YES])
        np.maximum(trace, cells[:, Feature.HINT], out=trace)
        hope = self._lowest + trace + near + rescue - _FOREIGN * (cells[:, Feature.SERVER_JUDGED] < 0)
        hope += np.where(cells[:, Feature.SEED] > 0, 0.0, self._history.lives(table.at("host", rows)))
        return np.where(odds > floor, np.rint(odds / grain) * grain, hope)

    def _look_again(self) -> None:
        """Score all rows again; tell the new priorities of those that lead the queue, or led it wrongly."""
        self._since = 0
        self._surprises.clear()
        self._take_in()
        self._candidates.sweep()
        if not len(self._candidates):
            return
        self._study()
        now = self._score_all()
        lead = 4 * self._pause()
        self._least = float(np.partition(now, -lead)[-lead]) if len(now) > lead else -math.inf
        self._tell(now, slice(None))

    def _look_around(self, *, news: bool) -> None:
        """Score again what surprises say most about: the other URLs of their servers, and of the pages that they stood
        on; with `news` also what the last pages spoke of."""
        some = [self._candidates.near(spot) for spot in self._surprises]
        self._surprises.clear()
        if news:
            some.append(self._take_in())
        rows = np.unique(np.concatenate(some))
        if len(rows):
            self._tell(self._score_some(rows), rows)

    def _tell(self, now: Floats, rows: Rows) -> None:
        """Tell the frontier the new priorities of rows, where they matter.

        What is not told keeps its old priority in the frontier, so it keeps it here as well.
        """
        before, urls = self._candidates.view("given"), self._candidates.urls
        old = before[rows]
        tell = np.flatnonzero((now != old) & ((now >= self._least) | (old >= self._least)))
        told = tell if isinstance(rows, slice) else rows[tell]
        before[told] = now[tell]
        self._queue += map(Change, map(urls.__getitem__, told.tolist()), now[tell].tolist())

    def _pause(self) -> int:
        """Pages between two second looks: more of them when there is more to look at."""
        return max(self.settings.every, len(self._candidates) // 500)

    # -- state ------------------------------------------------------------------------------------------------------

    def save(self) -> bytes:
        history = self._history
        base = np.array([history.hits, history.pages, history.answered, history.asked])
        return save_state(self._model, self._records(), base=base)

    def load(self, state: bytes) -> None:
        (base,) = load_state(self.name, state, self._model, self._records(), "base", added=("answers",))
        self._history.hits, self._history.pages, *answers = base.tolist()
        if answers:  # states of before have none
            self._history.answered, self._history.asked = answers

    def sums(self) -> dict[str, Table]:
        return sums(self._model, self._records())

    def _records(self) -> dict[str, Shares]:
        history = self._history
        return {
            "tlds": history.tlds,
            "sites": history.sites,
            "hosts": history.hosts,
            "segments": history.segments,
            "answers": history.answers,
        }
