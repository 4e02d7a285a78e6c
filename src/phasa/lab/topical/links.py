"""The links of a web with topics: which segments speak of which, then which page links to which."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phasa.lab.chance import generator
from phasa.lab.topical.plan import Ints, Plan
from phasa.lab.topical.recipe import CORE, TopicalRecipe

HOME_LINKS = 40
_FRONT = 0.6
_KNOWN = 1.6


@dataclass(frozen=True)
class TopicalLinks:
    """Links in compressed rows: those of page p are `targets[offsets[p]:offsets[p + 1]]`."""

    offsets: Ints
    targets: NDArray[np.int32]

    def sources(self) -> Ints:
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))


def draw_links(recipe: TopicalRecipe, seed: int, plan: Plan) -> TopicalLinks:
    """All links; every page can be reached from the home of its site."""
    dice = generator(seed, "topical", "links")
    pairs = [_spoken(recipe, dice, plan), _from_home(dice, plan), _to_home(dice, plan)]
    start, goal = (np.concatenate([pair[side] for pair in pairs]) for side in (0, 1))
    sizes, first = plan.sizes, plan.first_page[:-1]
    often = np.minimum(1 + dice.geometric(0.6, len(start)) // 2, 3)
    start, goal = np.repeat(start, often), np.repeat(goal, often)
    source = first[start] + (dice.random(len(start)) * sizes[start]).astype(np.int64)
    inner = (dice.random(len(goal)) >= _FRONT) * (dice.random(len(goal)) * sizes[goal]).astype(np.int64)
    inside = _inside(dice, plan)
    sources = np.concatenate([source, inside[0]])
    targets = np.concatenate([first[goal] + inner, inside[1]])
    order = np.lexsort((dice.random(len(sources)), sources))
    sources, targets = sources[order], targets[order]
    keep = sources != targets
    sources, targets = sources[keep], targets[keep]
    offsets = np.concatenate([[0], np.cumsum(np.bincount(sources, minlength=len(plan.segment)))])
    return TopicalLinks(offsets, targets.astype(np.int32))


def _spoken(recipe: TopicalRecipe, dice: np.random.Generator, plan: Plan) -> tuple[Ints, Ints]:
    """Segment links by kind: the kind of the destination first, then a segment of it, near or anywhere."""
    names = [kind.name for kind in recipe.kinds]
    rows = np.array([[kind.links.get(name, 0.0) for name in names] for kind in recipe.kinds])
    edges = np.cumsum(rows, axis=1) / rows.sum(axis=1, keepdims=True)
    degree = 1 + dice.poisson(recipe.degree * np.minimum(plan.sizes, 12) / 7)
    start = np.repeat(np.arange(len(plan.kind)), degree)
    wanted = np.minimum((dice.random(len(start))[:, None] >= edges[plan.kind[start]]).sum(axis=1), len(names) - 1)
    fame = [_KNOWN if name in CORE else recipe.fame for name in names]
    goal = _anywhere(dice, plan, wanted, fame)
    near = _nearby(dice, plan, start, wanted, len(names))
    use = (near >= 0) & (dice.random(len(start)) < recipe.stay)
    goal = np.where(use, near, goal)
    keep = (goal >= 0) & (goal != start)
    return start[keep], goal[keep]


def _anywhere(dice: np.random.Generator, plan: Plan, wanted: Ints, fame: list[float]) -> Ints:
    """A segment of each wanted kind; a few are known to everybody, the fewer the larger the `fame` of the kind."""
    goal = np.full(len(wanted), -1)
    for kind, power in enumerate(fame):
        members = dice.permutation(np.flatnonzero(plan.kind == kind))
        mine = np.flatnonzero(wanted == kind)
        if len(members):
            goal[mine] = members[(dice.random(len(mine)) ** power * len(members)).astype(np.int64)]
    return goal


def _nearby(dice: np.random.Generator, plan: Plan, start: Ints, wanted: Ints, kinds: int) -> Ints:
    """A segment of each wanted kind on the site of its source, -1 where there is none."""
    label = plan.site * kinds + plan.kind
    order = np.argsort(label, kind="stable")
    ordered = label[order]
    asked = plan.site[start] * kinds + wanted
    low, high = np.searchsorted(ordered, asked), np.searchsorted(ordered, asked, side="right")
    chosen = np.minimum(low + (dice.random(len(start)) * (high - low)).astype(np.int64), len(order) - 1)
    return np.where(high > low, order[chosen], -1)


def _from_home(dice: np.random.Generator, plan: Plan) -> tuple[Ints, Ints]:
    """The home of a site leads to its segments: to all of them, or each through the one before."""
    segments = np.arange(len(plan.site))
    home = plan.first_segment[plan.site]
    place = segments - home
    through = np.where(place <= HOME_LINKS, home, segments - 1)
    return through[place > 0], segments[place > 0]


def _to_home(dice: np.random.Generator, plan: Plan) -> tuple[Ints, Ints]:
    segments = np.arange(len(plan.site))
    home = plan.first_segment[plan.site]
    some = (segments != home) & (dice.random(len(segments)) < 0.5)
    return segments[some], home[some]


def _inside(dice: np.random.Generator, plan: Plan) -> tuple[Ints, Ints]:
    """Within a segment: a tree of five children per page, all back to the front, some to the next."""
    page = np.arange(len(plan.segment))
    front = plan.first_page[plan.segment]
    local = page - front
    parent = front + (local - 1) // 5
    child = page[local > 0]
    follows = child[dice.random(len(child)) < 0.35]
    back = child[parent[child] != front[child]]
    sources = np.concatenate([parent[child], child, follows - 1, back])
    targets = np.concatenate([child, front[child], follows, parent[back]])
    return sources, targets
