"""Which of the links that could be asked for now are worth it: a live crawl in the order of the lab.

In the lab one page is fetched at a time, so every choice is made with all that is known, and the best link of all comes
next. A live crawl has many connections and polite hosts: if it asked whatever could be asked, most requests would go to
poor links, or out before anything was learned. Two rules keep it near the order of the lab, whatever the web is like:

1. *Learn first.* The requests that are out are never more than a share of the answers that have come: few at first,
   all connections soon, for the number grows with each answer. What good links brought says nothing of poorer ones, so
   for a link only answers count that came from links no better than it: where the good ones are used up a crawl feels
   its way again. A strategy that gives all links the same priority has nothing to learn, and all connections are used.
   Hosts that are slow or fail are asked beside all that: nobody waits for them, and they do not say what is usual.
2. *Regret.* What links of each priority brought so far says what a link promises. Taking a link while a better one is
   about to come costs the difference of their promises. Each request earns a small allowance, `tolerance`, and pays its
   cost out of what was saved up; what cannot be paid for waits. So over any stretch of a crawl its harvest stays within
   `tolerance` of what the order of the lab promised, and where all links promise the same nothing ever waits.

The workers of one crawl keep both rules together: each tells the others what came to it, how many requests it has out
and how good its best link is, and all earn and pay out of one allowance. So four workers are as choosy as one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from math import exp, isqrt

from phasa.frontier.common_order import CommonOrder, Others, Report, Seen
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
        self._seen: list[float] = []
        """The priorities of the links seen, in order."""
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

    def lowest(self, share: float) -> float:
        """The priority that so large a share of the links seen did not exceed; `ANY` for none of them."""
        place = int(share * len(self._seen))
        return ANY if place <= 0 else self._seen[min(place, len(self._seen) - 1)]

    def _fit(self) -> None:
        """Isotonic regression over groups of links (pool adjacent violators)."""
        seen = sorted([*self._recent, *self._poor])
        if len(seen) < self.ENOUGH:
            return
        self._seen = [priority for priority, _ in seen]
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
    NO_BETTER = 4
    """And one for so many of them that came from links no better than the one asked for."""
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

    def __init__(self, tolerance: float, known: int = 0, common: CommonOrder | None = None) -> None:
        """`known` answers came in earlier runs; with a `common` order there are other workers."""
        self.tolerance = tolerance
        self.answers = known
        """Answers that came, those to other workers as well."""
        self.heard = 0
        """Those to other workers in this run."""
        self._common = common
        self._others = Others()
        self._mine = Report((), 0, 0.0, 0, ANY)
        """What was reported last; what came since then follows."""
        self._seen: list[Seen] = []
        self._sent, self._earned = 0, 0.0
        self._told = float("-inf")
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
        if self._common is not None:
            self._seen.append((priority, wanted))

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

    @property
    def has_company(self) -> bool:
        """Whether there may be other workers."""
        return self._common is not None

    def tell(self, out: int, best: float, now: float) -> None:
        """Report to the other workers, if there are any, and hear of them: `out` requests are waited for, and the best
        link that may be asked for before long has this priority."""
        if self._common is None or now < self._told + self._common.rest * (1 + self._others.number):
            return
        self._told = now
        self._mine = Report(self._seen, self._sent, self._earned, out, best)
        self._others = others = self._common.report(self._mine, self.tolerance * self.SAVED)
        self._seen, self._sent, self._earned, self._saved = [], 0, 0.0, others.saved
        self._went_out(others.asked, now)
        self.answers += len(others.seen)
        self.heard += len(others.seen)
        for priority, wanted in others.seen:
            self.promise.saw(priority, wanted, self._least)

    def glance(self, longest: float) -> float:
        """Seconds until it is time to hear of the others again: what they asked has been answered by then."""
        if self._common is None:
            return longest
        return min(longest, max(self._common.rest * (1 + self._others.number), self.usual / 2))

    def room(self) -> float:
        """Requests that may be out."""
        if self._nothing_to_learn():
            return float("inf")
        room, others = 1 + self.answers // self.SHARE, self._others
        if not others.number:
            return room
        # Until the next report each worker takes its share of what is free, and who has the best link what is left.
        share, left = divmod(max(0, room - others.out - self._mine.out), 1 + others.number)
        return self._mine.out + share + (left > 0 and self._mine.best >= others.best)

    def known_enough(self, out: int) -> float:
        """The least priority of a link that may be asked for while so many requests are out: enough answers must have
        come from links no better than it. Other workers do the same until they hear of it, so it counts for all."""
        if self._nothing_to_learn():
            return ANY
        others = self._others
        asked = (out + others.out) * (1 + others.number)
        return self.promise.lowest(asked * self.NO_BETTER / max(1, self.answers))

    def _nothing_to_learn(self) -> bool:
        return self.tolerance >= 1.0 or self.promise.level

    def leaves_it_to_others(self, best: float) -> bool:
        """Whether this worker waits for others: for what they asked, or because one has a better link than its best."""
        return self._others.out > 0 or self._others.best > best

    def _top(self, best: float) -> float:
        """What the best link of all workers promises, when this is the priority of the best here."""
        return self.promise.of(max(best, self._others.best))

    def free(self, best: float) -> float:
        """The least priority that costs no more than a request earns, when the best that may come soon has this one."""
        if self.tolerance >= 1.0:
            return ANY
        self._least = self.promise.least(self._top(best) - self.tolerance)
        return self._least

    def affordable(self, best: float) -> float:
        """The least priority that can be paid for out of what was saved up."""
        if self._saved <= 0.0:
            return self.free(best)
        return self.promise.least(self._top(best) - self.tolerance - self._saved)

    def asks(self, priority: float, best: float, now: float) -> None:
        """A request goes out for a link of this priority: it earns its allowance and pays what it costs."""
        cost = max(0.0, self._top(best) - self.promise.of(priority))
        self._save(self.tolerance - cost)
        self._sent += 1
        self._went_out(1, now)

    def _went_out(self, requests: int, now: float) -> None:
        if requests:
            self.pace = self.pace * exp((self._asked - now) / self.LATELY) + requests / self.LATELY
            self._asked = now

    @property
    def chooses(self) -> bool:
        """Whether some links have to wait for better ones."""
        return self._least > ANY

    def idles(self, seconds: float) -> None:
        """Nothing was worth a request for so long: that earns what requests at the usual pace would have earned, so
        that a crawl that waits for few good links goes on with others, slowly."""
        self._save(self.tolerance * self.pace * seconds / (1 + self._others.number))

    def _save(self, amount: float) -> None:
        self._earned += amount
        self._saved = min(self._saved + amount, self.tolerance * self.SAVED)
