"""What was found where: how much better a URL's domain, site, server and directory did than the crawl at large.

Each place is measured against the wider one around it (server against site, site against domain, …), in log odds, so
that a place of which little is known says nothing and a known one speaks for itself.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from phasa.crawl.strategies.hybrid.candidates import SOURCES, Candidates, Feature, Rows
from phasa.crawl.strategies.online.memory import Ids, Shares, log_odds, log_odds_of
from phasa.crawl.strategy import Floats

_PAGE_BITS = 17
_BENEFIT = 4.0
"""Servers that are taken to have answered before the first was asked."""
_RARELY = 1e-3
_STEP = 0.5
"""Steps of the likelihood that a link leads to a page: within one the order is that of discovery."""


class HostOdds(NamedTuple):
    """What the history of a server and of what is around it says."""

    domain: float
    site: float
    server: float
    judged: float
    """1 for a server judged to be in the language, −1 for one judged foreign, 0 while undecided (LSWC's S = 3)."""
    share: float
    """Share of pages in the language to be expected on the server."""
    at_home: bool
    """The server is known to stand in a country of the language."""


class Now(NamedTuple):
    """The share of pages in the language in the crawl at large, and its log odds."""

    base: float
    odds: float


class History:
    """The history of a crawl. Scalar and vector forms of the same figures: a page has few links, a table many rows."""

    def __init__(self) -> None:
        self.tlds = Shares(12, 0.999, 4.0)
        self.sites = Shares(18, 0.995, 3.0)
        self.hosts = Shares(18, 0.99, 2.0)
        self.segments = Shares(19, 0.98, 2.0)
        self.children = Shares(_PAGE_BITS, 1.0, 2.0)
        self.answers = Shares(18, 0.99, 2.0)
        """Which links to a server led to a page, whatever its language."""
        self.answered, self.asked = _BENEFIT, _BENEFIT
        """The same of the crawl at large, where the first links to a server count most."""
        self.hits, self.pages = 0.0, 0.0
        self.page = 0
        """Number of the page whose links are being looked at."""
        self._home = array("b", bytes(self.hosts.mask + 1))

    @property
    def base(self) -> float:
        """The share of pages in the language in the crawl at large."""
        return (self.hits + 1.0) / (self.pages + 10.0)

    def next_page(self) -> int:
        """The number of another page, under which the fate of its links is counted."""
        self.page = (self.page + 1) & self.children.mask or 1
        self.children.clear(self.page)
        return self.page

    def at_home(self, host: int) -> None:
        """Hear that a server stands in a country of the language."""
        self._home[host & self.hosts.mask] = 1

    def learn(self, table: Candidates, row: int, wanted: bool, *, dead: bool = False) -> None:
        """Count a page that was judged, or a dead link, where it stood."""
        host = table.host[row]
        part = 1.0 / (1.0 + self.answers.count(host))
        self.answered = self.answered * (1 - 0.005 * part) + (not dead) * part
        self.asked = self.asked * (1 - 0.005 * part) + part
        self.answers.add(host, not dead)
        # A thousand pages of one server say little about another server of the same domain: the more pages of a
        # server were seen, the less the next one counts for the wider places.
        share = 1.0 / (1.0 + self.hosts.count(host))
        self.segments.add(table.segment[row], wanted)
        self.hosts.add(host, wanted)
        self.sites.add(table.site[row], wanted, share)
        self.tlds.add(table.tld[row], wanted, share)
        self.hits = self.hits * (1 - 0.001 * share) + wanted * share
        self.pages = self.pages * (1 - 0.001 * share) + share
        for place in range(row * SOURCES, row * SOURCES + min(SOURCES, table.source_count[row])):
            self.children.add(table.sources[place], wanted)

    def life(self, host: int) -> float:
        """How likely a link to a server leads to a page: the logarithm, in coarse steps; 0 where most do."""
        likely = self.answers.share(host, self.answered / self.asked)
        return round(math.log(max(likely, _RARELY)) / _STEP) * _STEP

    def lives(self, hosts: Ids) -> Floats:
        """`life` of many servers."""
        likely = self.answers.shares(hosts, self.answered / self.asked)
        return np.asarray(np.rint(np.log(np.maximum(likely, _RARELY)) / _STEP) * _STEP)

    def now(self) -> Now:
        """The share of pages in the language in the crawl at large."""
        base = self.base
        return Now(base, log_odds(base))

    def host_odds(self, table: Candidates, row: int, now: Now) -> HostOdds:
        """The figures of one row's server."""
        base, base_odds = now
        expected = max(0.6, base) if table.national[row] else base * 0.8
        # `share` of the domain and of the site, without two calls for every server of every page.
        tlds, sites, hosts = self.tlds, self.sites, self.hosts
        slot = table.tld[row] & tlds.mask
        tld = (tlds.hits[slot] + tlds.weight * expected) / (tlds.pages[slot] + tlds.weight)
        slot = table.site[row] & sites.mask
        site = (sites.hits[slot] + sites.weight * tld) / (sites.pages[slot] + sites.weight)
        slot = table.host[row] & hosts.mask
        hits, pages = hosts.hits[slot], hosts.pages[slot]
        tld_odds, site_odds = log_odds(tld), log_odds(site)
        server, judged, better = site, 0.0, 0.0
        if pages:
            server = (hits + hosts.weight * site) / (pages + hosts.weight)
            better = log_odds(server) - site_odds
            if pages >= 3:
                judged = 1.0 if hits >= 0.95 * pages else -1.0 if hits <= 0.05 * pages else 0.0
        return HostOdds(tld_odds - base_odds, site_odds - tld_odds, better, judged, server, self._home[slot] > 0)

    def directory_odds(self, segment: int, share: float, share_odds: float) -> float:
        """How much better a directory did than its server, of which `share` is expected; `share_odds` are its odds."""
        segments = self.segments
        slot = segment & segments.mask
        pages = segments.pages[slot]
        if not pages:
            return 0.0
        weight = segments.weight
        return log_odds((segments.hits[slot] + weight * share) / (pages + weight)) - share_odds

    def sibling_odds_now(self, table: Candidates, now: Now) -> Callable[[int], float]:
        """For a row: how well the other links did that stand on the same pages, the best of them."""
        children = self.children
        hits, pages, mask, weight = children.hits, children.pages, children.mask, children.weight
        base, base_odds = now
        expected, sources = weight * base, table.sources
        known: dict[int, float] = {}

        def share(source: int) -> float:
            slot = source & mask
            found = known[source] = (hits[slot] + expected) / (pages[slot] + weight)
            return found

        def odds(row: int) -> float:
            place = row * SOURCES
            best = 0.0
            for source in sources[place : place + SOURCES]:
                value = known.get(source)
                if value is None:
                    value = share(source)
                if value > best:
                    best = value
            return log_odds(best) - base_odds

        return odds

    def refresh(self, table: Candidates, rows: Rows) -> None:
        """Put the figures of now into the cells COUNTRY and DOMAIN to SIBLINGS of some rows."""
        base = self.base
        national = table.at("national", rows).astype(bool)
        shares = np.empty((5, len(national)))
        shares[0] = self.tlds.shares(table.at("tld", rows), np.where(national, max(0.6, base), base * 0.8))
        shares[1] = self.sites.shares(table.at("site", rows), shares[0])
        slots = table.at("host", rows) & self.hosts.mask
        hits, pages = (view.take(slots).astype(np.float64) for view in (self.hosts.hits_view, self.hosts.pages_view))
        shares[2] = (hits + self.hosts.weight * shares[1]) / (pages + self.hosts.weight)
        shares[3] = self.segments.shares(table.at("segment", rows), shares[2])
        siblings = self.children.shares(table.at("sources", rows), base)
        shares[4] = siblings[:, 0]
        for source in range(1, SOURCES):  # column by column: rows of three are too short for a maximum along them
            np.maximum(shares[4], siblings[:, source], out=shares[4])
        odds = log_odds_of(shares)
        base_odds = log_odds(base)
        figures = np.empty((6, len(national)))
        figures[0] = odds[0] - base_odds
        figures[1:3] = odds[1:3] - odds[0:2]
        figures[3] = (pages >= 3) * ((hits >= 0.95 * pages) * 1.0 - (hits <= 0.05 * pages))
        figures[4] = odds[3] - odds[2]
        figures[5] = (odds[4] - base_odds) * (table.at("source_count", rows) > 0)
        cells = table.view("cells")
        cells[rows, Feature.DOMAIN :] = figures.T
        cells[rows, Feature.COUNTRY] = np.frombuffer(self._home, dtype=np.int8).take(slots)
