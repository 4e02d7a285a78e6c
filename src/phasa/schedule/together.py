"""Pages that change together: what visits of some pages say about the others of their folders.

Most changes of a site come in bursts (a release, a new template, a translator's evening): when one page of a folder is
found changed, its neighbours have probably changed, too. The rate of page i in the time slot u is

    λ_i ( w_0 + Σ_g w_g h_g(u) )

where h_g is the activity of a group g that the page is in (its folders, and pages with its past), a Gamma process with
mean 1 and few, large jumps. Visits say only whether a page changed in a gap; `Together.saw` shares each change out over
the slots and groups that may have brought it, in proportion to what is believed (one step of expectation and
maximisation for each visit, and again for the visits of the last weeks as others confirm or deny them).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from phasa.schedule.rates import Bools, Ints
from phasa.schedule.value import Floats

DAY = 86_400.0
_LEAST = 3  # pages that make a group
_DEPTHS = (2, 3, 4, 5)
_DEEP = 4
_ALONE = 0.03
"""The share of its group that must change with a page before the group explains it better than chance."""


class Groups(NamedTuple):
    """The groups of each page, a row for each kind of group; `size` stands for none. Rows of `shares` say what part of
    a page's changes its group brings, `own` the part that it has alone."""

    of: Ints
    size: int
    shares: Floats
    own: Floats


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
    alone = max(1.0 - float(weights.sum()), 0.05)
    shares = weights[:, None] * (of < first)
    total = alone + shares.sum(axis=0)
    return Groups(of, first, np.asarray(shares / total), np.asarray(alone / total))


class Together:
    """The beliefs about pages under revisit: when each was seen, and what may have happened since.

    `rates` are changes a second, as far as they are known before; a page's own factor is learned with the weight of
    `trust` changes. Time is counted in slots of `slot` seconds from the beginning, when every page was seen.
    """

    WINDOW = 30 * DAY  # visits that are thought over again
    JUMPS = 0.001  # of a group, a day

    def __init__(self, rates: Floats, groups: Groups, slot: float, slots: int, trust: float = 8.0) -> None:
        self._prior, self._groups, self._slot, self._trust = rates, groups, slot, trust
        pages = len(rates)
        self.seen = np.zeros(pages)
        """When each page was seen last, in slots."""
        self._changes, self._exposed = np.zeros(pages), np.zeros(pages)
        shape = groups.size + 1, slots + 1
        self._activity = np.ones(shape)
        self._summed = np.zeros((groups.size + 1, slots + 2))
        self._sum(np.arange(groups.size + 1))
        self._found, self._settled, self._watched = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self._recent: list[_Found] = []
        self._jumps = self.JUMPS * slot / DAY

    @property
    def rates(self) -> Floats:
        """The rate of each page in the long run, in changes a second."""
        return np.asarray(self._prior * (self._trust + self._changes) / (self._trust + self._exposed))

    def expected(self, now: float) -> Floats:
        """How many changes of each page are expected since it was seen. `now` in slots."""
        return np.asarray(self.rates * self._slot * self._activities(now))

    def saw(self, now: float, visited: Ints, changed: Bools) -> None:
        """Pages were visited now, and had changed since they were seen, or not."""
        passed = self._activities(now)[visited]
        rates = self.rates[visited]
        expected = rates * self._slot * passed
        cells = _cells(visited, self.seen[visited], now)
        of, shares = self._groups.of, self._groups.shares
        for kind in range(len(of)):
            weight = (rates * self._slot)[cells.visit] * cells.length * shares[kind][cells.page]
            np.add.at(self._watched, (of[kind][cells.page], cells.slot), weight)
        self._exposed[visited] += self._prior[visited] * self._slot * passed
        touched = of[:, visited]
        if changed.any():
            times = expected / np.maximum(-np.expm1(-expected), 1e-12)  # how often, when it was at least once
            found = _Found(now, cells.only(changed), times, visited[changed])
            self._share_out(found, self._found)
            self._recent.append(found)
            self._changes[visited[changed]] += times[changed]
            touched = np.concatenate((touched.ravel(), self._think_again(now).ravel()))
        self.seen[visited] = now
        self._renew(np.unique(touched))

    def _activities(self, now: float) -> Floats:
        """Slots that passed for each page since it was seen, busy ones counted as more."""
        groups = self._groups
        passed = groups.own * (now - self.seen)
        for group, share in zip(groups.of, groups.shares, strict=True):
            passed = passed + share * (self._until(group, now) - self._until(group, self.seen))
        return np.asarray(passed)

    def _until(self, group: Ints, when: Floats | float) -> Floats:
        slot = np.floor(when).astype(np.int64) if isinstance(when, np.ndarray) else np.int64(when)
        return np.asarray(self._summed[group, slot] + (when - slot) * self._activity[group, slot])

    def _share_out(self, found: _Found, into: Floats) -> None:
        """Add changes to the groups and slots that may have brought them."""
        cells, groups = found.cells, self._groups
        parts = [
            share[cells.page] * self._activity[group[cells.page], cells.slot] * cells.length
            for group, share in zip(groups.of, groups.shares, strict=True)
        ]
        whole = groups.own[cells.page] * cells.length + sum(parts)
        factor = (found.times / np.maximum(np.bincount(cells.visit, whole, len(found.times)), 1e-300))[cells.visit]
        for group, part in zip(groups.of, parts, strict=True):
            np.add.at(into, (group[cells.page], cells.slot), part * factor)

    def _think_again(self, now: float) -> Ints:
        """Share the changes of the last weeks out anew; the groups that they may belong to."""
        while self._recent[0].at < now - self.WINDOW / self._slot:
            self._share_out(self._recent.pop(0), self._settled)
        touched = self._groups.of[:, np.concatenate([found.pages for found in self._recent])]
        self._renew(np.unique(touched))
        self._found = self._settled.copy()
        for found in self._recent:
            self._share_out(found, self._found)
        return np.asarray(touched)

    def _renew(self, groups: Ints) -> None:
        groups = groups[groups < self._groups.size]
        self._activity[groups] = (self._jumps + self._found[groups]) / (self._jumps + self._watched[groups])
        self._sum(groups)

    def _sum(self, groups: Ints) -> None:
        self._summed[groups, 1:] = np.cumsum(self._activity[groups], axis=1)


class _Cells(NamedTuple):
    """Gaps between visits, cut at the borders of slots: `visit` counts the visits, `length` is in slots."""

    visit: Ints
    page: Ints
    slot: Ints
    length: Floats

    def only(self, kept: Bools) -> _Cells:
        """Those of some visits."""
        these = kept[self.visit]
        return _Cells(self.visit[these], self.page[these], self.slot[these], self.length[these])


class _Found(NamedTuple):
    """Visits that found changes."""

    at: float
    cells: _Cells
    times: Floats
    pages: Ints


def _cells(pages: Ints, since: Floats, now: float) -> _Cells:
    first = since.astype(np.int64)
    lengths = int(now) - first + 1
    visit = np.repeat(np.arange(len(pages)), lengths)
    slot = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths) + first[visit]
    return _Cells(visit, pages[visit], slot, np.minimum(slot + 1, now) - np.maximum(slot, since[visit]))
