"""Sites, segments and pages of a web with topics: what each is about, before any link is drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phasa.errors import InputError
from phasa.lab.chance import generator
from phasa.lab.topical.lexicon import FOREIGN
from phasa.lab.topical.recipe import CORE, TopicalRecipe

Ints = NDArray[np.int64]
LEAST_PAGES = 2000
_BANDS = ((1.0, 1.0), (0.75, 1.0), (0.5, 0.75), (0.25, 0.5))


@dataclass(frozen=True)
class Plan:
    """Columns by site, by segment and by page. The segments of a site, and the pages of a segment, are in a row."""

    site_type: Ints
    first_segment: Ints
    """First segment of each site, its home; one more than there are sites."""
    flat: NDArray[np.bool_]
    """Sites without directories: all their segments are one."""
    site: Ints
    """Site of each segment."""
    kind: Ints
    theme: Ints
    """Of each segment: which of the themes of its kind."""
    language: Ints
    """Of each segment: 0 is English, then FOREIGN."""
    first_page: Ints
    """First page of each segment; one more than there are segments."""
    segment: Ints
    """Segment of each page."""
    page_kind: Ints
    """What each page is about: the gold."""

    @property
    def sizes(self) -> Ints:
        return np.diff(self.first_page)


def draw_plan(recipe: TopicalRecipe, seed: int, pages: int) -> Plan:
    """A plan of exactly so many pages. Raises InputError when they are too few to hold every kind of site."""
    if pages < LEAST_PAGES:
        raise InputError(f"a web with topics needs at least {LEAST_PAGES} pages, not {pages}")
    dice = generator(seed, "topical", "plan")
    names = [kind.name for kind in recipe.kinds]
    mixes = [np.array([site.kinds.get(name, 0.0) for name in names]) for site in recipe.sites]
    size_of = np.array([kind.size for kind in recipe.kinds])
    per_segment = np.array([(mix / mix.sum()) @ size_of for mix in mixes])
    per_site = np.array([site.segments for site in recipe.sites])
    weight = np.array([site.weight for site in recipe.sites]) / per_site
    needed = int(1.3 * pages / float((weight / weight.sum()) @ (per_site * per_segment))) + 20
    # Every run of sites has the sorts in their shares, so that small webs are like large ones.
    turns = (np.arange(needed) + dice.random(needed)) / needed
    site_type = np.searchsorted(np.cumsum(weight) / weight.sum(), dice.permutation(turns), side="right")
    counts = 1 + dice.poisson(per_site[site_type] * dice.gamma(2.0, 0.5, needed)).clip(0, 60)
    site = np.repeat(np.arange(needed), counts)
    first_segment = np.concatenate([[0], np.cumsum(counts)])
    kind = _kinds(dice, mixes, site_type[site])
    homes = np.array([names.index(next(iter(one.kinds))) for one in recipe.sites])
    kind[first_segment[:-1]] = homes[site_type]
    sizes = 1 + dice.poisson((size_of[kind] - 1) * dice.gamma(1.2, 1 / 1.2, len(kind)))
    ends = np.cumsum(sizes)
    last = int(np.searchsorted(ends, pages))
    sizes = sizes[: last + 1]
    sizes[-1] -= int(ends[last]) - pages
    site, kind = site[: last + 1], kind[: last + 1]
    sites = int(site[-1]) + 1
    first_segment = np.minimum(first_segment[: sites + 1], last + 1)
    flat = dice.random(sites) < np.array([one.flat for one in recipe.sites])[site_type[:sites]]
    foreign = (dice.random(len(kind)) < recipe.foreign) & ~np.isin(kind, [names.index(name) for name in CORE])
    language = np.where(foreign, 1 + dice.integers(0, len(FOREIGN), len(kind)), 0)
    segment = np.repeat(np.arange(len(kind)), sizes)
    return Plan(
        site_type[:sites],
        first_segment,
        flat,
        site,
        kind,
        dice.integers(0, 1 << 20, len(kind)) % np.array([len(one.themes) for one in recipe.kinds])[kind],
        language,
        np.concatenate([[0], np.cumsum(sizes)]),
        segment,
        _page_kinds(recipe, dice, kind, segment, language),
    )


def _kinds(dice: np.random.Generator, mixes: list[NDArray[np.float64]], types: Ints) -> Ints:
    edges = np.array([np.cumsum(mix) / mix.sum() for mix in mixes])
    return np.asarray((dice.random(len(types))[:, None] >= edges[types]).sum(axis=1), dtype=np.int64)


def _page_kinds(recipe: TopicalRecipe, dice: np.random.Generator, kind: Ints, segment: Ints, language: Ints) -> Ints:
    """The kind of every page: that of its segment as far as the segment is pure."""
    names = [one.name for one in recipe.kinds]
    bands = np.array([np.cumsum(one.purity) / sum(one.purity) for one in recipe.kinds])
    band = np.minimum((dice.random(len(kind))[:, None] >= bands[kind]).sum(axis=1), 3)
    low, high = np.array(_BANDS)[band].T
    purity = low + (high - low) * dice.random(len(kind))
    found = kind[segment].copy()
    chance = dice.random(len(segment))
    off = np.array([names.index(one.off) for one in recipe.kinds])
    impure = chance >= purity[segment]
    found[impure] = off[found[impure]]
    for number, one in enumerate(recipe.kinds):
        for name, share in one.stray.items():
            mine = (kind[segment] == number) & (language[segment] == 0) & (dice.random(len(segment)) < share)
            found[mine] = names.index(name)
    return found
