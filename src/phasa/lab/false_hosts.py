"""Hosts of a world that are not sites: parked domains, which hold nothing but adverts, and mirrors, which hold the
pages of a site a second time.

They come after the sites, and their addresses after the pages and extras of the world, so what the world is without
them stays as it is. Some links that led to a dead address lead to the parked domain of that site instead (its old name,
long sold); some links to a mirrored site lead to its mirror.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from phasa.lab.chance import key, unit
from phasa.lab.lies import Lies
from phasa.lab.links import Links, Role
from phasa.lab.sites import Pages, Sites

Ints = NDArray[np.int64]
PARKED_PAGES = 8
PARTNERS = 3
"""Other parked domains that a page of one leads to."""
LEAST_MIRRORED = 5
TO_MIRROR = 0.3
"""Links from other sites to a mirrored one that lead to the mirror."""
HOMEWARD = 0.1
"""Links within a mirror that lead back to the site."""


@dataclass(frozen=True)
class FalseHosts:
    """Parked domains first, then mirrors; host h has the number `sites + h` and the addresses from `first[h]` on."""

    likeness: Ints
    """The site that a host is named after: whose old name it is, or which it mirrors."""
    parked: int
    """How many of the hosts are parked domains."""
    first: Ints
    """Position of the first address of each host, and after the last the number of all."""
    host: Ints
    """The host of every address."""
    original: Ints
    """The page that an address of a mirror shows, -1 on parked domains."""

    def __len__(self) -> int:
        """Addresses."""
        return len(self.host)


NONE = FalseHosts(*(np.zeros(0, np.int64), 0, np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64)))


def plan_false_hosts(lies: Lies, seed: int, sites: Sites) -> FalseHosts:
    """Which sites have a parked domain, which a mirror."""
    if not (lies.parked or lies.mirrors):
        return NONE
    number = np.arange(len(sites))
    old = np.flatnonzero(unit(key(seed, "parked"), number) < lies.parked)
    large = sites.pages >= LEAST_MIRRORED
    twice = np.flatnonzero((unit(key(seed, "mirrored"), number) < lies.mirrors) & large)
    likeness = np.concatenate([old, twice])
    sizes = np.concatenate([np.full(len(old), PARKED_PAGES), sites.pages[twice]])
    first = np.concatenate([[0], np.cumsum(sizes)])
    host = np.repeat(np.arange(len(likeness)), sizes)
    local = np.arange(len(host)) - first[host]
    original = np.where(host < len(old), -1, sites.first[likeness[host]] + local)
    return FalseHosts(likeness, len(old), first, host, original)


def with_false_hosts(
    false: FalseHosts, seed: int, sites: Sites, pages: Pages, base: int, dead: Ints, dead_site: Ints, links: Links
) -> Links:
    """The links of the world and of its false hosts. `base`: the number of their first address; `dead`: the numbers of
    the addresses where there is nothing, on the sites `dead_site`."""
    if not len(false):
        return links
    targets = links.targets.copy()
    # A table over all addresses: where else a link to it may lead.
    instead = np.full(base, -1, np.int64)
    parked_of = np.full(len(sites), -1, np.int64)
    parked_of[false.likeness[: false.parked]] = np.arange(false.parked)
    named = parked_of[dead_site]
    instead[dead[named >= 0]] = base + named[named >= 0] * PARKED_PAGES
    mirrored = np.flatnonzero(false.original >= 0)
    instead[false.original[mirrored]] = base + mirrored
    goal = instead[targets]
    rows = np.flatnonzero(goal >= 0)
    source = np.searchsorted(links.offsets, rows, side="right") - 1
    led_to = targets[rows].astype(np.int64)
    is_page = led_to < len(pages)
    own = np.zeros(len(rows), bool)
    own[is_page] = (source[is_page] < len(pages)) & (
        pages.site[np.minimum(source[is_page], len(pages) - 1)] == pages.site[led_to[is_page]]
    )
    chance = unit(key(seed, "to mirror"), rows)
    moved = ~own & (~is_page | (chance < TO_MIRROR))
    targets[rows[moved]] = goal[rows[moved]]
    ours, more, roles = _own_links(false, seed, base, replace(links, targets=targets), instead)
    offsets = np.concatenate([links.offsets, links.offsets[-1] + np.cumsum(ours)])
    return Links(
        offsets,
        np.concatenate([targets, more]).astype(np.int32),
        np.concatenate([links.roles, roles]).astype(np.uint8),
        np.concatenate([links.flaws, np.zeros(len(more), np.uint8)]),
    )


def _own_links(
    false: FalseHosts, seed: int, base: int, links: Links, instead: Ints
) -> tuple[Ints, NDArray[np.int64], NDArray[np.uint8]]:
    """Links of every false address: how many, where to, and where on the page."""
    parked = false.parked * PARKED_PAGES
    # A parked page leads to the others of its host and to a few other parked domains.
    address = np.arange(parked)
    steps = np.arange(1, PARKED_PAGES)
    start = address - address % PARKED_PAGES
    siblings = start[:, None] + (address[:, None] - start[:, None] + steps) % PARKED_PAGES
    chance = unit(key(seed, "partners"), np.arange(parked * PARTNERS)).reshape(-1, PARTNERS)
    partners = (chance * false.parked).astype(np.int64) * PARKED_PAGES
    each = np.concatenate([siblings, partners], axis=1)
    # A page of a mirror has the links of the original; those within the site mostly lead within the mirror.
    original = false.original[parked:]
    sizes = links.offsets[original + 1] - links.offsets[original]
    begin = np.repeat(links.offsets[original] - (np.cumsum(sizes) - sizes), sizes)
    rows = begin + np.arange(sizes.sum())
    targets = links.targets[rows].astype(np.int64)
    mirrored = instead[np.minimum(targets, len(instead) - 1)]
    here = np.repeat(false.host[parked:], sizes)
    within = (targets < len(instead)) & (mirrored >= 0)
    within[within] = false.host[mirrored[within] - base] == here[within]
    within &= unit(key(seed, "homeward"), np.arange(len(rows))) >= HOMEWARD
    targets = np.where(within, mirrored, targets)
    # The home page of a mirror names the site, so that whoever finds the mirror can find the site.
    home = np.flatnonzero(np.diff(np.concatenate([[-1], false.host[parked:]])))
    end = np.cumsum(sizes)[home]
    targets = np.insert(targets, end, original[home])
    roles = np.insert(links.roles[rows], end, int(Role.FOOTER))
    sizes[home] += 1
    return (
        np.concatenate([np.full(parked, each.shape[1]), sizes]),
        np.concatenate([base + each.ravel(), targets]),
        np.concatenate([np.full(each.size, int(Role.LIST), np.uint8), roles]),
    )
