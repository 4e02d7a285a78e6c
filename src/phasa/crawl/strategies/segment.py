"""Segment by segment: TFLSWC (`segment`) and the same without its predictor (`best-segment`); §4.9–4.11.

The frontier keeps addresses, not segments. A whole segment becomes one unit by its priorities:

OPEN   addresses of a segment that is being crawled: nothing else is fetched before them
score  addresses of a segment that waits: score(y) of Eq. 8, all alike, first found first
HELD   addresses found in a segment that is not finished: its features are not known before it is

When the last waiting address of a segment is gone, or rule S ends it, the segment is finished: its destinations are
scored, rule D is applied, and the changed priorities go to the frontier. With one request at a time this is exactly
the loop of §4.10; with many, several segments are open side by side, one per host.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from phasa.crawl.segments.edges import Edge, nobody
from phasa.crawl.segments.features import Chance, Citation
from phasa.crawl.segments.identifier import Gathering, gather, key_by
from phasa.crawl.segments.segment import Phase, Segment
from phasa.crawl.strategy import DROP, Change, JudgedPage, Offers, Rediscovery, Seed
from phasa.errors import InputError
from phasa.strategy_settings import SegmentSettings
from phasa.web.url import authority

OPEN, HELD = 2.0, -1.0
RULE_S = "rule S: too many irrelevant pages in a row in its segment"
FILTERED = "its segment is not probable enough"
RULE_D = "rule D: its segment is recommended through irrelevant segments only"


Predict = Callable[[str, float, str, Citation, Callable[[str], str]], Chance]
"""(source, its relevance degree, destination, what is said of it, host → country) → P_L, P_W and their mean P_E."""
_CERTAIN = Chance(1.0, 1.0)


def certain(source: str, degree: float, destination: str, cited: Citation, locate: Callable[[str], str]) -> Chance:
    """P_E = 1: what makes best-segment of segment (§4.11)."""
    return _CERTAIN


class _State(msgspec.Struct):
    """What is kept between two runs."""

    segments: dict[str, Segment]
    said: dict[str, dict[str, tuple[list[str], list[str]]]]
    countries: dict[str, str]


class SegmentStrategy:
    """Crawls the segment with the best score, page by page, then looks where it leads.

    `was_seen` names addresses that must not be crawled, such as those a model was trained on. `tell` hears of every
    segment link that is scored; `locate` gives the country of a host that nothing was fetched from, '' when it is not
    known (yet).
    """

    rediscovery = Rediscovery.FIRST

    def __init__(
        self,
        name: str,
        predict: Predict,
        settings: SegmentSettings | None = None,
        was_seen: Callable[[str], bool] = lambda url: False,
        tell: Callable[[Edge], None] = nobody,
        locate: Callable[[str], str] = lambda host: "",
    ) -> None:
        self.name = name
        self._tell = tell
        self._elsewhere = locate
        self.settings = settings if settings is not None else SegmentSettings()
        self.segments: dict[str, Segment] = {}
        self._predict = predict
        self._key_of = key_by(self.settings.directories)
        self._was_seen = was_seen
        self._waits: Callable[[str], bool] = lambda url: True
        self._said: dict[str, dict[str, Gathering]] = {}
        self._countries: dict[str, str] = {}
        self._open: dict[str, None] = {}
        self._queue: list[Change] = []

    # ── the protocol ─────────────────────────────────────────────────────────────────────────────

    def ask_with(self, waits: Callable[[str], bool]) -> None:
        """The loop tells how to ask whether an address still waits or is being fetched."""
        self._waits = waits

    def start(self, seeds: Sequence[Seed]) -> Offers:
        priorities = np.full(len(seeds), DROP)
        for place, seed in enumerate(seeds):
            key = self._key_of(seed.url)
            if not key:
                continue
            segment = self._segment(key)
            if not segment.closed:
                segment.seed, segment.in_run = True, 0
                segment.pending[seed.url] = None
                segment.phase = Phase.QUEUED if segment.phase is Phase.NEW else segment.phase
                priorities[place] = segment.score
        return Offers(priorities)

    def page(self, page: JudgedPage) -> Offers:
        key = self._key_of(page.url)
        segment = self._segment(key)
        if page.country:
            self._countries[authority(page.url)] = page.country
        self._enter(segment)
        segment.pending.pop(page.url, None)
        segment.add_page(page.judgement.wanted, page.judgement.score)
        if segment.closed:  # it came late, or by a redirect: it counts, but opens nothing again
            return Offers(np.full(len(page.links), DROP))
        over = segment.bad >= self.settings.patience
        offers = self._take_links(segment, page, self.settings.discover and not over)
        if over:
            self._abandon(segment)
        return offers

    def failed(self, url: str, note: bytes) -> None:
        segment = self.segments.get(self._key_of(url))
        if segment is not None:
            self._enter(segment)
            segment.pending.pop(url, None)

    def changes(self) -> Sequence[Change]:
        """Finish what is over, then say what that changed."""
        for key in list(self._open):
            segment = self.segments[key]
            while segment.pending and not self._waits(next(iter(segment.pending))):
                del segment.pending[next(iter(segment.pending))]
            if not segment.pending:
                self._finish(segment, Phase.DONE)
        changes, self._queue = self._queue, []
        return changes

    def save(self) -> bytes:
        said = {
            key: {to: (list(one.urls), one.texts) for to, one in found.items()} for key, found in self._said.items()
        }
        return msgspec.msgpack.encode(_State(self.segments, said, self._countries))

    def load(self, state: bytes) -> None:
        try:
            read = msgspec.msgpack.decode(state, type=_State)
        except msgspec.MsgspecError as problem:
            raise InputError(f"strategy {self.name}: its saved state cannot be read: {problem}") from None
        self.segments, self._countries = read.segments, read.countries
        self._said = {}
        for key, found in read.said.items():
            self._said[key] = {}
            for to, (urls, texts) in found.items():
                one = self._said[key][to] = Gathering()
                one.urls, one.texts = dict.fromkeys(urls), texts
        self._open = {key: None for key, segment in self.segments.items() if segment.phase is Phase.CRAWLING}

    # ── segments ─────────────────────────────────────────────────────────────────────────────────

    def _segment(self, key: str) -> Segment:
        segment = self.segments.get(key)
        if segment is None:
            segment = self.segments[key] = Segment(key)
        return segment

    def _enter(self, segment: Segment) -> None:
        """Its first page came: from now on its addresses go before all others."""
        if segment.closed or segment.phase is Phase.CRAWLING:
            return
        again = segment.why if segment.phase is Phase.DISCARDED else ""
        segment.phase = Phase.CRAWLING
        self._open[segment.key] = None
        self._queue += [Change(url, OPEN, again) for url in segment.pending]

    def _take_links(self, segment: Segment, page: JudgedPage, inside: bool) -> Offers:
        """Links inside wait behind the rest of the segment; those that lead out are held until it is finished."""
        said = self._said.setdefault(segment.key, {})
        keys = gather(said, segment.key, page.links, self._key_of, self.settings.surroundings)
        most, seen = self.settings.pages_per_segment, self._was_seen
        priorities = np.full(len(page.links), DROP)
        for place, (url, key) in enumerate(zip(page.links.urls, keys, strict=True)):
            if not key or seen(url):
                continue
            self._locate(authority(key))  # who is asked for it has time until the segment is finished
            target = self._segment(key)
            if target.closed and self.settings.reopen and target.phase is Phase.DONE:
                target.phase = Phase.NEW
            if target.closed or url in target.pending or len(target.pending) >= most:
                continue
            if key != segment.key or inside:
                priorities[place] = self._priority_of(target)
                if key == segment.key and self.settings.inside == "parent":
                    priorities[place] += page.judgement.score
                target.pending[url] = None
        return Offers(priorities)

    def _priority_of(self, segment: Segment) -> float:
        if segment.phase is Phase.CRAWLING:
            return OPEN
        return self._score(segment) if segment.phase is Phase.QUEUED else HELD

    def _score(self, segment: Segment) -> float:
        """score(y), 0..1. Over all sources n is the same for everybody: the sum orders, squeezed below 1 (A17)."""
        if segment.seed or self.settings.sources == "citing":
            return segment.score
        return segment.contributions / (1.0 + segment.contributions)

    def _abandon(self, segment: Segment) -> None:
        """Rule S."""
        self._queue += [Change(url, DROP, RULE_S) for url in segment.pending]
        segment.pending.clear()
        self._finish(segment, Phase.ABANDONED)

    def _finish(self, segment: Segment, phase: Phase) -> None:
        """The segment is a source now: score what it leads to (Eq. 8) and apply rule D."""
        self._open.pop(segment.key, None)
        segment.finish(phase, self.settings.threshold, self.settings.strict)
        said = self._said.pop(segment.key, {})
        if not segment.pages:
            return
        locate = self._locate
        value = segment.degree if self.settings.source_score == "degree" else segment.mean_score
        for key, gathering in said.items():
            # Not there yet when all its known addresses were trained on: its score counts for those found later.
            target = self._segment(key)
            if target.closed:
                continue
            cited = gathering.citation
            if self.settings.addresses == "known":
                cited = cited._replace(urls=list(dict.fromkeys([*cited.urls, *target.pending])))
            chance = self._predict(segment.key, segment.degree, key, cited, locate)
            least = chance.ensemble < self.settings.least_chance
            worth = 0.0 if least else value * chance.ensemble
            self._tell(Edge(segment.key, key, segment.degree, chance, worth))
            if least:
                if not target.sources and not target.seed:
                    self._discard(target, FILTERED)
                continue
            target.recommend(worth, segment.run, self.settings.several)
            self._rank(target)

    def _rank(self, segment: Segment) -> None:
        if segment.phase is Phase.CRAWLING:
            return
        if segment.in_run >= self.settings.distance:
            self._discard(segment, RULE_D)
            return
        revived = segment.why if segment.phase is Phase.DISCARDED else ""
        segment.phase = Phase.QUEUED
        self._queue += [Change(url, self._score(segment), revived) for url in segment.pending]

    def _discard(self, segment: Segment, why: str) -> None:
        segment.phase, segment.why = Phase.DISCARDED, why
        self._queue += [Change(url, DROP, why) for url in segment.pending]

    def _locate(self, host: str) -> str:
        return self._countries.get(host) or self._elsewhere(host)
