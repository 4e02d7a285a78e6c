"""How much worse than even polling a policy may be: beyond an allowance it polls evenly until it has recovered.

Posts carry their times, so what even polling would have cost is known once they are found: half a gap each, whatever
the phase. The guard adds up both, later posts counting more. While what was waited exceeds even polling by more than
the share ALLOWED of it and the wait of POSTS posts, it is on and polls are even.

The bound: with D the faded excess and E the faded wait under even polls, N posts of half a gap h have waited in excess
Σ(d - h) = D_N + (1 - FADES) Σ D_k. While the guard is off D ≤ ALLOWED · E + POSTS · h, but for the posts of the one
poll that turns it on; while it is on a post costs h in the mean. So the whole is at most

    N h (1 + ALLOWED + POSTS (1 - FADES)) + POSTS h + what one poll found and how even polls turned out,

which is 1.04 of even polling and a constant. Nobody can promise less than luck for a dozen posts.
"""

from __future__ import annotations

import numpy as np

from phasa.schedule.value import Floats

# The excess that is allowed, as a share of even polling's delay and in posts that wait half a gap.
ALLOWED, POSTS = 0.02, 10.0
# What remains of older posts at every post found: some 500 count.
FADES = 0.998
# Gaps are longer or shorter than even by this share, in turn, so that the phase passes through the whole gap: polls at
# the same minute of each day would wait as long for every post of a feed that posts at one hour.
SWEEP = 1 / 32


class Guard:
    """The delay of one feed's posts and that under even polls, `gap` seconds apart; `on` while polls are to be even."""

    def __init__(self, gap: float) -> None:
        self.gap = gap
        self.waited = 0.0
        self.even = 0.0
        self.on = False
        self._slower = True

    def see(self, waits: Floats) -> None:
        """Posts were found that had waited so many seconds, in the order of their times."""
        if len(waits) == 0:
            return
        weights = FADES ** np.arange(len(waits) - 1, -1, -1)
        kept, half = FADES ** len(waits), self.gap / 2.0
        self.waited = kept * self.waited + float(weights @ waits)
        self.even = kept * self.even + half * float(weights.sum())
        # It is off again as soon as the excess is allowed: who has learned by then recovers at once, and who has not is
        # stopped by the next post. To wait for more recovery made a feed with a new habit wait a third longer.
        self.on = self.waited - self.even > ALLOWED * self.even + POSTS * half

    def even_gap(self, saved: float) -> float:
        """Seconds to the next even poll. `saved`: days of polls that can be paid now; none are saved or spent in the
        long run, and what was saved before is spent."""
        if saved > 1.0:
            self._slower = False
        elif saved <= 0.0:
            self._slower = True
        return self.gap * (1.0 + SWEEP if self._slower else 1.0 - SWEEP)
