"""The frontier: what next, from which host, when, and what must never be forgotten (DESIGN §1, §3).

A URL is *waiting*, *leased*, *done*, *dropped* with a reason, or *quarantined* with evidence (a drop that can be
released); never two of them, never forgotten. A crawl offers the URLs it finds, leases the best URL of a host whose
turn it is, and finishes the lease together with everything found on the page, in one transaction.

Two implementations share this protocol: `memory` for the lab and `sqlite` for a collection.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, IntEnum
from typing import NamedTuple, Protocol

import msgspec

from phasa.web.url import Url


class State(IntEnum):
    """Where a URL stands."""

    WAITING = 0
    DONE = 1
    DROPPED = 2
    QUARANTINED = 3
    LEASED = 4


class Standing(IntEnum):
    """What an offer led to."""

    NEW = 0  # not known before: waits now
    RAISED = 1  # waiting already; priority or note were changed by this offer
    KNOWN = 2  # nothing to do: waiting with no less, leased, done or dropped
    OUT_OF_SCOPE = 3  # recorded as dropped: the rules of the scope say no
    CAPPED = 4  # recorded as dropped: a budget of its host, its site or the queue is spent
    TRAPPED = 5  # recorded as quarantined: looks like a crawler trap


class Rediscovery(Enum):
    """What becomes of a waiting URL that is offered again; its place in the order of discovery stays."""

    FIRST = "first"  # the first offer stands
    HIGHER = "higher"  # the offer with the higher priority stands, with its note
    LATEST = "latest"  # the new priority and note replace the old


class Offer(msgspec.Struct, frozen=True, gc=False):
    """A URL that was found, with what the strategy knew of it before its page was fetched (DESIGN §3.7).

    `note` is the strategy's own, a few bytes that come back unchanged with the lease.
    """

    url: Url
    priority: float = 0.0
    depth: int = 0
    source: str = ""
    note: bytes = b""


class Lease(msgspec.Struct, frozen=True, gc=False):
    """The right to fetch one URL until `expires`; its host is nobody else's meanwhile.

    `attempts` counts the fetches of this URL so far, `failures` those of its host in a row that did not succeed.
    """

    id: int
    url: Url
    host: str
    priority: float
    depth: int
    source: str
    note: bytes
    attempts: int
    expires: float
    failures: int = 0


class Visit(msgspec.Struct, frozen=True, gc=False):
    """What one fetch brought, as the reports count it."""

    at: float
    status: int = 0
    mime: str = ""
    size: int = 0
    wanted: bool | None = None
    score: float = 0.0
    language: str = ""
    words: int = 0
    digest: int = 0
    record: str = ""
    seconds: float = 0.0
    charset: str = ""  # for the crawl log; not kept in the frontier


class Ending(msgspec.Struct, frozen=True, gc=False):
    """How a lease ends: DONE, DROPPED, or WAITING again (a later try).

    `pause` is how long the host rests from `at` on; `failed` says that the server did not answer, or only that it
    cannot now (429, 503), which counts towards giving the host up.
    """

    state: State
    reason: str
    at: float = 0.0
    pause: float = 0.0
    address: str = ""
    failed: bool = False
    visit: Visit | None = None


class Waiting(NamedTuple):
    """A URL in the queue, as `waiting` shows it."""

    url: Url
    priority: float
    depth: int
    note: bytes


class Story(msgspec.Struct, frozen=True):
    """All that is known of one URL: the answer of `phasa why`."""

    url: Url
    state: State
    reason: str
    host: str
    priority: float
    depth: int
    source: str
    note: bytes
    attempts: int
    visit: Visit | None = None
    host_note: str = ""


class Stats(msgspec.Struct, frozen=True):
    """The frontier in numbers. `done` counts URLs that were fetched, `pages` those of them that gave a page to judge,
    `wanted` the pages that the judge wanted."""

    waiting: int = 0
    leased: int = 0
    done: int = 0
    dropped: int = 0
    quarantined: int = 0
    wanted: int = 0
    pages: int = 0
    bytes: int = 0
    words: int = 0
    hosts: int = 0
    ready_hosts: int = 0
    resting_hosts: int = 0


class Frontier(Protocol):
    """Queue, memory and manners of one crawl. Larger priorities come first; ties in the order of discovery.

    A worker is one process (or machine); it never gets a host that another worker has. Leases that are not finished
    before they expire go back to waiting.
    """

    def offer(self, offers: Sequence[Offer]) -> list[Standing]:
        """Take URLs in; what each led to, in order."""

    def sift(self, urls: Sequence[Url]) -> list[State | None]:
        """Where each URL stands; None when it was never seen. Changes nothing."""

    def settled(self, urls: Sequence[Url]) -> list[bool]:
        """True for a URL that is known and does not wait, so that scoring it is in vain; False when not sure."""

    def lease(self, now: float, worker: str = "", n: int = 1) -> list[Lease]:
        """Up to n of the best URLs whose hosts and addresses may be asked now, best first."""

    def admit(self, lease: Lease, address: str, now: float) -> float:
        """Tell the address of the host. 0: go on; else the lease is given back, and this is when it may be asked."""

    def finish(self, lease: Lease, ending: Ending, found: Sequence[Offer] = ()) -> None:
        """End a lease and take in what its page linked to, together or not at all."""

    def hold(self, lease: Lease, until: float, asked: float | None = None) -> None:
        """Give a lease back unharmed; its host rests until then. `asked`: when its server answered something else
        meanwhile (its robots.txt), so that the server's address rests too."""

    def drop(self, url: Url, reason: str) -> bool:
        """A waiting URL will not be fetched. False when it does not wait."""

    def requeue(self, url: Url, priority: float | None = None) -> bool:
        """A done, dropped or quarantined URL waits again. False when unknown, waiting or leased."""

    def reprioritise(self, changes: Sequence[tuple[Url, float]]) -> None:
        """New priorities for waiting URLs, at the latest with the next commit; others are left alone."""

    def waiting(self, host: str, limit: int) -> list[Waiting]:
        """The waiting URLs of a host, best first."""

    def next_ready(self, now: float) -> float | None:
        """The earliest time at which `lease` may give something; None when nothing waits or only leases are out."""

    def stats(self) -> Stats:
        """Counts, without looking through the queue."""

    def story(self, url: Url) -> Story | None:
        """Everything known of a URL; None when it was never offered."""

    def commit(self) -> None:
        """Make everything so far durable."""

    def close(self) -> None:
        """Commit and let go. Leases that are still out wait again."""
