"""What the Crawl page sees: the numbers of this moment, the history, the tables and the estimates of one collection."""

from __future__ import annotations

import threading
import time
from itertools import pairwise
from typing import Literal

import msgspec

from phasa.collection import Collection
from phasa.crawl.run.control import Orders, read_orders
from phasa.crawl.run.history import Sample, read_history
from phasa.crawl.run.live_status import LiveStatus, read_live_status
from phasa.crawl.run.shadow import Coverage, ShadowPoint, coverage, shadow
from phasa.crawl.run.status import Status, has_begun, read_status
from phasa.crawl.run.summary import Place, Summary

RATE_OVER = 10.0
"""Seconds that "pages a second" looks back."""
BACKLOG = 5000
"""Pages that may be missing in the tables without a word."""
LATEST = 1000
"""Pages whose harvest stands for what waits."""


class CrawlNow(msgspec.Struct, frozen=True, kw_only=True):
    """A crawl at this moment. `state`: never crawled, at rest, running, paused. Numbers are those of all runs."""

    time: float
    state: Literal["never", "rest", "running", "paused"]
    what_next: str
    strategy: str
    workers: int
    pages: int
    wanted: int
    harvest: float | None
    last_100: float | None
    done: int
    dropped: int
    quarantined: int
    queue: int
    hosts: int
    ready_hosts: int | None
    resting_hosts: int | None
    pages_per_second: float | None
    words_per_megabyte: float | None
    megabytes: float
    leased: int
    fetching: tuple[str, ...]
    run_seconds: float | None
    seconds_left: float | None
    ended: str
    errors: tuple[str, ...]
    limits: Limits
    orders: Orders


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """The budgets that hold: the settings', or what was ordered in their place. 0: no limit."""

    pages: int
    seconds: float
    megabytes: float
    delay: float


class CrawlHistory(msgspec.Struct, frozen=True, kw_only=True):
    """The samples of a crawl as columns, oldest first. `seconds`: time in which it worked, without the gaps."""

    time: list[float]
    seconds: list[float]
    pages: list[int]
    wanted: list[int]
    last_100: list[float]
    pages_per_second: list[float]
    queue: list[int]
    ready_hosts: list[int]
    words_per_megabyte: list[float]
    megabytes: list[float]


class CrawlTables(msgspec.Struct, frozen=True, kw_only=True):
    """Hosts and segments with the most pages, and the estimates. `counted`: share of the pages that is counted yet."""

    counted: float
    hosts: list[Place]
    segments: list[Place]
    coverage: Coverage | None
    shadow: list[ShadowPoint]


def crawl_now(collection: Collection) -> CrawlNow:
    """The numbers of this moment. Raises CollectionError when the frontier cannot be read."""
    stands = read_status(collection)
    bulletin = read_live_status(collection)
    orders = read_orders(collection)
    budgets, manners = orders.budgets(collection.settings), orders.manners(collection.settings)
    live = bulletin.metrics if bulletin is not None and stands.running and not bulletin.ended else None
    return CrawlNow(
        time=time.time(),
        state=_state(stands, bulletin, orders),
        what_next=stands.what_next,
        strategy=bulletin.strategy if bulletin is not None and live is not None else stands.strategy,
        workers=bulletin.workers if bulletin is not None else 1,
        pages=stands.pages,
        wanted=stands.wanted,
        harvest=stands.harvest,
        last_100=bulletin.metrics.harvest_last_100 if bulletin is not None and bulletin.metrics.fetches else None,
        done=stands.done,
        dropped=stands.dropped,
        quarantined=stands.quarantined,
        queue=stands.waiting,
        hosts=stands.hosts,
        ready_hosts=live.ready_hosts if live is not None else None,
        resting_hosts=live.resting_hosts if live is not None else None,
        pages_per_second=_rate(bulletin, collection) if live is not None and not live.paused else None,
        words_per_megabyte=stands.words_per_megabyte,
        megabytes=stands.megabytes,
        leased=live.leased if live is not None else 0,
        fetching=bulletin.fetching if bulletin is not None and live is not None else (),
        run_seconds=live.seconds if live is not None else None,
        seconds_left=live.seconds_left if live is not None else None,
        ended=bulletin.ended if bulletin is not None and not stands.running else "",
        errors=bulletin.errors if bulletin is not None else (),
        limits=Limits(
            pages=bulletin.pages_limit if bulletin is not None and live is not None else budgets.pages,
            seconds=budgets.seconds,
            megabytes=budgets.megabytes,
            delay=manners.delay,
        ),
        orders=orders,
    )


def _state(
    stands: Status, bulletin: LiveStatus | None, orders: Orders
) -> Literal["never", "rest", "running", "paused"]:
    if stands.running:
        paused = orders.paused if bulletin is None or bulletin.ended else bulletin.metrics.paused
        return "paused" if paused else "running"
    return "rest" if stands.done or stands.dropped else "never"


def _rate(bulletin: LiveStatus | None, collection: Collection) -> float | None:
    """URLs done a second, over the last seconds; over the run while it is young."""
    if bulletin is None:
        return None
    now = bulletin.metrics
    before = [s for s in read_history(collection.reports_folder)[-60:] if now.time - 6 * RATE_OVER < s.time < now.time]
    since = next((s for s in reversed(before) if now.time - s.time >= RATE_OVER), before[0] if before else None)
    if since is None or now.time - since.time < 0.5 or since.time < bulletin.started:
        return now.pages_per_second
    return max(0.0, (now.done - since.done) / (now.time - since.time))


def crawl_history(collection: Collection, points: int) -> CrawlHistory:
    """The history, thinned to at most so many points; both ends stay."""
    samples = read_history(collection.reports_folder)
    if len(samples) > points:
        step = (len(samples) - 1) / (points - 1)
        samples = [samples[round(place * step)] for place in range(points)]
    seconds, rates = _worked(samples)
    return CrawlHistory(
        time=[s.time for s in samples],
        seconds=seconds,
        pages=[s.pages for s in samples],
        wanted=[s.wanted for s in samples],
        last_100=[s.last_100 for s in samples],
        pages_per_second=rates,
        queue=[s.queue for s in samples],
        ready_hosts=[s.ready_hosts for s in samples],
        words_per_megabyte=[round(s.words / s.megabytes, 1) if s.megabytes else 0.0 for s in samples],
        megabytes=[s.megabytes for s in samples],
    )


def _worked(samples: list[Sample]) -> tuple[list[float], list[float]]:
    """Seconds of work up to each sample, and URLs done a second before it. Gaps (pauses, other days) count nothing."""
    if not samples:
        return [], []
    steps = [later.time - earlier.time for earlier, later in pairwise(samples)]
    usual = sorted(steps)[len(steps) // 2] if steps else 1.0
    longest = max(5.0, 4.0 * usual)
    seconds, rates = [0.0], [0.0]
    for place, step in enumerate(steps, 1):
        gap = step <= 0.0 or step > longest
        seconds.append(round(seconds[-1] + (0.0 if gap else step), 1))
        done = samples[place].done - samples[place - 1].done
        rates.append(rates[-1] if gap else round(max(0, done) / step, 2))
    if len(rates) > 1:
        rates[0] = rates[1]
    return seconds, rates


def crawl_tables(collection: Collection, limit: int) -> CrawlTables:
    """The tables as far as they are counted."""
    if not has_begun(collection):
        return CrawlTables(counted=1.0, hosts=[], segments=[], coverage=None, shadow=[])
    stands = read_status(collection)
    with Summary(collection) as summary:
        levels = summary.levels()
        judged = sum(level.judged for level in levels)
        tried = sum(level.tried for level in levels)
        hosts, once, twice = summary.wanted_hosts()
        estimate = coverage(
            wanted=stands.wanted,
            waiting=stands.waiting,
            latest_harvest=_latest_harvest(collection, stands),
            latest_pages_of_urls=judged / tried if tried else 1.0,
            hosts=hosts,
            once=once,
            twice=twice,
        )
        return CrawlTables(
            # The log of a running crawl is a few seconds behind: that is no backlog.
            counted=summary.progress() if stands.pages - judged > BACKLOG else 1.0,
            hosts=summary.hosts(limit),
            segments=summary.segments(limit),
            coverage=estimate if stands.pages else None,
            shadow=shadow(levels, stands.pages),
        )


def _latest_harvest(collection: Collection, stands: Status) -> float:
    """The share of wanted pages among the latest thousand or so; of all while there are fewer."""
    samples = read_history(collection.reports_folder)
    for sample in reversed(samples):
        if stands.pages - sample.pages >= LATEST:
            return (stands.wanted - sample.wanted) / (stands.pages - sample.pages)
    return stands.harvest or 0.0


class Counting:
    """Keeps the tables of one collection up to date, in a thread that runs while there is something to count."""

    WORK, REST = 0.05, 0.05

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closing = threading.Event()

    def nudge(self) -> None:
        """Somebody looks: count what is new."""
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._count, name="counting", daemon=True)
                self._thread.start()

    def wait(self, seconds: float = 60.0) -> None:
        """Return when everything is counted, or after so long."""
        if self._thread is not None:
            self._thread.join(seconds)

    def close(self) -> None:
        """Count no further."""
        self._closing.set()
        self.wait()

    def _count(self) -> None:
        from phasa.errors import PhasaError

        try:
            with Summary(self._collection) as summary:
                while not self._closing.is_set() and not summary.follow(self.WORK):
                    # The requests of readers come first.
                    self._closing.wait(self.REST)
        except PhasaError:
            return  # whoever asks for the tables is told
