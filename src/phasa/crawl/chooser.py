"""Which of the links that could be asked for now are worth it: a live crawl in the order of the lab.

In the lab one page is fetched at a time, so every choice is made with all that is known, and the best link of all comes
next. A live crawl has many connections and polite hosts: if it asked whatever could be asked, most requests would go to
poor links, or out before anything was learned. Two rules keep it near the order of the lab, whatever the web is like:

1. *Learn first.* The requests that are out are never more than a share of the answers that have come: few at first,
   all connections soon, for the number grows with each answer. A strategy that gives all links the same priority has
   nothing to learn, and all connections are used. Hosts that are slow or fail are asked beside all that: nobody waits
   for them, and they do not say what is usual.
2. *Regret.* What links of each priority brought so far says what a link promises. Taking a link while a better one is
   about to come costs the difference of their promises. Each request earns a small allowance, `tolerance`, and pays its
   cost out of what was saved up; what cannot be paid for waits. So over any stretch of a crawl its harvest stays within
   `tolerance` of what the order of the lab promised, and where all links promise the same nothing ever waits.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from math import exp, isqrt

from phasa.frontier.protocol import ANY


class Promise:
    """The share of wanted pages among links of about this priority, learned from what came; it grows with priority.

    The last thousand links count, and of those before them the last that would have had to wait: poor links are rarely
    tried, and what they brought would be forgotten otherwise.
    """

    RECENT, POOR, ENOUGH = 1000, 250, 16
    PRIOR = 2.0
    """Links of the average promise that are added to each group, so that a few lucky ones do not promise too much."""

    def __init__(self) -> None:
        self._recent: deque[tuple[float, bool]] = deque()
        self._poor: deque[tuple[float, bool]] = deque(maxlen=self.POOR)
        self._since = 0
        self._floors: list[float] = []
        """Groups of links, from the lowest priority to the highest: the lowest of each, and its promise."""
        self._shares: list[float] = []
        self.level = False
        """Whether all links had the same priority."""

    def saw(self, priority: float, wanted: bool, least: float) -> None:
        """What a link brought; links below `least` have to wait now."""
        self._recent.append((priority, wanted))
        if len(self._recent) > self.RECENT and (oldest := self._recent.popleft())[0] < least:
            self._poor.append(oldest)
        self._since += 1
        if self._since * 16 >= len(self._recent) + len(self._poor):
            self._since = 0
            self._fit()

    def of(self, priority: float) -> float:
        """The promise of a link of this priority; 0 for all while too little is known."""
        if not self._floors:
            return 0.0
        return self._shares[max(0, bisect_right(self._floors, priority) - 1)]

    def least(self, share: float) -> float:
        """The lowest priority that promises no less than that; `ANY` when all do."""
        for place, (floor, promised) in enumerate(zip(self._floors, self._shares, strict=True)):
            if promised >= share:
                return floor if place else ANY
        return self._floors[-1] if self._floors else ANY

    def _fit(self) -> None:
        """Isotonic regression over groups of links (pool adjacent violators)."""
        seen = sorted([*self._recent, *self._poor])
        if len(seen) < self.ENOUGH:
            return
        self.level = seen[0][0] == seen[-1][0]
        average = sum(wanted for _, wanted in seen) / len(seen)
        size = max(4, isqrt(len(seen)))
        floors: list[float] = []
        hits: list[float] = []
        counts: list[float] = []
        for number, (priority, wanted) in enumerate(seen):
            # Links of one priority are one group, however many they are.
            if not floors or (counts[-1] >= size + self.PRIOR and priority != seen[number - 1][0]):
                floors.append(priority)
                hits.append(self.PRIOR * average)
                counts.append(self.PRIOR)
            hits[-1] += wanted
            counts[-1] += 1
        groups: list[tuple[float, float, float]] = []
        for floor, hit, count in zip(floors, hits, counts, strict=True):
            while groups and groups[-1][1] * count >= hit * groups[-1][2]:
                before = groups.pop()
                floor, hit, count = before[0], before[1] + hit, before[2] + count
            groups.append((floor, hit, count))
        self._floors = [floor for floor, _, _ in groups]
        self._shares = [hit / count for _, hit, count in groups]


class Chooser:
    """Decides how many requests may go out and how good they must be. `tolerance` 1 lets every link pass."""

    SHARE = 32
    """One request may be out for so many answers that have come."""
    SAVED = 1000
    """Allowances that can be saved up."""
    SLOW = 4.0
    """A request that has taken so many times as long as usual is no longer waited for."""
    LATELY = 10.0
    """Seconds over which the pace is taken."""
    EASE = 0.05
    """Weight of the last answer in what is usual."""
    HOSTS = 10_000
    """Slow hosts that are remembered."""

    def __init__(self, tolerance: float, known: int = 0) -> None:
        """`known` answers came in earlier runs."""
        self.tolerance = tolerance
        self.answers = known
        self.usual = 1.0
        """Seconds until an answer comes: the median."""
        self._took = 0
        self._slow: dict[str, None] = {}
        self.pace = 0.0
        """Requests a second, of late."""
        self.promise = Promise()
        self._saved = 0.0
        self._least = ANY
        self._asked = 0.0

    def saw(self, priority: float, wanted: bool) -> None:
        """A link of this priority was asked for; whether it brought a wanted page."""
        self.answers += 1
        self.promise.saw(priority, wanted, self._least)

    def took(self, host: str, seconds: float, came: bool) -> None:
        """A request to this host took so long; whether an answer came. Slow ones move what is usual no more than quick
        ones do, however slow they are, and those without an answer not at all."""
        self._slow.pop(host, None)
        if not came or seconds > self.SLOW * self.usual:
            self._slow[host] = None
            if len(self._slow) > self.HOSTS:
                del self._slow[next(iter(self._slow))]
        if came:
            self._took += 1
            self.usual *= exp(max(self.EASE, 1 / self._took) * (1 if seconds > self.usual else -1))

    def is_slow(self, host: str) -> bool:
        """Whether nobody should wait for what this host answers: last time it took long, or none came."""
        return host in self._slow

    def room(self) -> float:
        """Requests that may be out."""
        nothing_to_learn = self.tolerance >= 1.0 or self.promise.level
        return float("inf") if nothing_to_learn else 1 + self.answers // self.SHARE

    def free(self, best: float) -> float:
        """The least priority that costs no more than a request earns, when the best that may come soon has this one."""
        if self.tolerance >= 1.0:
            return ANY
        self._least = self.promise.least(self.promise.of(best) - self.tolerance)
        return self._least

    def affordable(self, best: float) -> float:
        """The least priority that can be paid for out of what was saved up."""
        if self._saved <= 0.0:
            return self.free(best)
        return self.promise.least(self.promise.of(best) - self.tolerance - self._saved)

    def asks(self, priority: float, best: float, now: float) -> None:
        """A request goes out for a link of this priority: it earns its allowance and pays what it costs."""
        cost = max(0.0, self.promise.of(best) - self.promise.of(priority))
        self._save(self.tolerance - cost)
        self.pace = self.pace * exp((self._asked - now) / self.LATELY) + 1.0 / self.LATELY
        self._asked = now

    def idles(self, seconds: float) -> None:
        """Nothing was worth a request for so long: that earns what requests at the usual pace would have earned, so
        that a crawl that waits for few good links goes on with others, slowly."""
        self._save(self.tolerance * self.pace * seconds)

    def _save(self, amount: float) -> None:
        self._saved = min(self._saved + amount, self.tolerance * self.SAVED)
