"""Values of feeds.db: feeds, polls, posts, plans and subscriptions, as `store` gives them out and takes them in."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from phasa.feeds.post import Hints


class Hold(StrEnum):
    """Who set the moment before which a feed is not asked (`FeedRow.not_before`)."""

    NOBODY = ""
    RETRY_AFTER = "retry-after"
    """The server ordered a pause: it holds for all feeds of that server."""
    CACHE = "cache"
    """The answer may be kept so long: Cache-Control or Expires."""
    HINT = "hint"
    """The document asks for it: ttl or sy:*."""
    FAILURE = "failure"
    """Our own pause after a failure."""


class ListResult(NamedTuple):
    """What became of a list of feeds; `refused`: there was no room for them."""

    added: int
    known: int
    refused: int


class FeedRow(Struct, frozen=True):
    """A registered feed and what is known for its next poll.

    `validated`: the address that gave etag and modified. `not_feed`: the last document was not a feed; body_hash and
    validators are those of that document. `gain`: what a poll is worth at the present price, in seconds of waiting.
    `activity`: posts per second expected at the last poll. `policy`, `zone`, `bootstrap`: its own, "" and None where
    those of the collection hold. `entries`: what its document showed last. `since`: from when on it is watched, later
    than `added` when it rested. `paused`: since when it rests, 0 when it does not.
    """

    id: int
    url: str
    publisher: str
    category: str
    title: str
    added: float
    etag: str | None
    modified: str | None
    body_hash: str | None
    not_before: float
    due: float
    why: str
    failures: int
    retired: str
    hub: str
    hints: Hints
    expected_delay: float | None
    gain: float | None
    topic: str = ""
    validated: str = ""
    hold: Hold = Hold.NOBODY
    not_feed: bool = False
    activity: float | None = None
    policy: str = ""
    zone: str = ""
    bootstrap: float | None = None
    entries: int = 0
    since: float = 0.0
    paused: float = 0.0


class FeedUpdate(Struct, frozen=True):
    """New values of a feed's columns; what is not given stays as it is."""

    title: str | UnsetType = UNSET
    etag: str | UnsetType | None = UNSET
    modified: str | UnsetType | None = UNSET
    validated: str | UnsetType = UNSET
    body_hash: str | UnsetType = UNSET
    not_feed: bool | UnsetType = UNSET
    hints: Hints | UnsetType = UNSET
    hub: str | UnsetType = UNSET
    topic: str | UnsetType = UNSET
    failures: int | UnsetType = UNSET
    retired: str | UnsetType = UNSET
    not_before: float | UnsetType = UNSET
    hold: Hold | UnsetType = UNSET
    due: float | UnsetType = UNSET
    why: str | UnsetType = UNSET
    expected_delay: float | UnsetType = UNSET
    gain: float | UnsetType = UNSET
    activity: float | UnsetType = UNSET
    policy: str | UnsetType = UNSET
    zone: str | UnsetType = UNSET
    bootstrap: float | UnsetType | None = UNSET
    entries: int | UnsetType = UNSET
    publisher: str | UnsetType = UNSET
    category: str | UnsetType = UNSET


class PollRow(Struct, frozen=True):
    """One line of the retrieval log."""

    feed: int
    at: float
    status: int
    outcome: str
    seen: int
    new: int
    missing: bool
    note: str


class ShownPost(Struct, frozen=True):
    """A post as a reader sees it. `number`: its place in the order in which posts were found, a cursor for readers.

    `past`: it was there when the feed was first read, so it is no news. `read`, `star`: when a reader marked it, or 0.
    """

    feed: str
    title: str
    link: str
    description: str
    published: float | None
    first_seen: float
    number: int = 0
    feed_id: int = 0
    feed_url: str = ""
    category: str = ""
    publisher: str = ""
    past: bool = False
    read: float = 0.0
    star: float = 0.0

    @property
    def at(self) -> float:
        """When it counts as posted: the claimed time, but never later than it was first seen."""
        return min(self.published if self.published is not None else self.first_seen, self.first_seen)


class PlanPoints(NamedTuple):
    """Poll at these points on each day of the cluster; the delay to expect in hours, who chose them, and the bins of
    a day that they count."""

    cluster: str
    points: tuple[int, ...]
    expected_delay: float
    rule: str = ""
    bins: int = 24


class PlanVersion(Struct, frozen=True):
    """A plan as it was made: which version, for which days, when, why, its points and the delay it promised.

    `rule`: the policy that made it. `bins`: the parts of a day that points count.
    """

    version: int
    cluster: str
    made: float
    points: tuple[int, ...]
    expected_delay: float
    why: str
    rule: str = ""
    bins: int = 24


class Lease(StrEnum):
    """How things stand with a hub."""

    ASKED = "asked"
    ACTIVE = "active"
    REFUSED = "refused"


class Subscription(Struct, frozen=True):
    """What we have with the hub of a feed. `expires`: when the lease ends."""

    feed: int
    hub: str
    topic: str
    token: str
    secret: str
    state: Lease
    asked: float
    expires: float
    note: str

    def with_state(self, state: Lease, expires: float, note: str) -> Subscription:
        return replace(self, state=state, expires=expires, note=note)


class PollCounts(NamedTuple):
    """Polls of a feed since a moment, the last of all its polls, and how often its whole window was new."""

    polls: int = 0
    last: float | None = None
    missing: int = 0


class PostCounts(NamedTuple):
    """All posts of a feed, those of a time while we watched it, and the mean seconds until these were found."""

    total: int = 0
    recent: int = 0
    delay: float | None = None
