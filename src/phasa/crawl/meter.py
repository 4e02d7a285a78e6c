"""How a crawl goes, in numbers. Every number has one name wherever it is shown, and is defined here."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence

import msgspec

from phasa.frontier.protocol import Stats


class CrawlNumbers(msgspec.Struct, frozen=True, kw_only=True):
    """A crawl in numbers. Totals are over all runs of the collection; what is None is not known."""

    done: int
    """URLs that were fetched."""
    pages: int
    """Those of them that gave a page, which was judged."""
    wanted: int
    """Pages that the judge wanted."""
    harvest: float | None
    """Share of all pages that are wanted (specs/language-specific-crawling.md Eq. 16)."""
    harvest_last_100: float | None = None
    """The same among the last hundred pages of the run."""
    waiting: int
    """URLs that are still to be fetched, without those that are being fetched now."""
    leased: int = 0
    """URLs that are being fetched now."""
    dropped: int
    quarantined: int
    near_duplicates: int = 0
    """Pages that nearly repeat a known one."""
    requisites: int = 0
    """URLs that were fetched so that pages can be seen; `done` counts them, too."""
    hosts: int
    ready_hosts: int | None = None
    """Hosts that may be asked now; only a running crawl knows."""
    resting_hosts: int | None = None
    """Hosts that must be left alone for a while."""
    megabytes: float
    words_per_megabyte: float | None
    """Words of wanted text per megabyte that was fetched."""
    pages_per_second: float | None = None
    """URLs done a second."""
    seconds_left: float | None = None
    """Until the page limit, at the present rate; None without a limit."""

    @classmethod
    def of(cls, stats: Stats) -> CrawlNumbers:
        """What the counts of a frontier come to."""
        return CrawlNumbers(
            done=stats.done,
            pages=stats.pages,
            wanted=stats.wanted,
            harvest=stats.wanted / stats.pages if stats.pages else None,
            waiting=stats.waiting,
            leased=stats.leased,
            dropped=stats.dropped,
            quarantined=stats.quarantined,
            near_duplicates=stats.near_duplicates,
            requisites=stats.requisites,
            hosts=stats.hosts,
            ready_hosts=stats.ready_hosts,
            resting_hosts=stats.resting_hosts,
            megabytes=stats.bytes / 1e6,
            words_per_megabyte=stats.words / (stats.bytes / 1e6) if stats.bytes else None,
        )


class Metrics(CrawlNumbers, frozen=True, kw_only=True):
    """One reading of a run that goes on, or has just ended. Rates are those of the run."""

    time: float
    seconds: float
    """Since the run began."""
    fetches: int
    """Requests of this run, those that failed among them."""
    judged: int = 0
    """Pages of this run."""
    outcomes: dict[str, int]
    """The fetches by status, or by what went wrong."""
    paused: bool = False
    """Nothing is leased until somebody says so (crawl/run/control.py)."""


class Meter:
    """Counts what one run does."""

    def __init__(self, started: float, limit: int = 0) -> None:
        self.started = started
        self.limit = limit
        self.paused = False
        self.fetches = 0
        self.pages = 0
        self.wanted = 0
        self.bytes = 0
        self.outcomes: Counter[str] = Counter()
        self._last: deque[bool] = deque(maxlen=100)

    def fetched(self, outcome: str, size: int) -> None:
        self.fetches += 1
        self.bytes += size
        self.outcomes[outcome] += 1

    def judged(self, wanted: bool) -> None:
        self.pages += 1
        self.wanted += wanted
        self._last.append(wanted)

    def read(self, now: float, stats: Stats) -> Metrics:
        """The numbers of this moment."""
        seconds = max(1e-9, now - self.started)
        rate = self.fetches / seconds
        totals = msgspec.structs.asdict(CrawlNumbers.of(stats))
        totals |= {
            "harvest_last_100": sum(self._last) / len(self._last) if self._last else None,
            "pages_per_second": rate,
            "seconds_left": (self.limit - stats.pages) / (self.pages / seconds) if self.limit and self.pages else None,
        }
        return Metrics(
            **totals,
            time=round(now, 3),
            seconds=round(seconds, 3),
            fetches=self.fetches,
            judged=self.pages,
            outcomes=dict(self.outcomes.most_common()),
            paused=self.paused,
        )


def combine(parts: Sequence[Metrics]) -> Metrics:
    """The readings of several workers, at least one, as one. Totals are everybody's already, so that the latest
    reading has them; what each worker knows of itself alone is added up."""
    latest = max(parts, key=lambda part: part.time)
    if len(parts) == 1:
        return latest
    leased = sum(part.leased for part in parts)
    outcomes: Counter[str] = Counter()
    for part in parts:
        outcomes.update(part.outcomes)
    # Of each worker as many pages count as its share is of.
    last = [(min(100, part.judged), part.harvest_last_100) for part in parts if part.harvest_last_100 is not None]
    of = sum(pages for pages, _ in last)
    # Each says how long it would take alone: together they need as long as their speeds added up.
    speed = sum(1.0 / part.seconds_left for part in parts if part.seconds_left)
    return msgspec.structs.replace(
        latest,
        seconds=max(part.seconds for part in parts),
        fetches=sum(part.fetches for part in parts),
        outcomes=dict(outcomes.most_common()),
        leased=leased,
        waiting=max(0, latest.waiting + latest.leased - leased),
        ready_hosts=sum(part.ready_hosts or 0 for part in parts),
        resting_hosts=sum(part.resting_hosts or 0 for part in parts),
        judged=sum(part.judged for part in parts),
        harvest_last_100=sum(pages * share for pages, share in last) / of if of else None,
        pages_per_second=sum(part.pages_per_second or 0.0 for part in parts),
        seconds_left=1.0 / speed if speed else latest.seconds_left,
    )
