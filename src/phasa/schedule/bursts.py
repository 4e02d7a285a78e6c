"""Bursts of changes in a folder, from the visits of its pages: what the crawl knows of neighbours while it runs.

Most changes of a site come in bursts (a release, a new template): at a moment u a share q of the pages of a folder gets
new content. The last visits of a folder say of each gap only whether a page had changed in it; with x changes expected
of a page by its own rate, a burst inside of the gap makes it likelier to be found changed by

    changed      (1 − (1 − q) e^{−x}) / (1 − e^{−x})
    unchanged    1 − q

so that visits which found changes raise what is believed of their moments, and those which found none narrow it down.
`Bursts.expected` is what a page that was seen before may have got from it. (`together` weighs the same evidence for all
pages of a trace at once; this keeps a few visits of the folders that stir, which fits beside a million pages.)
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

import numpy as np
from xxhash import xxh3_64_intdigest

from phasa.schedule.value import Floats

DAY = 86_400.0
_DEPTHS = (1, 2, 4)
_SHARES = np.asarray([0.1, 0.3, 0.6, 0.9])[:, None, None]


@lru_cache(maxsize=20_000)
def folders_of(url: str) -> tuple[int, ...]:
    """The folders of a page whose pages may change with it, by number: its host with one, two and four directories."""
    parts = urlsplit(url)
    names = parts.path.split("/")[1:-1]
    chains = dict.fromkeys("/".join(names[:depth]) for depth in _DEPTHS)
    return tuple(xxh3_64_intdigest(f"{parts.netloc}/{chain}".encode()) >> 1 for chain in chains)


class _Visit(NamedTuple):
    since: float
    at: float
    changed: bool
    expected: float


class _Folder:
    """The last visits of a folder, and what they say: the share of its pages that a burst changed from each moment of
    `starts` on to the next."""

    def __init__(self, most: int) -> None:
        self.visits: deque[_Visit] = deque(maxlen=most)
        self.starts: Floats = np.zeros(0)
        self.shares: Floats = np.zeros(0)
        self.told = 0.0

    def share(self, since: float) -> float:
        """The share of its pages seen then that a burst has changed since."""
        return float(self.shares[self.starts >= since].sum()) if len(self.starts) else 0.0


class Bursts:
    """What is believed of the folders that stir; quiet ones are not kept."""

    WINDOW = 90 * DAY  # for which a visit is remembered
    VISITS = 24  # of a folder
    FOLDERS = 4_000
    A_DAY = 1 / 60  # bursts of a folder, before anything is known
    STIRRED = 0.1  # by which the share must differ before others are told

    def __init__(self) -> None:
        self._folders: OrderedDict[int, _Folder] = OrderedDict()
        self._stirred: dict[int, None] = {}

    def saw(self, folders: Sequence[int], since: float, now: float, changed: bool, expected: float) -> None:
        """A page of these folders was seen then and is visited now; so many changes were expected of it."""
        for name in folders:
            folder = self._folders.get(name)
            if folder is None:
                if not changed:
                    continue
                folder = self._folders[name] = _Folder(self.VISITS)
                if len(self._folders) > self.FOLDERS:
                    self._folders.popitem(last=False)
            self._folders.move_to_end(name)
            folder.visits.append(_Visit(since, now, changed, max(expected, 1e-6)))
            while folder.visits[0].at < now - self.WINDOW:
                folder.visits.popleft()
            if not any(visit.changed for visit in folder.visits):
                del self._folders[name]
                continue
            if not changed and folder.told < self.STIRRED / 4:
                continue  # nothing is believed of it that could be denied
            self._weigh(folder)
            whole = float(folder.shares.sum())
            if abs(whole - folder.told) >= self.STIRRED:
                folder.told = whole
                self._stirred[name] = None

    def expected(self, folders: Sequence[int], since: float) -> float:
        """The changes that a page of these folders, seen then, may have got from a burst: of the folder where most."""
        known = (self._folders.get(name) for name in folders)
        most = max((folder.share(since) for folder in known if folder is not None), default=0.0)
        return float(-np.log1p(-min(most, 0.999)))

    def stirred(self, more: Callable[[], bool] = lambda: True) -> Iterator[tuple[int, float]]:
        """The folders of which something else is believed since they were last told of, each with the last moment of
        which it is: pages seen later are not concerned. As long as `more` are wanted; the others are kept."""
        while self._stirred and more():
            name = next(iter(self._stirred))
            del self._stirred[name]
            folder = self._folders.get(name)
            if folder is not None:
                yield name, float(folder.starts[-1])

    def _weigh(self, folder: _Folder) -> None:
        since, at, changed, expected = np.asarray(folder.visits).T
        borders = np.unique(np.concatenate((since, at)))
        begins, ends = borders[:-1], borders[1:]
        inside = (since[:, None] <= begins) & (at[:, None] >= ends)
        left = np.exp(-expected)[None, :, None]
        likelier = np.where(changed[None, :, None] > 0, (1 - (1 - _SHARES) * left) / (1 - left), 1 - _SHARES)
        fits = (np.log(likelier) * inside).sum(axis=1)
        weights = self.A_DAY / DAY * (ends - begins) / len(_SHARES) * np.exp(np.minimum(fits, 300.0))
        folder.starts = begins
        folder.shares = np.asarray((weights * _SHARES[:, :, 0]).sum(axis=0) / (1 + weights.sum()))
