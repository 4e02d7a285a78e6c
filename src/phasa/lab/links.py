"""The links of a world: trees inside sites, roads between sites that follow language, chains of 'next page'.

A site of level k is entered from a site of level k-1 and no link leads further up than one level, so the levels set how
far from the first pages a site lies. Everything is drawn as whole arrays: a million pages take seconds. What there is
once per link is kept in the smallest type that holds it, or a million pages would take gigabytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from phasa.lab.chance import generator
from phasa.lab.recipe import Recipe
from phasa.lab.sites import Pages, Sites

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
PageNumbers = NDArray[np.int32]
Small = NDArray[np.uint8]
FRIENDS = 6
SORTED_AT_ONCE = 1 << 17
"""Pages whose links are put in order together: sorting needs many times the memory of what is sorted."""


class Role(IntEnum):
    """Where on the page a link stands."""

    MENU = 0
    LIST = 1
    CONTENT = 2
    RELATED = 3
    SIDEBAR = 4
    ADVERT = 5
    NEXT = 6
    FOOTER = 7


class Flaw(IntEnum):
    """What is wrong with a link: its address is not that of a page."""

    NONE = 0
    DEAD = 1
    BROKEN = 2
    MOVED = 3
    CLOSED = 4
    FILE = 5


@dataclass(frozen=True)
class Links:
    """Links in the order of their pages: those of page `p` are `targets[offsets[p]:offsets[p + 1]]`."""

    offsets: Ints
    targets: PageNumbers
    roles: Small
    flaws: Small
    """What is wrong with each link, a `Flaw`."""

    def sources(self) -> PageNumbers:
        """The page that each link stands on."""
        return np.repeat(np.arange(len(self.offsets) - 1, dtype=np.int32), np.diff(self.offsets))


def draw_links(recipe: Recipe, seed: int, sites: Sites, pages: Pages) -> Links:
    """The links of every page."""
    plan = _Plan(recipe, seed, sites, pages)
    tree, entry = plan.trees(), plan.entries()
    edges = _joined(tree, entry, plan.inside(), plan.between())
    flaw = _flaws(recipe, seed, len(pages), edges[2], whole=len(tree[0]) + len(entry[0]))
    # A link that leads nowhere is no way to its page: depths are counted without it.
    leads = (flaw == Flaw.NONE) | (flaw == Flaw.MOVED)
    base = in_order(len(pages), edges[0][leads], edges[1][leads], edges[2][leads], flaw[leads])
    depth = depth_from(base.offsets, base.targets, sites.first[sites.level == 0])
    del base, leads
    more = _joined(plan.shortcuts(depth), plan.chains(np.minimum(depth, recipe.depth - 2)))
    flaw = np.concatenate([flaw, np.zeros(len(more[0]), np.uint8)])
    return in_order(len(pages), *_joined(edges, more), flaw)


def _joined(*edges: Edges) -> Edges:
    source, target, role = (np.concatenate(column) for column in zip(*edges, strict=True))
    return source, target, role


def _flaws(recipe: Recipe, seed: int, pages: int, role: Small, whole: int) -> Small:
    """Which links are flawed: each flawed link is an address of its own, so their number is a share of the pages."""
    shares = recipe.flaws
    wanted = np.array([shares.dead, shares.broken, shares.moved, shares.closed, shares.files])
    numbers = np.rint(wanted * pages).astype(np.int64)
    # The links of the trees and the ways into sites come first and stay whole: every page can be reached.
    able = (whole + np.flatnonzero(role[whole:] != Role.MENU)).astype(np.int32)
    chosen = generator(seed, "flaws").permutation(able)[: numbers.sum()]
    flaw = np.zeros(len(role), dtype=np.uint8)
    flaw[chosen] = np.repeat(np.arange(1, 6), numbers)[: len(chosen)]
    return flaw


def in_order(count: int, source: PageNumbers, target: PageNumbers, role: Small, flaw: Small) -> Links:
    """Links sorted by page, in the order of their place on it, without repetition and without links to oneself."""
    blocks = []
    for first in range(0, count, SORTED_AT_ONCE):
        rows = np.flatnonzero((source >= first) & (source < first + SORTED_AT_ONCE) & (source != target))
        rows = rows[np.argsort(source[rows].astype(np.int64) * len(Role) + role[rows], kind="stable")]
        _, once = np.unique(source[rows].astype(np.int64) * count + target[rows], return_index=True)
        once.sort()
        rows = rows[once]
        numbers = np.bincount(source[rows] - first, minlength=min(SORTED_AT_ONCE, count - first))
        blocks.append((numbers, target[rows], role[rows], flaw[rows]))
    numbers, target, role, flaw = (np.concatenate(column) for column in zip(*blocks, strict=True))
    return Links(np.concatenate([[0], np.cumsum(numbers)]), target, role, flaw)


def depth_from(offsets: Ints, targets: PageNumbers, starts: Ints) -> Ints:
    """Links from the nearest start to every page, -1 where none leads."""
    depth = np.full(len(offsets) - 1, -1, dtype=np.int64)
    depth[starts] = 0
    ring, distance = starts, 0
    while len(ring):
        distance += 1
        counts = offsets[ring + 1] - offsets[ring]
        begin = np.repeat(offsets[ring] - (np.cumsum(counts) - counts), counts)
        reached = np.unique(targets[begin + np.arange(counts.sum())]).astype(np.int64)
        ring = reached[depth[reached] < 0]
        depth[ring] = distance
    return depth


Edges = tuple[PageNumbers, PageNumbers, Small]
"""Page, page it leads to, role; a column each."""


def _edges(source: NDArray[np.integer], target: NDArray[np.integer], role: NDArray[np.integer] | Role) -> Edges:
    roles = np.full(len(source), role, np.uint8) if isinstance(role, Role) else role.astype(np.uint8, copy=False)
    return source.astype(np.int32, copy=False), target.astype(np.int32, copy=False), roles


def _below(limit: NDArray[np.int32], dice: np.random.Generator) -> NDArray[np.int32]:
    """A number from 0 to below the limit, for each."""
    chance = dice.random(len(limit))
    chance *= limit
    return chance.astype(np.int32)


class _Plan:
    """The columns that all sorts of links are drawn from."""

    def __init__(self, recipe: Recipe, seed: int, sites: Sites, pages: Pages) -> None:
        self.recipe, self.seed, self.sites, self.pages = recipe, seed, sites, pages
        self.count = len(pages)
        self.number = np.arange(self.count)
        self.site = pages.site.astype(np.int64)
        self.level = sites.level[self.site]
        self.is_home = np.zeros(self.count, dtype=bool)
        self.is_home[sites.first] = True
        self.home = sites.first[self.site].astype(np.int32)
        self.site_size = sites.pages[self.site].astype(np.int32)
        self._sections()
        self._roads()

    def _sections(self) -> None:
        """First page and size of the section of each page; the tail of some sections is a chain of 'next page'."""
        new = np.ones(self.count, dtype=bool)
        new[1:] = (self.site[1:] != self.site[:-1]) | (self.pages.section[1:] != self.pages.section[:-1])
        starts = np.flatnonzero(new)
        sizes = np.diff(np.append(starts, self.count))
        which = np.cumsum(new) - 1
        dice = generator(self.seed, "sections")
        # An archive section is nearly all chain: a few long chains, not many short ones, make a web deep.
        chained = (dice.random(len(starts)) < self.recipe.chains / 0.7) & (sizes >= 16)
        tail = np.where(chained, np.rint(sizes * 0.85), 0).astype(np.int64)
        self.front = starts[which].astype(np.int32)
        self.is_front = new
        self.open_size = (sizes - tail)[which].astype(np.int32)
        self.in_chain = self.number - self.front >= self.open_size
        self.section_starts, self.section_open, self.section_tail = starts, sizes - tail, tail

    def _roads(self) -> None:
        """For each class of page (other, target): pages by level with running weights, and the lists per site."""
        sites, site = self.sites, self.site
        sections = np.bincount(site[self.is_front], minlength=len(sites))
        prominence = 0.4 / sites.pages[site] + 0.3 * self.is_home + 0.3 * self.is_front / sections[site]
        weight = sites.popularity[site] * prominence * ~self.in_chain
        self.by_level: list[Ints] = []
        self.running: list[Floats] = []
        self.bound: list[Ints] = []
        self.by_site: list[Ints] = []
        self.site_start: list[Ints] = []
        self.site_count: list[Ints] = []
        levels = int(self.level.max()) + 2
        for of_target in (False, True):
            mine = np.flatnonzero((self.pages.target == of_target) & ~self.in_chain)
            order = mine[np.argsort(self.level[mine], kind="stable")]
            self.by_level.append(order)
            self.running.append(np.cumsum(weight[order]))
            self.bound.append(np.searchsorted(self.level[order], np.arange(levels), side="right"))
            self.by_site.append(mine)
            counts = np.bincount(site[mine], minlength=len(sites))
            self.site_count.append(counts)
            self.site_start.append(np.cumsum(counts) - counts)

    def pick(self, of_target: NDArray[np.bool_], top: Ints, chance: Floats) -> PageNumbers:
        """A page of the class for each, of level `top` at most, by weight; of the other class where there is none."""
        found = np.zeros(len(top), dtype=np.int32)
        for value in (False, True):
            rows = np.flatnonzero(of_target == value)
            bound = self.bound[value][top[rows]]
            empty = bound == 0
            if empty.any():
                stray = rows[empty]
                found[stray] = self._weighted(not value, self.bound[not value][top[stray]], chance[stray])
            rows, bound = rows[~empty], bound[~empty]
            found[rows] = self._weighted(value, bound, chance[rows])
        return found

    def _weighted(self, value: bool, bound: Ints, chance: Floats) -> Ints:
        running = self.running[value]
        at = np.searchsorted(running, chance * running[bound - 1], side="right")
        return self.by_level[value][np.minimum(at, bound - 1)]

    def trees(self) -> Edges:
        """Home page to the front of each section, front to the pages of the section, some by way of one another."""
        dice = generator(self.seed, "trees")
        child = self.number[~self.in_chain & ~self.is_home]
        position = child - self.front[child]
        parent = self.front[child] + np.floor(dice.random(len(child)) ** self.recipe.bushy * position).astype(np.int64)
        for _ in range(3):
            foreign = self.pages.target[parent] != self.pages.target[child]
            astray = np.flatnonzero(foreign & (dice.random(len(child)) < self.recipe.locality.stay))
            shift = np.floor(dice.random(len(astray)) * position[astray]).astype(np.int64)
            parent[astray] = self.front[child[astray]] + shift
        parent = np.where(self.is_front[child], self.sites.first[self.site[child]], parent)
        return _edges(parent, child, Role.LIST)

    def entries(self) -> Edges:
        """One way into each site from a site one level lower, mostly from a page in the language of its home page."""
        dice = generator(self.seed, "entries")
        later = np.flatnonzero(self.sites.level > 0)
        home = self.sites.first[later]
        level = self.sites.level[later]
        of_target = np.where(
            self.pages.target[home],
            dice.random(len(later)) < self.recipe.locality.entry,
            dice.random(len(later)) < 0.08,
        )
        source = np.zeros(len(later), dtype=np.int64)
        for number, (up, value) in enumerate(zip(level, of_target, strict=True)):
            order, bound = self.by_level[int(value)], self.bound[int(value)]
            low, high = int(bound[up - 2]) if up > 1 else 0, int(bound[up - 1])
            if low == high:
                order, bound = self.by_level[1 - int(value)], self.bound[1 - int(value)]
                low, high = int(bound[up - 2]) if up > 1 else 0, int(bound[up - 1])
            source[number] = order[int(dice.integers(low, high))]
        # From another language one is pointed to a certain page of the site, which then leads to its home page.
        deep = (
            self.pages.target[home] & ~self.pages.target[source] & (dice.random(len(later)) < self.recipe.locality.deep)
        )
        entered = np.where(deep, self._inner(home, dice), home)
        inward = np.flatnonzero(entered != home)
        return _joined(_edges(source, entered, Role.CONTENT), _edges(entered[inward], home[inward], Role.MENU))

    def _inner(self, page: NDArray[np.integer], dice: np.random.Generator) -> Ints:
        """Any page of the same site that is in the target language, where there is one."""
        site = self.site[page]
        size = self.site_count[True][site]
        at = self.site_start[True][site] + np.floor(dice.random(len(page)) * size).astype(np.int64)
        return np.where(size > 0, self.by_site[True][np.minimum(at, len(self.by_site[True]) - 1)], page)

    def inside(self) -> Edges:
        """Links within a site: the menu, the section, and any other page; they lean to the language of their page."""
        dice = generator(self.seed, "inside")
        crossing = np.array([kind.cross for kind in self.recipe.hosts])[self.sites.kind[self.site]]
        mean = np.maximum(1.0, (self.recipe.links - 1.0) * (1 - crossing))
        number = dice.poisson(mean * np.where(self.is_front, 1.6, 0.95))
        number = np.minimum(number, 2 * self.sites.pages[self.site])
        source = np.repeat(self.number.astype(np.int32), number)
        picked, role = self._inside_pick(source, dice)
        for _ in range(3):
            foreign = self.pages.target[picked] != self.pages.target[source]
            astray = np.flatnonzero(foreign & (dice.random(len(source)) < self.recipe.locality.stay))
            picked[astray] = self._inside_pick(source[astray], dice)[0]
        return source, picked, role

    def _inside_pick(self, source: PageNumbers, dice: np.random.Generator) -> tuple[PageNumbers, Small]:
        """A page of the same site for each, and where on the page the link stands."""
        way = dice.random(len(source))
        picked = self.front[source] + _below(self.open_size[source], dice)
        anywhere = self.home[source] + _below(self.site_size[source], dice)
        anywhere = np.where(self.in_chain[anywhere], self.front[anywhere], anywhere)
        np.copyto(picked, anywhere, where=way >= 0.55)
        menu = way >= 0.75
        picked[menu] = self.front[anywhere[menu]]
        np.copyto(picked, self.home[source], where=way > 0.92)
        role = np.full(len(source), Role.SIDEBAR, np.uint8)
        role[way < 0.55] = Role.RELATED
        role[way < 0.3] = Role.CONTENT
        role[menu] = Role.MENU
        return picked, role

    def between(self) -> Edges:
        """Links to other sites; the class of the page they reach depends on the language of the page they stand on."""
        dice = generator(self.seed, "between")
        kind = self.sites.kind[self.site]
        crossing = np.array([one.cross for one in self.recipe.hosts])[kind]
        number = dice.poisson((self.recipe.links - 1.0) * crossing * np.where(self.is_front, 1.6, 0.95))
        number = np.where(self.in_chain, 0, number)
        source = np.repeat(self.number.astype(np.int32), number)
        locality = self.recipe.locality
        about = np.array([one.name == "about" for one in self.recipe.hosts])[kind]
        share = np.where(about, locality.from_about, locality.from_other)
        share = np.where(self.pages.target, locality.from_target, share)
        of_target = dice.random(len(source)) < share[source]
        target = self.pick(of_target, self.level[source] + 1, dice.random(len(source)))
        friendly = np.flatnonzero(dice.random(len(source)) < locality.friends)
        target[friendly] = self._friends(source[friendly], of_target[friendly], target[friendly], dice)
        abroad = self.pages.target[target] & ~self.pages.target[source]
        deep = np.flatnonzero(abroad & (dice.random(len(source)) < locality.deep))
        target[deep] = self._inner(target[deep], dice)
        way = dice.random(len(source))
        role = np.full(len(source), Role.ADVERT, np.uint8)
        role[way < 0.8] = Role.SIDEBAR
        role[way < 0.5] = Role.CONTENT
        role[way > 0.95] = Role.FOOTER
        return source, target, role

    def _friends(
        self, source: PageNumbers, of_target: NDArray[np.bool_], otherwise: PageNumbers, dice: np.random.Generator
    ) -> PageNumbers:
        """The same for the links of a site to the few sites it links to again and again."""
        count = len(self.sites)
        target = otherwise.copy()
        for value in (False, True):
            known = self.pick(
                np.full(count * FRIENDS, value),
                np.repeat(self.sites.level + 1, FRIENDS),
                dice.random(count * FRIENDS),
            )
            rows = np.flatnonzero(of_target == value)
            slot = np.floor(dice.random(len(rows)) ** 2 * FRIENDS).astype(np.int64)
            friend = self.site[known[self.site[source[rows]] * FRIENDS + slot]]
            size = self.site_count[value][friend]
            place = np.floor(dice.random(len(rows)) ** 2 * size).astype(np.int64)
            has = size > 0
            at = self.site_start[value][friend] + place
            target[rows[has]] = self.by_site[value][at[has]]
        return target

    def shortcuts(self, depth: Ints) -> Edges:
        """A nearer way to the pages that lie deeper than the recipe says, from a page of the same class."""
        dice = generator(self.seed, "shortcuts")
        source: list[Ints] = []
        target: list[Ints] = []
        for of_target in (False, True):
            deep = np.flatnonzero((depth > self.recipe.depth - 2) & (self.pages.target == of_target))
            near = np.flatnonzero((depth >= 1) & (depth <= self.recipe.depth - 3) & (self.pages.target == of_target))
            if not len(near):
                near = np.flatnonzero((depth >= 0) & (depth <= self.recipe.depth - 3))
            source.append(
                near[np.argsort(-depth[near], kind="stable")][dice.integers(max(1, len(near) // 20), size=len(deep))]
            )
            target.append(deep)
        return _edges(np.concatenate(source), np.concatenate(target), Role.SIDEBAR)

    def chains(self, depth: Ints) -> Edges:
        """Front → next → next …, cut so that no page lies deeper than the recipe says."""
        source: list[int] = []
        target: list[int] = []
        for start, size, tail in zip(self.section_starts, self.section_open, self.section_tail, strict=True):
            room = max(1, self.recipe.depth - int(depth[start]))
            first = int(start + size)
            for at in range(int(tail)):
                source.append(int(start) if at % room == 0 else first + at - 1)
                target.append(first + at)
        return _edges(np.array(source, dtype=np.int32), np.array(target, dtype=np.int32), Role.NEXT)
