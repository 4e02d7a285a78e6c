"""The Strategy protocol: how much do we want this link?

A strategy sees a page once it was fetched and judged, together with the links found on it, and gives every link a
priority: higher is fetched first, equal priorities in the order of discovery, `DROP` is never fetched. It may use all
that is known before the fetch of a link; it never sees the page behind it (DESIGN §3.7).

What must travel with a waiting URL until its own page is judged goes into its *note*, a few bytes that the frontier
keeps next to the priority and hands back in `JudgedPage.note`. So memory does not grow with the frontier.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from phasa.crawl.answer import Floats as Floats
from phasa.crawl.answer import OutLinks as OutLinks
from phasa.crawl.judge import Judgement
from phasa.frontier.protocol import Rediscovery as Rediscovery

DROP = float("-inf")
NO_NOTE = b""


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """A page that was fetched, parsed and judged: all that a strategy may learn from."""

    url: str
    judgement: Judgement
    links: OutLinks
    note: bytes = NO_NOTE
    """What the strategy wrote when it offered this URL."""
    depth: int = 0
    """Links from a seed."""
    country: str = ""
    """ISO 3166 code of the country of the server's address, '' when unknown."""
    via: Sequence[str] = ()
    """The addresses that were redirected here, as they stood in links: what this page is, they turned out to be."""


class Seed(NamedTuple):
    """A URL that the crawl begins from, with the feature values its list gives it (Tables 13–17); a1..a4 default 0."""

    url: str
    parent: float = 0.0
    anchor: float = 0.0
    domain: float | None = None
    """None: taken from the URL."""
    distance: float = 0.0


@dataclass(frozen=True, slots=True)
class Offers:
    """What a strategy thinks of the links it was asked about, in their order."""

    priorities: Floats
    notes: Sequence[bytes] = ()
    """One note per link, or none at all."""

    def note(self, i: int) -> bytes:
        return self.notes[i] if self.notes else NO_NOTE


class Change(NamedTuple):
    """The new priority of a URL that is perhaps still waiting; `DROP`, with the reason, takes it out of the queue.

    A priority with a reason also takes back a URL that was dropped for just that reason.
    """

    url: str
    priority: float
    reason: str = ""


@runtime_checkable
class Strategy(Protocol):
    """How much do we want this link? One object serves one crawl; it is not shared between threads."""

    name: str
    rediscovery: Rediscovery

    def start(self, seeds: Sequence[Seed]) -> Offers:
        """The priorities of the seeds. Called once on a fresh crawl, and again when seeds are added."""
        ...

    def page(self, page: JudgedPage) -> Offers:
        """Learn from a page and score its links. Called once per judged page, in the order of judging."""
        ...

    def failed(self, url: str, note: bytes) -> None:
        """Hear that a URL gave no page that can be judged (error, not HTML, refused)."""
        ...

    def changes(self) -> Sequence[Change]:
        """New priorities of waiting URLs since the last call; URLs that no longer wait are to be ignored.

        The loop asks when it has settled a page, or several together; a strategy that has nothing to change answers
        `()`.
        """
        ...

    def save(self) -> bytes:
        """What was learned, for `load` in a later process. Losing it costs quality, never correctness."""
        ...

    def load(self, state: bytes) -> None:
        """Take up what `save` gave. Raises InputError when the bytes are not of this strategy."""
        ...


@runtime_checkable
class Asking(Protocol):
    """A strategy that must know whether an address still waits: scope, budgets and redirects may have settled it."""

    def ask_with(self, waits: Callable[[str], bool]) -> None:
        """`waits` says whether an address waits or is being fetched. Called once, before the first page."""
        ...


class Reason(NamedTuple):
    """A part of what made a priority, and how much it added."""

    what: str
    worth: float


@runtime_checkable
class Explaining(Protocol):
    """A strategy that says what made a priority."""

    def explain(self, url: str) -> Sequence[Reason]:
        """What made the priority of a URL that it has offered and not heard of since; () when it does not know it."""
        ...


@runtime_checkable
class Taught(Protocol):
    """A strategy that learns from links that gave no page of their own."""

    def lesson(self, url: str, note: bytes, wanted: bool) -> None:
        """Hear what a link was worth: it is dead (not wanted), or it led to a page that was judged before. Called once
        for a URL, before `failed` if that is called, too."""
        ...


@runtime_checkable
class Selective(Protocol):
    """A strategy that wants to see only links that may still be fetched: neither settled nor out of scope."""

    only_open_links: bool
    """Being there says it."""


@runtime_checkable
class Additive(Protocol):
    """A strategy whose learning is a sum over pages: what several workers learned can be added up."""

    def sums(self) -> Mapping[str, NDArray[Any]]:
        """The tables of what was learned, of one dimension, as they are in use: adding to them is learning."""
        ...


@runtime_checkable
class Passing(Protocol):
    """A strategy that keeps evidence of waiting links, and gives no notes. Where several workers crawl, a link to a
    site of another one takes its evidence along."""

    def evidence(self, url: str) -> bytes:
        """What is known of a link; b'' when nothing is."""
        ...

    def adopt(self, links: Sequence[tuple[str, float, bytes]]) -> Sequence[float]:
        """Take links over from other workers, each with the priority and the evidence that it had there; the priority
        that each has here."""
        ...


class Plain:
    """What most strategies share: nothing learned from failures, nothing changed later, nothing to save."""

    name = ""
    rediscovery = Rediscovery.HIGHER

    def failed(self, url: str, note: bytes) -> None:
        return None

    def changes(self) -> Sequence[Change]:
        return ()

    def save(self) -> bytes:
        return b""

    def load(self, state: bytes) -> None:
        return None


def same_priority(priority: float, count: int, note: bytes = NO_NOTE) -> Offers:
    """`count` offers that are all alike."""
    return Offers(np.full(count, priority), [note] * count if note else ())
