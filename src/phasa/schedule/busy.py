"""How busy groups of pages were, slot by slot, as far as visits of some of them tell.

Most changes of a site come in bursts (a release, a new template, a translator's evening): when one page of a folder is
found changed, its neighbours have probably changed, too. The rate of page i in the time slot u is

    λ_i ( w_0 + Σ_g w_g h_g(u) )

where h_g is the activity of a group g that the page is in, a Gamma process with mean 1 and few, large jumps. Visits say
only whether a page changed in a gap; `Busy.saw` shares each change out over the slots and groups that may have brought
it, in proportion to what is believed (one step of expectation and maximisation for each batch of visits, and again for
the visits of the last weeks as others confirm or deny them). Pages are the caller's: of all of a trace (`together`), or
those that a crawl looks at just now (`neighbours`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from phasa.schedule.rates import Bools, Ints
from phasa.schedule.value import Floats

DAY = 86_400.0


class Places(NamedTuple):
    """The groups of pages, a row for each kind of group; `Busy.size` stands for none. Rows of `shares` say what part of
    a page's changes its group brings, `own` the part that it has alone."""

    of: Ints
    shares: Floats
    own: Floats

    def only(self, pages: Ints | Bools) -> Places:
        return Places(self.of[:, pages], self.shares[:, pages], self.own[pages])


def weighed(of: Ints, size: int, weights: Floats) -> Places:
    """Places whose kinds of groups bring changes by these weights; where one is missing, the others bring more."""
    alone = max(1.0 - float(weights.sum()), 0.05)
    shares = weights[:, None] * (of < size)
    total = alone + shares.sum(axis=0)
    return Places(of, np.asarray(shares / total), np.asarray(alone / total))


class Busy:
    """What is believed of `size` groups. Time is counted in slots of `slot` seconds, of which there are `slots`; before
    the first of them every group was as busy as usual."""

    WINDOW = 30 * DAY  # visits that are thought over again
    RECENT = 500_000  # of their parts at most (a visit that found a change has one for each slot of its gap)
    JUMPS = 0.001  # of a group, a day

    def __init__(self, size: int, slots: int, slot: float) -> None:
        self.size, self.slot, self.slots = size, slot, slots
        shape = size + 1, slots + 1
        self._activity = np.ones(shape)
        self._summed = np.zeros((size + 1, slots + 2))
        self._sum(np.arange(size + 1))
        self._found, self._settled, self._watched = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self._recent: list[_Found] = []
        self._jumps = self.JUMPS * slot / DAY

    def passed(self, places: Places, since: Floats, now: Floats | float) -> Floats:
        """Slots that passed for each page since then, busy ones counted as more."""
        passed = places.own * (now - since)
        for group, share in zip(places.of, places.shares, strict=True):
            passed = passed + share * (self._until(group, now) - self._until(group, since))
        return np.asarray(passed)

    def _until(self, group: Ints, when: Floats | float) -> Floats:
        slot = np.floor(np.maximum(when, 0.0)).astype(np.int64)
        inside = self._summed[group, slot] + (when - slot) * self._activity[group, slot]
        return np.asarray(np.where(np.asarray(when) < 0, when, inside))

    def saw(self, places: Places, rates: Floats, since: Floats, now: Floats, changed: Bools) -> Floats:
        """Pages were seen then and are visited now, and had changed, or not. `rates`: in changes a slot. Returns how
        many of the visits that found a change each kind of group explains, by what was known before them."""
        expected = rates * self.passed(places, since, now)
        cells = _cells(since, now)
        for of, share in zip(places.of, places.shares, strict=True):
            weight = rates[cells.visit] * cells.length * share[cells.visit]
            np.add.at(self._watched, (of[cells.visit], cells.slot), weight)
        touched = places.of.ravel()
        brought = np.zeros(len(places.of))
        if changed.any():
            times = expected / np.maximum(-np.expm1(-expected), 1e-12)  # how often, when it was at least once
            found = _Found(float(now.max()), cells.only(changed), times, np.maximum(-since, 0.0), places)
            brought = self._share_out(found, self._found)
            self._recent.append(found)
            touched = np.concatenate((touched, self._think_again(found.at)))
        self._renew(np.unique(touched))
        return brought

    def _share_out(self, found: _Found, into: Floats) -> Floats:
        """Add changes to the groups and slots that may have brought them; how many visits each kind explains."""
        visit, slot, length = found.cells
        of, shares, own = found.places
        parts = [
            share[visit] * self._activity[group[visit], slot] * length for group, share in zip(of, shares, strict=True)
        ]
        whole = own[visit] * length + sum(parts)
        likely = found.older + np.bincount(visit, whole, len(found.times))
        factor = (found.times / np.maximum(likely, 1e-300))[visit]
        for group, part in zip(of, parts, strict=True):
            np.add.at(into, (group[visit], slot), part * factor)
        each = factor / np.maximum(found.times[visit], 1e-300)
        return np.asarray([float((part * each).sum()) for part in parts])

    def _think_again(self, now: float) -> Ints:
        """Share the changes of the last weeks out anew; the groups that they may belong to."""
        parts = sum(len(found.cells.visit) for found in self._recent)
        while self._recent[0].at < now - self.WINDOW / self.slot or (parts > self.RECENT and len(self._recent) > 1):
            settled = self._recent.pop(0)
            parts -= len(settled.cells.visit)
            self._share_out(settled, self._settled)
        touched = np.concatenate([np.unique(found.places.of[:, found.cells.visit]) for found in self._recent])
        self._renew(np.unique(touched))
        self._found = self._settled.copy()
        for found in self._recent:
            self._share_out(found, self._found)
        return np.asarray(touched)

    def _renew(self, groups: Ints) -> None:
        groups = groups[groups < self.size]
        self._activity[groups] = (self._jumps + self._found[groups]) / (self._jumps + self._watched[groups])
        self._sum(groups)

    def _sum(self, groups: Ints) -> None:
        self._summed[groups, 1:] = np.cumsum(self._activity[groups], axis=1)

    # ── as time and pages go on ──────────────────────────────────────────────────────────────────

    def forget(self, slots: int) -> None:
        """Let the first slots go; all later ones have smaller numbers then."""
        for table, usual in ((self._activity, 1.0), (self._found, 0.0), (self._settled, 0.0), (self._watched, 0.0)):
            table[:, :-slots] = table[:, slots:]
            table[:, -slots:] = usual
        self._sum(np.arange(self.size + 1))
        self._recent = [found.later(slots) for found in self._recent]

    def regroup(self, before: Ints) -> None:
        """Other groups: for each the number that it had before, or `size`, as it is now, for one that is new."""
        numbers = np.full(self.size + 1, len(before))
        old = before < self.size
        numbers[before[old]] = np.flatnonzero(old)
        rows = np.append(np.where(old, before, self.size), self.size)  # new ones are as quiet as none
        self._activity, self._found, self._settled, self._watched = (
            table[rows] for table in (self._activity, self._found, self._settled, self._watched)
        )
        self.size = len(before)
        self._summed = np.zeros((self.size + 1, self._activity.shape[1] + 1))
        self._sum(np.arange(self.size + 1))
        self._recent = [
            found._replace(places=found.places._replace(of=numbers[found.places.of])) for found in self._recent
        ]


class _Cells(NamedTuple):
    """Gaps between visits, cut at the borders of slots: `visit` counts the visits, `length` is in slots."""

    visit: Ints
    slot: Ints
    length: Floats

    def only(self, kept: Bools) -> _Cells:
        """Those of some visits."""
        these = kept[self.visit]
        return _Cells(self.visit[these], self.slot[these], self.length[these])


class _Found(NamedTuple):
    """Visits that found changes; `older` is what of each gap lies before the first slot."""

    at: float
    cells: _Cells
    times: Floats
    older: Floats
    places: Places

    def later(self, slots: int) -> _Found:
        """When the first slots are gone."""
        visit, slot, length = self.cells
        gone = slot < slots
        older = self.older + np.bincount(visit[gone], length[gone], len(self.times))
        return _Found(
            self.at - slots, _Cells(visit[~gone], slot[~gone] - slots, length[~gone]), self.times, older, self.places
        )


def _cells(since: Floats, now: Floats) -> _Cells:
    since = np.maximum(since, 0.0)
    first = since.astype(np.int64)
    lengths = np.maximum(now.astype(np.int64) - first + 1, 0)
    visit = np.repeat(np.arange(len(since)), lengths)
    slot = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths) + first[visit]
    return _Cells(visit, slot, np.minimum(slot + 1, now[visit]) - np.maximum(slot, since[visit]))
