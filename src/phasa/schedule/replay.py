"""A change trace replayed: what a policy knows before the split, and what it may ask after it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from phasa.errors import InputError
from phasa.schedule.rates import Bools, Ints
from phasa.schedule.value import Floats

DAY = 86_400.0
WEEK = 7 * DAY


@dataclass(frozen=True)
class Visits:
    """Who was visited when: numbers of pages, and Unix times."""

    pages: Ints
    times: Floats


@dataclass(frozen=True)
class Past:
    """What is known at the split: the pages seen by then, and when each changed so far. `begin` is the first moment of
    the trace, `end` the split; pages are known as they were then."""

    names: Sequence[str]
    pages: Ints
    times: Floats
    begin: float
    end: float

    @cached_property
    def counts(self) -> Floats:
        """Changes of each page."""
        return np.bincount(self.pages, minlength=len(self.names)).astype(np.float64)

    @cached_property
    def first(self) -> Floats:
        """When each page was first heard of."""
        found = np.full(len(self.names), self.end)
        np.minimum.at(found, self.pages, self.times)
        return found


class Future:
    """What happens after the split, up to `end`. A policy learns of it by visits alone: `changed` is all that it may
    ask; `rates` is for the optimum that knows them, `score` for who counts afterwards."""

    def __init__(self, pages: Ints, times: Floats, count: int, begin: float, end: float) -> None:
        self.begin, self.end = begin, end
        self._count, self._pages, self._times = count, pages, times
        self._stride = 2 * (end - begin) + 1
        self._keys = np.sort(self._key(pages, times))

    def _key(self, pages: Ints, times: Floats | float) -> Floats:
        return np.asarray(pages * self._stride + (times - self.begin))

    def changed(self, pages: Ints, since: Floats, now: float) -> Bools:
        """Whether each page that is visited now differs from what it was at its visit before."""
        before = np.searchsorted(self._keys, self._key(pages, since), side="right")
        return np.asarray(np.searchsorted(self._keys, self._key(pages, now), side="right") > before)

    def rates(self) -> Floats:
        """Changes a second of each page, as only a clairvoyant knows them."""
        return np.asarray(np.bincount(self._pages, minlength=self._count) / (self.end - self.begin))

    def score(self, visits: Visits) -> Score:
        """How up to date the visits kept the pages."""
        counted = (visits.times > self.begin) & (visits.times <= self.end)
        made = np.sort(self._key(visits.pages[counted], visits.times[counted]))
        keys = self._key(self._pages, self._times)
        next_visit = np.searchsorted(made, keys, side="left")
        when = np.append(made, np.inf)[next_visit]
        seen = when < self._key(self._pages + 1, self.begin - 1)
        delay = np.where(seen, when - keys, self.end - self._times)
        # The first change that a visit finds made the page stale; the others only wait with it.
        turn = np.where(seen, next_visit, -1 - self._pages)
        order = np.lexsort((keys, turn))
        first = np.append(True, turn[order][1:] != turn[order][:-1]) if len(order) else np.zeros(0, bool)
        span, changes = (self.end - self.begin) * max(self._count, 1), max(len(keys), 1)
        return Score(
            pages=self._count,
            visits=int(counted.sum()),
            changes=len(keys),
            fresh=1 - float(delay[order][first].sum()) / span,
            delay_days=float(delay.sum()) / changes / DAY,
            versions_seen=len(np.unique(turn[seen])) / changes,
        )


@dataclass(frozen=True)
class Score:
    """How up to date a schedule kept its pages: share of time up to date, mean days until a change is seen, share of
    the versions that were seen."""

    pages: int
    visits: int
    changes: int
    fresh: float
    delay_days: float
    versions_seen: float


def split_trace(changes: Iterator[tuple[str, Floats]], share: float) -> tuple[Past, Future]:
    """Cut a trace (pages and when each changed) at a share of its time. Raises InputError where nothing is left."""
    if not 0 < share < 1:
        raise InputError(f"--split {share:g}: give a share of the time between 0 and 1")
    trace = sorted(changes)
    begin, last = min(times.min() for _, times in trace), max(times.max() for _, times in trace)
    split = float(begin + (last - begin) * share)
    known = [(page, times) for page, times in trace if times.min() <= split]
    if last <= split:
        raise InputError("the trace has no time after the split: all of its changes are at one moment")
    pages = np.repeat(np.arange(len(known)), [len(times) for _, times in known])
    moments = np.concatenate([times for _, times in known]).astype(np.float64)
    old = moments <= split
    past = Past([page for page, _ in known], pages[old], moments[old], float(begin), split)
    return past, Future(pages[~old], moments[~old], len(known), split, float(last))
