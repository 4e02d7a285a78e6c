"""Anchors and hreflang of every link of a generated web, and the countries of its servers."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from phasa.lab.chance import generator, key, unit
from phasa.lab.claims import wrong_hints
from phasa.lab.extras import Extras
from phasa.lab.false_hosts import PARKED_PAGES, FalseHosts
from phasa.lab.links import Links
from phasa.lab.phrases import EMPTY, PER_LANGUAGE, Phrases
from phasa.lab.recipe import Recipe
from phasa.lab.sites import Pages, Sites


class Drawn(Protocol):
    """What of a generated web is needed."""

    recipe: Recipe
    seed: int
    sites: Sites
    pages: Pages
    extras: Extras
    false: FalseHosts
    links: Links
    base: int
    honest: int

    @property
    def phrases(self) -> Phrases: ...


def anchors_of(world: Drawn) -> tuple[NDArray[np.uint16], NDArray[np.uint8]]:
    """Anchor phrase and hreflang of every link, by the language of its page and of the page it leads to (Table 12)."""
    links, pages, locality, phrases = world.links, world.pages, world.recipe.locality, world.phrases
    dice = generator(world.seed, "anchors")
    goal = _goals(world)
    source = links.sources()[: world.honest]
    own, theirs = source < len(pages), pages.target[goal]
    start = np.where(own, source, 0)
    own &= pages.target[start]
    likely = np.array([[locality.anchor_none, locality.anchor_to], [locality.anchor_from, locality.anchor_both]])
    in_target = dice.random(len(goal)) < likely[own.view(np.uint8), theirs.view(np.uint8)]
    begin = np.array([phrases.starts[code] for code in pages.languages], np.int32)
    # An anchor that is not in the target language is English on target pages, else of the page or of where it leads.
    english = pages.languages.index("en")
    own_language = np.where(own, english, pages.language[start])
    goal_language = np.where(theirs, english, pages.language[goal])
    number = begin[np.where(dice.random(len(goal)) < 0.6, own_language, goal_language)]
    mixed = dice.random(len(goal)) < 0.2
    number[in_target] = phrases.starts[world.recipe.target]
    number[in_target & mixed] = phrases.starts["mixed"]
    number += dice.integers(PER_LANGUAGE, size=len(goal)).astype(np.int32)
    neutral = ~in_target & (dice.random(len(goal)) < 0.12)
    number = np.where(neutral, dice.integers(1, 16, size=len(goal)).astype(np.int32), number)
    number[~in_target & (dice.random(len(goal)) < locality.empty / 0.6)] = EMPTY
    switch = (pages.site[start] == pages.site[goal]) & (pages.language[start] != pages.language[goal])
    hinted = switch & (dice.random(len(goal)) < locality.hreflang)
    hint = np.where(hinted, pages.language[goal] + 1, 0).astype(np.uint8)
    hint = wrong_hints(world.recipe.lies, world.seed, pages, hint, start)
    return _with_false_anchors(world, number.astype(np.uint16), hint)


def _with_false_anchors(
    world: Drawn, phrase: NDArray[np.uint16], hint: NDArray[np.uint8]
) -> tuple[NDArray[np.uint16], NDArray[np.uint8]]:
    """The same with the links of false hosts: a mirror has the anchors of its site, and adverts are English whatever
    the name of their host promises."""
    false, offsets = world.false, world.links.offsets
    if not len(false):
        return phrase, hint
    parked = false.parked * PARKED_PAGES
    adverts = int(offsets[world.base + parked]) - world.honest
    chance = unit(key(world.seed, "adverts"), np.arange(adverts))
    worded = world.phrases.starts["en"] + (chance * PER_LANGUAGE).astype(np.int64)
    original = false.original[parked:]
    sizes = np.diff(offsets)[world.base + parked :]
    # The one link more of a mirror's home page, to its site, repeats the anchor of the link before it.
    place = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    most = np.repeat(np.maximum(offsets[original + 1] - offsets[original], 1) - 1, sizes)
    rows = np.repeat(offsets[original], sizes) + np.minimum(place, most)
    return (
        np.concatenate([phrase, worded, phrase[rows]]).astype(np.uint16),
        np.concatenate([hint, np.zeros(adverts, np.uint8), hint[rows]]),
    )


def _goals(world: Drawn) -> NDArray[np.int32]:
    """The page that each link of the world means: behind a redirect, on the site that a mirror shows, or the home page
    of the site where there is none."""
    count, extras, false = len(world.pages), world.extras, world.false
    goal = world.links.targets[: world.honest].copy()
    astray = np.flatnonzero(goal >= world.base)
    host = false.host[goal[astray] - world.base]
    original = false.original[goal[astray] - world.base]
    goal[astray] = np.where(original >= 0, original, world.sites.first[false.likeness[host]])
    outside = np.flatnonzero(goal >= count)
    extra = goal[outside] - count
    moved = extras.moved[extra]
    goal[outside] = np.where(moved >= 0, moved, world.sites.first[extras.site[extra]])
    return goal


def countries_of(world: Drawn) -> tuple[tuple[str, ...], NDArray[np.uint8]]:
    """Where servers stand: sites of the language mostly at home, others mostly abroad."""
    home = {"th": "TH", "fa": "IR"}.get(world.recipe.target, "")
    names = ("", "US", "DE", "JP", "GB", home)
    chance = unit(key(world.seed, "countries"), np.arange(len(world.sites)))
    mostly = world.sites.target / world.sites.pages
    at_home = chance < np.where(mostly > 0.5, 0.7, 0.03)
    abroad = 1 + (unit(key(world.seed, "abroad"), np.arange(len(world.sites))) ** 2 * 4).astype(np.int64)
    column = np.where(at_home, len(names) - 1, abroad).astype(np.uint8)
    sites = [world.pages.site.astype(np.int64), world.extras.site, world.false.likeness[world.false.host]]
    return names, column[np.concatenate(sites)]
