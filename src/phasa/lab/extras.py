"""Addresses of a generated web that are not pages: dead ones, redirects, closed ones, files, endless calendars."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from phasa.lab.chance import key, unit
from phasa.lab.links import Flaw, Links, Role
from phasa.lab.recipe import Recipe
from phasa.lab.sites import Pages, Sites

Ints = NDArray[np.int64]
CALENDAR_PAGES = 120
CALENDAR, SOFT = 6, 7
"""Kinds of extra addresses that answer with a page: one of an endless calendar, or one that says that there is none;
smaller ones are a `Flaw`."""
STATUS = {Flaw.DEAD: 404, Flaw.BROKEN: 500, Flaw.MOVED: 301, Flaw.CLOSED: 403, Flaw.FILE: 415}
FOLDERS = {Flaw.DEAD: "gone", Flaw.BROKEN: "error", Flaw.MOVED: "old", Flaw.CLOSED: "private", Flaw.FILE: "files",
           CALENDAR: "calendar", SOFT: "gone"}  # fmt: skip


HIDDEN = frozenset({Flaw.DEAD, Flaw.BROKEN, Flaw.MOVED, SOFT})
"""Kinds of extra addresses that look like those of pages where a web lies: what is not there does not say so."""


@dataclass(frozen=True)
class Extras:
    """Addresses that are not pages, sorted by site; their numbers begin after the last page."""

    site: Ints
    kind: Ints
    """A `Flaw`, CALENDAR or SOFT."""
    moved: Ints
    """The page that a redirect leads to, -1 elsewhere."""
    first: Ints
    """Position of the first extra of each site."""


def with_extras(recipe: Recipe, seed: int, sites: Sites, pages: Pages, links: Links) -> tuple[Extras, Links]:
    """An address of its own for every flawed link, on the site that the link led to; calendars for some sites."""
    flawed = np.flatnonzero(links.flaws)
    led_to = links.targets[flawed].astype(np.int64)
    calendars = np.flatnonzero(unit(key(seed, "calendars"), np.arange(len(sites))) < recipe.flaws.calendars)
    site = np.concatenate([pages.site[led_to].astype(np.int64), np.repeat(calendars, CALENDAR_PAGES)])
    kind = np.concatenate([links.flaws[flawed], np.full(len(calendars) * CALENDAR_PAGES, CALENDAR)]).astype(np.int64)
    order = np.lexsort((np.arange(len(site)), kind, site))
    place = np.empty(len(site), dtype=np.int64)
    place[order] = np.arange(len(site))
    moved = np.where(kind[: len(flawed)] == Flaw.MOVED, led_to, -1)
    moved = np.concatenate([moved, np.full(len(site) - len(flawed), -1)])
    first = np.searchsorted(site[order], np.arange(len(sites) + 1))
    answers = (kind == Flaw.DEAD) & (unit(key(seed, "soft"), site) < recipe.lies.soft)
    extras = Extras(site[order], np.where(answers, SOFT, kind)[order], moved[order], first)
    targets = links.targets.copy()
    targets[flawed] = len(pages) + place[: len(flawed)]
    return extras, _with_calendars(sites, len(pages), extras, place[len(flawed) :], replace(links, targets=targets))


def _with_calendars(sites: Sites, count: int, extras: Extras, place: Ints, links: Links) -> Links:
    """Home page → newest month; every month → the one before, the one after, home."""
    months = count + place.reshape(-1, CALENDAR_PAGES)
    homes = sites.first[extras.site[place.reshape(-1, CALENDAR_PAGES)[:, 0]]] if len(place) else np.zeros(0, np.int64)
    before, after = np.roll(months, 1, axis=1), np.roll(months, -1, axis=1)
    back = np.repeat(homes, CALENDAR_PAGES)
    source = np.concatenate([homes, months.ravel(), months.ravel(), months.ravel()])
    target = np.concatenate([months[:, 0] if len(months) else homes, after.ravel(), before.ravel(), back])
    every = np.concatenate([links.sources(), source])
    order = np.argsort(every, kind="stable")
    total = count + len(extras.site)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(every, minlength=total))])
    role = np.concatenate([links.roles, np.full(len(source), int(Role.SIDEBAR), np.uint8)])[order]
    flaw = np.concatenate([links.flaws, np.zeros(len(source), np.uint8)])[order]
    return Links(offsets, np.concatenate([links.targets, target.astype(np.int32)])[order], role, flaw)
