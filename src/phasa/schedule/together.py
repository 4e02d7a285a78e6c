"""All pages of a trace that change together: which groups they are in, and what is believed of each page (`busy`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from phasa.schedule.busy import Busy, Places, weighed
from phasa.schedule.rates import Bools, Ints
from phasa.schedule.value import Floats

_LEAST = 3  # pages that make a group
_DEPTHS = (2, 3, 4, 5)
_DEEP = 4
_ALONE = 0.03
"""The share of its group that must change with a page before the group explains it better than chance."""


class Groups(NamedTuple):
    """The groups of each page, of which there are `size`."""

    places: Places
    size: int


def kinds_of_groups(pages: Sequence[str], numbers: Ints, times: Floats) -> list[list[str]]:
    """The groups of each page by name, a row for each kind; '' where it has none: its folder at four depths, the pages
    of its deepest folder that lie as deep, and those that changed last at the same moment (of changes that are known:
    numbers of pages, and times)."""
    split = [page.split("/") for page in pages]
    rows = [["/".join(one[:depth]) if len(one) > depth else "" for one in split] for depth in _DEPTHS]
    deep = ["/".join(one[:_DEEP]) for one in split]
    rows.append([f"{folder}//{len(one)}" for folder, one in zip(deep, split, strict=True)])
    last = np.full(len(pages), -1.0)
    np.maximum.at(last, numbers, times)
    rows.append([f"{folder}@{at:.0f}" if at >= 0 else "" for folder, at in zip(deep, last.tolist(), strict=True)])
    return rows


def number_groups(names: Sequence[Sequence[str]], pages: Ints, times: Floats) -> Groups:
    """Groups of at least three pages, numbered, with their shares learned from changes whose times are known: a change
    counts for a group as far as the rest of the group changed at the same moment."""
    kinds, count = len(names), len(names[0])
    of = np.empty((kinds, count), np.int64)
    first = 0
    for kind, row in enumerate(names):
        found, place, sizes = np.unique(
            np.asarray(row, dtype=object).astype(str), return_inverse=True, return_counts=True
        )
        kept = (sizes >= _LEAST) & (found != "")
        numbers = np.where(kept, np.cumsum(kept) - 1 + first, -1)
        of[kind] = numbers[place]
        first += int(kept.sum())
    of = np.where(of < 0, first, of)
    company = np.zeros((kinds, len(pages)))
    moments = np.unique(times, return_inverse=True)[1]
    for kind in range(kinds):
        group = of[kind][pages]
        _, place, together = np.unique(group * (len(moments) + 1) + moments, return_inverse=True, return_counts=True)
        others = np.bincount(of[kind], minlength=first + 1)[group] - 1
        company[kind] = np.where(group < first, (together[place] - 1) / np.maximum(others, 1), 0.0)
    explained = company / (_ALONE + company.sum(axis=0))
    weights = explained.mean(axis=1) if len(pages) else np.full(kinds, 1.0 / kinds)
    return Groups(weighed(of, first, weights), first)


class Together:
    """The beliefs about pages under revisit: when each was seen, and what may have happened since.

    `rates` are changes a second that are usual; a page's own factor is learned with the weight of `trust` changes, from
    so many `changes` in so many `seconds` before the beginning on. Time is counted in slots of `slot` seconds from the
    beginning, when every page was seen.
    """

    def __init__(
        self,
        rates: Floats,
        groups: Groups,
        slot: float,
        slots: int,
        trust: float,
        changes: Floats | float = 0.0,
        seconds: Floats | float = 0.0,
    ) -> None:
        self._prior, self._places, self._trust = rates, groups.places, trust
        self._busy = Busy(groups.size, slots, slot)
        self.seen = np.zeros(len(rates))
        """When each page was seen last, in slots."""
        self._changes, self._exposed = np.zeros(len(rates)) + changes, rates * seconds

    @property
    def rates(self) -> Floats:
        """The rate of each page in the long run, in changes a second."""
        return np.asarray(self._prior * (self._trust + self._changes) / (self._trust + self._exposed))

    def expected(self, now: float) -> Floats:
        """How many changes of each page are expected since it was seen. `now` in slots."""
        return np.asarray(self.rates * self._busy.slot * self._busy.passed(self._places, self.seen, now))

    def saw(self, now: float, visited: Ints, changed: Bools) -> None:
        """Pages were visited now, and had changed since they were seen, or not."""
        places, since, slot = self._places.only(visited), self.seen[visited], self._busy.slot
        rates = self.rates[visited] * slot
        passed = self._busy.passed(places, since, now)
        expected = rates * passed
        self._busy.saw(places, rates, since, np.full(len(visited), now), changed)
        self._exposed[visited] += self._prior[visited] * slot * passed
        found = expected[changed]
        self._changes[visited[changed]] += found / np.maximum(-np.expm1(-found), 1e-12)
        self.seen[visited] = now
