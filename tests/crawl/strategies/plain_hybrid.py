"""hybrid written down plainly: a value per URL, dictionaries for what was found where, a loop for every sum.

Slow, and the oracle of the fast form, which keeps columns, fills them cell by cell and scores all rows at once.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field, replace

from phasa.crawl.strategies.hybrid.candidates import Feature
from phasa.crawl.strategies.hybrid.strategy import STARTING_WEIGHTS
from phasa.crawl.strategies.online.names import Names
from phasa.crawl.strategy import JudgedPage, Seed
from phasa.crawl.target import Target
from phasa.strategy_settings import HybridSettings
from phasa.web.url import authority


@dataclass(frozen=True)
class Known:
    """All that the links to a URL said."""

    wanted_parent: bool = False
    similarity: float = 0.0
    anchor_yes: bool = False
    anchor_no: bool = False
    hint: float = 0.0
    voices: int = 0
    wanted_voices: int = 0
    distance: float = 4.0
    path: float = 0.0
    inside: bool = False
    inside_wanted: bool = False
    seed: bool = False


@dataclass
class Waiting:
    known: Known = Known()
    last_source: str = ""
    sources: list[int] = field(default_factory=list)
    features: list[float] = field(default_factory=list)
    given: float = 0.0


class Share:
    """Hits and pages per key."""

    def __init__(self, fade: float, weight: float) -> None:
        self.fade, self.weight = fade, weight
        self.hits: dict[object, float] = defaultdict(float)
        self.pages: dict[object, float] = defaultdict(float)

    def add(self, key: object, hit: bool, weight: float = 1.0) -> None:
        fade = 1 - (1 - self.fade) * weight
        self.hits[key] = self.hits[key] * fade + hit * weight
        self.pages[key] = self.pages[key] * fade + weight

    def share(self, key: object, expected: float) -> float:
        return (self.hits[key] + self.weight * expected) / (self.pages[key] + self.weight)


def odds(share: float) -> float:
    share = min(max(share, 1e-4), 1 - 1e-4)
    return math.log(share / (1 - share))


class PlainHybrid:
    def __init__(self, target: Target, settings: HybridSettings) -> None:
        self.target, self.settings = target, settings
        self.names = Names(target.tlds, target.language)
        self.weights = [STARTING_WEIGHTS[feature] for feature in Feature]
        self.squares = [1.0] * len(Feature)
        self.piece_weights: dict[int, float] = defaultdict(float)
        self.piece_squares: dict[int, float] = defaultdict(lambda: 1.0)
        self.tlds, self.sites, self.hosts = Share(0.999, 4), Share(0.995, 3), Share(0.99, 2)
        self.segments, self.children = Share(0.98, 2), Share(1.0, 2)
        self.hits = self.pages = 0.0
        self.at_home: set[int] = set()
        self.waiting: dict[str, Waiting] = {}
        self.done: set[str] = set()
        self.lessons: list[tuple[list[float], list[int], bool]] = []
        self.number = 0
        self.surprise: tuple[str, list[int]] | None = None

    def start(self, seeds: list[Seed]) -> list[float]:
        for seed in seeds:
            known = Known(seed=True, distance=2.0, similarity=_grade(seed.parent), path=seed.distance,
                          anchor_yes=seed.anchor >= self.target.threshold)  # fmt: skip
            self.waiting[seed.url] = Waiting(known)
            self.score(seed.url)
        for seed in seeds[:10]:
            self.waiting[seed.url].given = max(50.0 if len(seeds) > 10 else 0.0, self.waiting[seed.url].given)
        return [self.waiting[seed.url].given for seed in seeds]

    def page(self, page: JudgedPage) -> list[float]:
        wanted = page.judgement.wanted
        distance, path = self.learn(page)
        self.number += 1
        for link, url in enumerate(page.links.urls):
            if url in self.done:
                continue
            row = self.waiting.setdefault(url, Waiting())
            row.sources = [*row.sources, self.number]
            before = row.known
            known = replace(
                before,
                wanted_parent=before.wanted_parent or wanted,
                similarity=max(before.similarity, _grade(page.judgement.score)),
                distance=min(before.distance, distance),
                path=max(before.path, path) if wanted else before.path,
            )
            inside = authority(url) == authority(page.url)
            known = replace(
                known, inside=known.inside or inside, inside_wanted=known.inside_wanted or (inside and wanted)
            )
            if row.last_source != authority(page.url):
                row.last_source = authority(page.url)
                known = replace(known, voices=known.voices + 1, wanted_voices=known.wanted_voices + wanted)
            row.known = self.with_texts(known, page, link)
        for url in page.links.urls:
            if url in self.waiting:
                self.score(url)
        lowest = self.settings.floor - 4
        offers = [lowest if url in self.done else self.waiting[url].given for url in page.links.urls]
        if self.surprise is not None:
            self.look_around(*self.surprise)
        return offers

    def look_around(self, host: str, sources: list[int]) -> None:
        for url, row in self.waiting.items():
            if authority(url) == host or set(_kept(row.sources)) & set(sources):
                self.score(url)

    def with_texts(self, known: Known, page: JudgedPage, link: int) -> Known:
        anchor = page.links.anchors[link]
        likely = self.target.similarity(anchor) >= self.target.threshold if anchor else False
        known = replace(known, anchor_yes=known.anchor_yes or likely)
        known = replace(known, anchor_no=bool(anchor) and not known.anchor_yes)
        hint = page.links.hints[link] if page.links.hints else ""
        return replace(known, hint=1.0 if hint == self.target.language else -1.0) if hint else known

    def learn(self, page: JudgedPage) -> tuple[float, float]:
        wanted = page.judgement.wanted
        self.done.add(page.url)
        self.surprise = None
        row = self.waiting.pop(page.url, None)
        if row is None:
            return (1.0, math.log(2)) if wanted else (4.0, 0.0)
        if abs(wanted - 1 / (1 + math.exp(-min(30, row.given)))) > 0.5:
            self.surprise = authority(page.url), _kept(row.sources)
        address = self.names.address(page.url)
        self.lessons.append((row.features, [*address.host.pieces, *address.pieces], wanted))
        if len(self.lessons) == 8:
            self.study()
        share = 1 / (1 + self.hosts.pages[address.host.host])
        self.segments.add(address.segment, wanted)
        self.hosts.add(address.host.host, wanted)
        self.sites.add(address.host.site, wanted, share)
        self.tlds.add(address.host.tld, wanted, share)
        self.hits = self.hits * (1 - 0.001 * share) + wanted * share
        self.pages = self.pages * (1 - 0.001 * share) + share
        for source in _kept(row.sources):
            self.children.add(source, wanted)
        if page.country in self.target.countries:
            self.at_home.add(address.host.host)
        if wanted:
            return 1.0, math.log(math.exp(row.known.path) + 1)
        return min(4.0, row.known.distance + 1), 0.0

    def study(self) -> None:
        errors = []
        for features, pieces, wanted in self.lessons:
            score = min(max(self.log_odds(features, pieces), -30), 30)
            errors.append(1 / (1 + math.exp(-score)) - wanted)
        for i in range(len(Feature)):
            gradients = [error * lesson[0][i] for error, lesson in zip(errors, self.lessons, strict=True)]
            self.squares[i] = self.squares[i] * 0.9995 ** len(errors) + sum(g * g for g in gradients)
            self.weights[i] -= self.settings.step * sum(gradients) / math.sqrt(self.squares[i])
        used = [(piece, error) for error, lesson in zip(errors, self.lessons, strict=True) for piece in lesson[1]]
        for piece, error in used:
            self.piece_squares[piece] += error * error
        for piece, error in used:
            self.piece_weights[piece] -= self.settings.piece_step * error / math.sqrt(self.piece_squares[piece])
        self.piece_weights[0] = 0.0
        self.lessons.clear()

    def log_odds(self, features: list[float], pieces: list[int]) -> float:
        return sum(w * f for w, f in zip(self.weights, features, strict=True)) + sum(
            self.piece_weights[piece] for piece in pieces
        )

    def score(self, url: str) -> None:
        self.waiting[url].given = self.priority(url)

    def priority(self, url: str) -> float:
        row, address = self.waiting[url], self.names.address(url)
        known = row.known
        base = (self.hits + 1) / (self.pages + 10)
        tld = self.tlds.share(address.host.tld, max(0.6, base) if address.host.national else base * 0.8)
        site = self.sites.share(address.host.site, tld)
        server = self.hosts.share(address.host.host, site)
        segment = self.segments.share(address.segment, server)
        sources = [*_kept(row.sources), *[None] * (3 - len(row.sources))]
        sisters = max(self.children.share(source, base) for source in sources)
        pages, hits = self.hosts.pages[address.host.host], self.hosts.hits[address.host.host]
        judged = 0.0 if pages < 3 else 1.0 if hits >= 0.95 * pages else -1.0 if hits <= 0.05 * pages else 0.0
        row.features = [1.0, known.wanted_parent, known.similarity, known.anchor_yes, known.anchor_no, known.hint,
                        math.log1p(known.wanted_voices), known.wanted_voices / max(1, known.voices), known.distance,
                        math.log1p(known.voices), known.path, known.inside, known.inside_wanted,
                        address.host.host in self.at_home, known.seed, 0.0, address.told, odds(tld) - odds(base),
                        odds(site) - odds(tld),
                        odds(server) - odds(site), judged, odds(segment) - odds(server),
                        odds(sisters) - odds(base) if row.sources else 0.0]  # fmt: skip
        chance = self.log_odds(row.features, [*address.host.pieces, *address.pieces])
        floor, grain = self.settings.floor, self.settings.grain
        if chance > floor:
            return round(chance / grain) * grain
        near = 0.5 * (4 - known.distance)
        trace = max(known.similarity, known.anchor_yes, known.hint)
        rescue = address.host.national and row.features[Feature.DOMAIN] > 0
        return floor - 4 + near + trace + rescue - 0.5 * (judged < 0)


def _kept(sources: list[int]) -> list[int]:
    """The fast form keeps three, the newest in place of the oldest."""
    return sources[-3:]


def _grade(similarity: float) -> float:
    return math.log1p(similarity * 1000) / math.log1p(1000)
