"""Where a collection stands, read beside a crawl that may be running: nothing here writes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal

import msgspec

from phasa.collection import Collection
from phasa.crawl.meter import CrawlNumbers
from phasa.crawl.run.control import Orders, read_orders
from phasa.crawl.run.live_status import LiveStatus, read_history, read_live_status
from phasa.crawl.run.shipping import shipping_state, storage_in_words
from phasa.frontier.protocol import Stats
from phasa.frontier.reader import FrontierReader, Unruled
from phasa.frontier.scope import Scope, scope_text
from phasa.frontiers import is_begun, read_frontier

RATE_OVER = 10.0
"""Seconds that "pages a second" looks back."""

State = Literal["never", "rest", "running", "paused"]
"""Never crawled, at rest, running, or running and paused."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """The budgets that hold: the settings', or what was ordered in their place. 0: no limit."""

    pages: int
    seconds: float
    megabytes: float
    delay: float


class Status(CrawlNumbers, frozen=True, kw_only=True):
    """A collection at this moment: its numbers, whether a crawl runs, what it does, and what it was told."""

    time: float
    language: str
    strategy: str
    state: State
    running: bool
    what_next: str
    workers: int = 1
    fetching: tuple[str, ...] = ()
    """Some of the URLs that are being fetched."""
    run_seconds: float | None = None
    """Since the run began that goes on."""
    ended: str = ""
    """Why the last run ended; '' while one goes on."""
    errors: tuple[str, ...] = ()
    delays: str = ""
    """The hosts that have a delay of their own."""
    without_rules: str = ""
    """What waits because a robots.txt cannot be had; while nothing runs."""
    dropped_by_scope: str = ""
    """What `phasa crawl --rescope` would take back; only `phasa status` looks."""
    storage: str = ""
    """What was shipped, what waits, and what is wrong with storage; '' when the settings name none."""
    pages_not_shipped: int | None = None
    """Records that only this disk has; None when the settings name no storage."""
    limits: Limits
    orders: Orders


def dropped_by_scope(collection: Collection) -> str:
    """What a scope that was changed since would take back, in words; '' for nothing. Looks through all URLs when it was
    changed."""
    settings = collection.settings.scope
    with read_frontier(collection) as frontier:
        if not frontier.begun or frontier.scope() == scope_text(settings):
            return ""
        scope, dropped, back = Scope(settings), 0, 0
        for url, depth in frontier.out_of_scope():
            dropped += 1
            back += not scope.refuses(url, depth)
    if not back:
        return ""
    return f"{dropped:,} addresses were dropped by the scope as it was; --rescope takes back {back:,} of them"


def rules_missing(origins: Sequence[Unruled]) -> str:
    """What waits for rules, in words; '' for nothing."""
    if not origins:
        return ""
    named = [
        f"{one.origin} ({one.reason}; {one.urls:,} URLs; asked again from {_hour(one.until)} on)" for one in origins[:3]
    ]
    more = f" and {len(origins) - 3} more" if len(origins) > 3 else ""
    return (
        f"{sum(one.urls for one in origins):,} URLs wait for a robots.txt that cannot be had: {', '.join(named)}{more}"
    )


def _hour(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def read_status(collection: Collection, frontier: FrontierReader | None = None) -> Status:
    """The status of this moment. `frontier`: a reader that is open already. Raises CollectionError when the frontier
    or the orders cannot be read."""
    if frontier is None:
        with read_frontier(collection) as opened:
            return read_status(collection, opened)
    totals, orders, settings = frontier.totals(), read_orders(collection), collection.settings
    running = is_running(collection)
    last = read_live_status(collection)
    live = last if running and last is not None and not last.ended else None
    budgets = orders.budgets(settings)
    state = _state(running, live, orders, totals)
    shipped = shipping_state(collection)
    numbers = msgspec.structs.asdict(CrawlNumbers.of(totals)) | {
        "harvest_last_100": last.metrics.harvest_last_100 if last is not None else None,
        "ready_hosts": live.metrics.ready_hosts if live is not None else None,
        "resting_hosts": live.metrics.resting_hosts if live is not None else None,
    }
    if live is not None:
        numbers |= {
            # To the store, what is being fetched still waits.
            "waiting": max(0, totals.waiting - live.metrics.leased),
            "leased": live.metrics.leased,
            "pages_per_second": _rate(live, collection) if state == "running" else None,
            "seconds_left": live.metrics.seconds_left,
        }
    return Status(
        **numbers,
        time=time.time(),
        language=collection.profile.code,
        strategy=live.strategy if live is not None else settings.strategy,
        state=state,
        running=running,
        what_next=_what_next(collection, totals, state, orders),
        workers=last.workers if last is not None else 1,
        fetching=live.fetching if live is not None else (),
        run_seconds=live.metrics.seconds if live is not None else None,
        ended=last.ended if last is not None and not running else "",
        errors=last.errors if last is not None else (),
        delays=", ".join(f"{name} {seconds:g} s" for name, seconds in settings.politeness.delays.items()),
        without_rules=rules_missing(frontier.unruled()) if not running and totals.waiting else "",
        storage=storage_in_words(shipped) if shipped is not None else "",
        pages_not_shipped=shipped.pages_waiting if shipped is not None else None,
        limits=Limits(
            pages=live.pages_limit if live is not None else budgets.pages,
            seconds=budgets.seconds,
            megabytes=budgets.megabytes,
            delay=orders.manners(settings).delay,
        ),
        orders=orders,
    )


def is_running(collection: Collection) -> bool:
    """Whether somebody works on the collection now."""
    return collection.is_locked()


def _state(running: bool, live: LiveStatus | None, orders: Orders, totals: Stats) -> State:
    if running:
        paused = orders.paused if live is None else live.metrics.paused
        return "paused" if paused else "running"
    return "rest" if totals.done or totals.dropped else "never"


def _rate(live: LiveStatus, collection: Collection) -> float | None:
    """URLs done a second, over the last seconds; over the run while it is young."""
    now = live.metrics
    before = [s for s in read_history(collection.reports_folder)[-60:] if now.time - 6 * RATE_OVER < s.time < now.time]
    since = next((s for s in reversed(before) if now.time - s.time >= RATE_OVER), before[0] if before else None)
    if since is None or now.time - since.time < 0.5 or since.time < live.started:
        return now.pages_per_second
    return max(0.0, (now.done - since.done) / (now.time - since.time))


def _what_next(collection: Collection, totals: Stats, state: State, orders: Orders) -> str:
    if orders.paused:
        return f"paused; go on with: phasa crawl {collection.path} --resume"
    if state in ("running", "paused"):
        return f"a crawl is running; see it in a browser: phasa serve {collection.path}"
    if not is_begun(collection):
        return f"not crawled yet: phasa crawl {collection.path}"
    if totals.waiting:
        return f"go on with: phasa crawl {collection.path}"
    if state == "never":
        return "nothing was ever offered: put addresses into seeds.txt"
    return "nothing waits: every URL found is done or dropped (phasa status --report dropped says why)"
