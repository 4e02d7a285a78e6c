"""Pages of a crawl that change together: groups by address, found and dropped as pages come and go (`busy`).

Groups are the host of a page, its first directory, its first three, and of these the pages that lie as deep; each that
has three pages under revisit is followed, up to a number. Which ones these are is counted while all pages are looked at
(`count`, `settle`). Visits are weighed together, when what they say is asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from xxhash import xxh3_64_intdigest

from phasa.schedule.busy import DAY, Busy, Places, weighed
from phasa.schedule.trust import Trust
from phasa.schedule.usual import drawn
from phasa.schedule.value import Floats

LOOKS = 28
"""Slots in the mean time between two visits of a page."""
SHORTEST, LONGEST = DAY / 4, DAY
_DEPTHS = (1, 2, 4)
_KINDS = len(_DEPTHS) + 1
_NONE = -1
Pace = tuple[float, float]
"""Changes, in how many seconds."""


def slot_of(gap: float) -> float:
    """The length of a slot where a page is visited every so many seconds."""
    return float(np.clip(gap / LOOKS, SHORTEST, LONGEST))


@lru_cache(maxsize=20_000)
def groups_of(url: str) -> tuple[int, ...]:
    """The groups of a page by number, one of each kind."""
    names = url.partition("://")[2].partition("?")[0].split("/")
    deepest = names[: min(_DEPTHS[-1], len(names) - 1)]
    chains = ["/".join(names[:depth]) if len(names) > depth else "" for depth in _DEPTHS]
    chains.append(f"{'/'.join(deepest)}//{len(names)}")
    return tuple(xxh3_64_intdigest(chain.encode()) >> 1 if chain else _NONE for chain in chains)


class _Visit(NamedTuple):
    groups: tuple[int, ...]
    since: float
    at: float
    changed: bool
    usual: float
    changes: float
    seconds: float


class Neighbours:
    """What is believed of the groups of a crawl from its visits, from `start` on; `gap` is the usual time between two
    visits of a page."""

    SLOTS = 120  # that are remembered
    GROUPS = 5_000  # that are followed: those of most pages
    LEAST = 3  # pages that make a group
    BATCH = 2_000  # visits that are weighed together at most
    SURE = 20.0  # changes by which each kind of group, and none, brings as many as any other

    def __init__(self, start: float, gap: float, trust: Trust | None = None) -> None:
        self.trust = Trust() if trust is None else trust
        self.slot = slot_of(gap)
        self._origin = start
        self._busy = Busy(0, self.SLOTS, self.slot)
        self._numbers: dict[int, int] = {}
        self._counted: Counter[int] = Counter()
        self._brought, self._found = np.zeros(_KINDS), 0  # changes that each kind explains, of so many
        self._visits: list[_Visit] = []

    def saw(self, url: str, since: float, at: float, changed: bool, usual: float, past: Pace = (0.0, 0.0)) -> None:
        """A page, seen then, is visited now; `usual` is the rate of its place in changes a second, `past` what was
        known of it: so many changes in so many seconds."""
        self._visits.append(_Visit(groups_of(url), since, at, changed, usual, *past))
        if len(self._visits) >= self.BATCH:
            self._weigh()

    def passed(self, urls: Sequence[str], since: Floats, now: float) -> Floats:
        """Seconds that passed for pages that were seen then; busy ones are counted as more, quiet ones as less."""
        self._weigh()
        self._advance(now)
        places, alone = self._places(map(groups_of, urls)), self.trust.alone
        busy = self._busy.passed(places, self._slots(since), float(self._slots(np.asarray(now))))
        return np.asarray(alone * (now - since) + (1 - alone) * self.slot * busy)

    def _weigh(self) -> None:
        if not self._visits:
            return
        visits, self._visits = self._visits, []
        self._advance(max(visit.at for visit in visits))
        columns = list(zip(*visits, strict=True))
        places = self._places(columns[0])
        since, at = self._slots(np.asarray(columns[1])), np.maximum(self._slots(np.asarray(columns[2])), 0.0)
        changed, (usual, *past) = np.asarray(columns[3], bool), np.asarray(columns[4:])
        rates = drawn(usual, past[0], past[1], self.trust.changes)
        busy = self._busy.passed(places, since, at)
        self.trust.saw(usual, np.asarray(past), self.slot * (at - since), self.slot * busy, changed)
        self._brought += self._busy.saw(places, rates * self.slot, since, at, changed)
        self._found += int(changed.sum())

    def _places(self, groups: Iterable[tuple[int, ...]]) -> Places:
        size, numbers = self._busy.size, self._numbers
        of = np.asarray([[numbers.get(group, size) for group in page] for page in groups], np.int64)
        weights = (self.SURE / (_KINDS + 1) + self._brought) / (self.SURE + self._found)
        return weighed(of.reshape(-1, _KINDS).T, size, weights)

    def _slots(self, times: Floats) -> Floats:
        return np.asarray((times - self._origin) / self.slot)

    def _advance(self, now: float) -> None:
        """Where the last slot is over, the oldest ones are forgotten."""
        while (now - self._origin) / self.slot >= self.SLOTS:
            self._busy.forget(self.SLOTS // 4)
            self._origin += self.SLOTS // 4 * self.slot

    def count(self, urls: Iterable[str]) -> None:
        """These pages are under revisit; to be told of all of them before `settle`."""
        for url in urls:
            self._counted.update(groups_of(url))

    def settle(self) -> None:
        """All pages were counted: the groups of most of them are followed from now on."""
        del self._counted[_NONE]
        self._weigh()
        kept = [group for group, pages in self._counted.most_common(self.GROUPS) if pages >= self.LEAST]
        size = self._busy.size
        self._busy.regroup(np.asarray([self._numbers.get(group, size) for group in kept], np.int64))
        self._numbers = {group: number for number, group in enumerate(kept)}
        self._counted.clear()
