"""The frontier: what next, from which host, when, and what must never be forgotten (DESIGN §1, §3).

A URL is *waiting*, *leased*, *done*, *dropped* with a reason, or *quarantined* with evidence (a drop that can be
released); never two of them, never forgotten. A crawl offers the URLs it finds, leases the best URL of a host whose
turn it is, and finishes the lease together with everything found on the page, in one transaction.

Two implementations share this protocol: `memory` for the lab and `sqlite` for a collection. A third one is written from
this module and from `rules` alone, and is right when it passes `tests/frontier` (test_frontier for the promises,
test_laws for whole histories beside the frontier in memory).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, IntEnum
from typing import NamedTuple, Protocol

import msgspec

from phasa.web.url import Url

ANY = float("-inf")
"""The least priority when every URL will do."""


OUT_OF_SCOPE = "out of scope"
"""How the reason of a drop begins that the scope decided (`Rules.refuse`)."""


NEAR_DUPLICATE = "near duplicate of "
"""How the reason of a page begins that nearly repeats a known one, which it names."""


REQUISITE = b"\0requisite"
"""How the note of a URL begins that is fetched so that a page can be seen, and not to be judged: the scope's choice of
pages, traps and budgets of pages are no matter to it. One byte follows: how many documents it is away from the page."""


class State(IntEnum):
    """The state of a URL. LEASED is never stored: a frontier that is opened again has no leases."""

    WAITING = 0
    DONE = 1
    DROPPED = 2
    QUARANTINED = 3
    LEASED = 4


class OfferResult(IntEnum):
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

    @property
    def is_requisite(self) -> bool:
        """Whether it is wanted only for another page to be seen."""
        return self.note.startswith(REQUISITE)


class Seen(msgspec.Struct, frozen=True, gc=False):
    """What the visits of a page that is visited again have shown: `changes` (expected ones, where several may have
    fallen into a gap) in `seconds`; `digest` and `sketch` of the content that later ones are compared with; the
    validators of the last answer; visits in a row at which the server said that nothing changed (`same`), or that the
    page is not there (`gone`)."""

    since: float
    at: float
    visits: int = 1
    changes: float = 0.0
    seconds: float = 0.0
    same: int = 0
    gone: int = 0
    digest: int = 0
    sketch: int = 0
    etag: str = ""
    modified: str = ""


class Lease(msgspec.Struct, frozen=True, gc=False):
    """The right to fetch one URL until `expires`; nobody else gets its host meanwhile. `host` names its origin
    (`origins.queue_of`).

    `attempts` counts the fetches of this URL so far, `failures` those of its origin in a row that did not succeed.
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
    seen: Seen | None = None
    """What earlier visits have shown, when the page was fetched before."""

    @property
    def is_requisite(self) -> bool:
        """Whether it is wanted only for another page to be seen."""
        return self.note.startswith(REQUISITE)


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
    charset: str = ""

    @property
    def judged(self) -> float | None:
        """The score that the judge gave; None where nothing was judged."""
        return self.score if self.wanted is not None else None


class Ending(msgspec.Struct, frozen=True, gc=False):
    """How a lease ends: DONE, DROPPED, or WAITING again (it is tried later).

    `pause` is how long the origin (scheme, host, port) rests from `at` on, `host_pause` how long the host does whatever
    the scheme, None for as long; `failed` says that the server did not answer, or only that it cannot now (429, 503),
    which counts towards giving the origin up.
    """

    state: State
    reason: str
    at: float = 0.0
    pause: float = 0.0
    address: str = ""
    failed: bool = False
    visit: Visit | None = None
    host_pause: float | None = None
    seen: Seen | None = None
    """What is known of a page that is visited again; `due` says when, None for not any more."""
    due: float | None = None
    change: float | None = None
    """How much of it had changed since the visit before (0 to 1); None at the first."""
    record: str = ""
    """Where the answer stands, when it is not the record of the visit: nothing new came."""

    @property
    def host_rest(self) -> float:
        """How long the host rests, in any case."""
        return self.pause if self.host_pause is None else min(self.pause, self.host_pause)


class DuePage(NamedTuple):
    """A page that is to be visited again: its number, when it was seen, what its visits have shown, when it is due, and
    the score that the judge gave it, None for none."""

    id: int
    url: Url
    at: float
    changes: float
    seconds: float
    due: float
    score: float | None


class Pace(NamedTuple):
    """A page that is visited again: the changes seen of it, in how many seconds, its score as in `DuePage`, and whether
    it is one of this worker."""

    url: Url
    changes: float
    seconds: float
    score: float | None
    ours: bool = True


class Rescoped(NamedTuple):
    """Some URLs that the scope had refused were looked at again."""

    last: int
    """The number of the last of them."""
    seen: int
    taken: int
    """How many wait now."""


class Waiting(NamedTuple):
    """A URL in the queue, as `waiting` shows it."""

    url: Url
    priority: float
    depth: int
    note: bytes


class Visited(NamedTuple):
    """A URL that was fetched, as `visited` shows it."""

    url: Url
    depth: int
    note: bytes
    visit: Visit


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
    host_until: float = 0.0
    """When its origin may be asked again, as far as the storage knows."""


class Stats(msgspec.Struct, frozen=True):
    """The frontier in numbers. `done` counts URLs that were fetched, `pages` those of them that gave a page to judge,
    `near_duplicates` those pages that nearly repeat a known one, `wanted` the pages that the judge wanted."""

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
    near_duplicates: int = 0
    requisites: int = 0
    """URLs that were fetched so that pages can be seen; `done` counts them, too."""

    @classmethod
    def of(cls, tally: Mapping[str, int], leased: int = 0) -> Stats:
        """The counts that a frontier keeps by name, where so many of what waits are leased."""
        names = ("done", "dropped", "quarantined", "near_duplicates", "wanted", "bytes", "words", "hosts", "requisites")
        counts = {name: tally.get(name, 0) for name in names}
        return cls(waiting=tally.get("waiting", 0) - leased, leased=leased, pages=tally.get("judged", 0), **counts)


class Frontier(Protocol):
    """Queue, memory and manners of one crawl.

    *Order.* Among the hosts that may be asked, the URL with the highest priority comes first; ties come in the order of
    discovery. A host has one lease at a time and rests after it (`Ending.host_pause`), and the origin that was asked
    perhaps for longer (`Ending.pause`); a server address has one request at a time and rests after it
    (`Politeness.address_delay`). What may wait and what may be fetched is said by `Rules`.

    *Transactions.* Each call that writes happens as a whole or not at all. `offer`, `drop`, `requeue` and `release` are
    committed when they return, together with everything before them. `finish` and `reprioritise` may be kept back, so
    that many share one commit; they are applied in the order of the calls, and committed at the latest by `commit`, by
    the next call that commits, or by `close`. A page and its links become visible together: while they are
    kept back the URL still counts as leased, and its links are not known. Whatever is kept back, `lease` gives the URLs
    that it would give if everything were committed.

    *Crashes.* After a crash the frontier is as the last commit left it: nothing is half-written, what was leased waits
    again, and the first lease of the new process is given only after the rest that the last request may have earned.

    *Errors.* When the storage fails (disk full), the call raises, nothing of its transaction is written, and the
    frontier writes nothing more; open it again to go on.

    *Questions* (`states`, `settled`, `waiting`, `next_ready`, `stats`, `story`) change nothing: they never write,
    commit or flush. They answer from what is committed, plus the leases that are out; ask `commit` first where the
    last pages matter.

    *Time* is the caller's: every `now` is a number of seconds on one clock, which does not go back within a process.

    *Workers.* One frontier object belongs to one process. When several share the storage, each owns a part of the
    sites with all their hosts, and passes offers for the hosts of others on to them; they arrive with a commit of the
    other worker.
    """

    def offer(self, offers: Sequence[Offer]) -> list[OfferResult]:
        """Take URLs in and commit; what each led to, in order (several workers: of its own hosts only).

        A URL is taken in once: the same offer again gives KNOWN and changes nothing, whatever its state is. An offer of
        a waiting URL changes its priority and note as `Rules.rediscovery` says, never its place among equals. URLs that
        the rules refuse are recorded with the reason. Beyond `Budgets.queue` the waiting URL of the lowest priority
        is dropped, the last one found among equals; such a URL is new again when it is offered again."""

    def lease(self, now: float, n: int = 1, least: float = ANY) -> list[Lease]:
        """Up to n of the best URLs whose hosts and addresses may be asked now, best first, one of each host, none with
        a priority below `least`; none when nothing can be asked. Leases that expired wait again first. May commit."""

    def admit(self, lease: Lease, address: str, now: float) -> float:
        """Say which server address the host of a lease has, before the request. 0: the address is this lease's until it
        ends, go on. Otherwise the address is in use or rests, the lease is given back, and this is when to expect it
        again. 0 for a lease that has expired."""

    def finish(self, lease: Lease, ending: Ending, found: Sequence[Offer] = ()) -> None:
        """End a lease: the URL gets the state of the ending, its host and address rest, its visit is recorded, and
        `found` is taken in as by `offer`, all in one transaction (which may come later, see above).

        A URL that waits again keeps its priority and has one more attempt. After `Politeness.failures` failures of an
        origin in a row all that waits there is dropped. Does nothing for a lease that has expired or was ended before,
        so it may be called twice."""

    def hold(self, lease: Lease, until: float, asked: float | None = None) -> None:
        """Give a lease back as if it had never been given; its host rests until then. `asked`: when its server answered
        something else meanwhile (its robots.txt), so that its address rests, too. Nothing for a lease that ended."""

    def drop(self, url: Url, reason: str) -> bool:
        """A waiting URL will not be fetched. Commits. False, and nothing happens, when it does not wait."""

    def requeue(self, url: Url, priority: float | None = None) -> bool:
        """A done, dropped or quarantined URL waits again, with no attempts counted; with another priority if one is
        given. Commits. False, and nothing happens, when it is unknown, waiting or leased."""

    def wake(self, until: float, rested: float, most: int) -> int:
        """Let done pages wait again that are due by `until` (`Ending.due`) and were not seen since `rested`, first due
        first, so many at most; how many. They wait with the best priority that waits anywhere, so that they come next.
        Commits."""

    def hasten(self, pages: Sequence[tuple[Url, float]], now: float) -> list[Url]:
        """Let those of these pages be due now that are to be visited again and were seen before the time given with
        each; which they are. Commits."""

    def due_pages(self, after: int, most: int) -> Sequence[DuePage]:
        """Pages of this worker that are to be visited again, in the order of their numbers, beyond that one."""

    def reschedule(self, dues: Sequence[tuple[int, float]]) -> None:
        """Let pages be due at other moments, by number (`DuePage.id`); those that wait already do so. Commits."""

    def note(self, name: str) -> float | None:
        """A number that was kept (`keep_note`), by this process or another."""

    def keep_note(self, name: str, value: float) -> None:
        """Keep a number for later runs, and for those who read. Commits."""

    def next_due(self) -> float | None:
        """When the first page is due; None when none is."""

    def paces(self, most: int) -> Sequence[Pace]:
        """Pages that are visited again, so many at most, spread over all of them."""

    def release(self, text: str = "") -> int:
        """Let the quarantined URLs wait again whose address or evidence contains `text`, and trust the URL templates
        whose evidence does; how many URLs. Commits."""

    def reprioritise(self, changes: Sequence[tuple[Url, float]]) -> None:
        """New priorities for waiting URLs, at the latest with the next commit; the last one counts. URLs that do not
        wait or are unknown are left alone."""

    def commit(self) -> None:
        """Make everything so far durable, and take in what other workers passed on. Nothing to do: no cost."""

    def close(self) -> None:
        """Commit and let go of the storage. Leases that are still out wait again."""

    # ── questions ────────────────────────────────────────────────────────────────────────────────

    def states(self, urls: Sequence[Url]) -> list[State | None]:
        """The state of each URL; None when it was never taken in."""

    def settled(self, urls: Sequence[Url]) -> list[bool]:
        """True for a URL that is known and does not wait, so that scoring it is in vain; False when that is not sure
        without a look at the storage."""

    def repeats(self, urls: Sequence[Url], priorities: Sequence[float]) -> list[bool]:
        """True for a URL that need not be offered with this priority, since that would change nothing; False when that
        is not sure without a look at the storage."""

    def sift(self, urls: Sequence[Url], depth: int) -> tuple[list[int], list[int]]:
        """Of links found so many links from a seed: the places of those that are worth scoring, and of those that are
        new and out of scope, which an offer records. What is `settled` is in neither."""

    def waiting(self, host: str, limit: int) -> list[Waiting]:
        """The waiting URLs of a host, best first."""

    def queue(self) -> Iterator[Waiting]:
        """All URLs that wait, in the order of their discovery. A look through all of them."""

    def visited(self, since: float = ANY) -> Iterator[Visited]:
        """The URLs whose last visit was at that time or later, in the order of their discovery. A look through all."""

    def next_ready(self, now: float, least: float = ANY) -> float | None:
        """The earliest time, now or later, at which `lease` may give something (it need not); None when nothing waits
        or only the end of a lease can change that."""

    def best(self, until: float) -> float:
        """The highest priority that waits at a host which may be asked by then, or sooner than that; `ANY` when there
        is none. Hosts that are being asked do not count."""

    def stats(self) -> Stats:
        """Counts, without a search through the queue."""

    def story(self, url: Url) -> Story | None:
        """Everything known of a URL; None when it was never taken in."""
