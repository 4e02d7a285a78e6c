"""How far the past of a page, and that of its neighbours, says what is to come: learned from what visits find.

The rate of a page is drawn to what is usual where it is, as if that were so many changes (`own_past`): where each page
has a rate of its own few are right; where pages change in bursts the past of one says little, and many are. What its
neighbours did counts for the rest of what time alone does (`alone`). Each pair of a grid foretells every visit, and
those that foretold better count for more.
"""

from __future__ import annotations

import numpy as np

from phasa.schedule.rates import Bools
from phasa.schedule.value import Floats

_CHANGES = np.asarray([0.5, 1.0, 2.0, 4.0, 8.0, 16.0])[:, None, None]
_ALONE = np.asarray([0.05, 0.2, 0.4, 0.6, 0.8, 1.0])[None, :, None]
FIRST = 4.0
"""Changes that what is usual counts for before anything was foretold."""
OWN_PAST = "own past"
"""The name under which a crawl keeps what it learned of that."""
_SURE = 0.1  # of what a visit says counts: visits of one burst say the same


class Trust:
    """What is believed of both, by what was foretold."""

    def __init__(self, changes: float = FIRST) -> None:
        """`changes`: as an earlier run had learned it."""
        fits = -0.5 * np.log(_CHANGES / changes) ** 2
        self._fits = np.broadcast_to(fits, (_CHANGES.size, _ALONE.size, 1))[:, :, 0]
        self._settle()

    def _settle(self) -> None:
        weights = np.exp(self._fits - self._fits.max())
        weights /= weights.sum()
        self.changes = float(np.exp((weights.sum(axis=1) * np.log(_CHANGES[:, 0, 0])).sum()))
        """Changes that the usual rate counts for in that of a page."""
        self.alone = float((weights.sum(axis=0) * _ALONE[0, :, 0]).sum())
        """The share of a page's changes that comes with time alone."""

    def saw(self, usual: Floats, past: Floats, gaps: Floats, busy: Floats, found: Bools) -> None:
        """Visits after such gaps found a change or none: of pages whose neighbours make it so much `busy` time, and
        that had so many changes in so many seconds (both rows of `past`), where such a rate is `usual`."""
        rates = (_CHANGES + past[0]) / (_CHANGES / usual + past[1])
        expected = np.maximum(rates * (_ALONE * gaps + (1 - _ALONE) * busy), 1e-9)
        fits = np.where(found, np.log(-np.expm1(-expected)), -expected).sum(axis=2)
        self._fits = self._fits + _SURE * (fits - fits.max())
        self._settle()
