"""feeds.db: feeds, their posts, the log of polls and the plans, in SQLite. All SQL of feeds.db is here.

What one poll brought is written in one transaction, so a kill at any moment loses at most the poll in flight. Opened
with `read_only` it may be used next to a running daemon and from any thread, one store per request.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from phasa.feeds.database import open_database, transaction
from phasa.feeds.opml import Outline
from phasa.feeds.post import Hints, Identity, Post
from phasa.feeds.rhythm import stamp
from phasa.feeds.rows import (
    FeedRow,
    FeedUpdate,
    ListResult,
    PlanPoints,
    PlanVersion,
    PollCounts,
    PollRow,
    PostCounts,
    ShownPost,
    Subscription,
)
from phasa.feeds.trace import Times, Trace

# Words of others, which older versions kept however long they were: no more than this of each is taken into memory.
_WORDS = ("publisher", "category", "title", "why", "retired")
_SHOWN = 1000
# When a post counts as posted: the claimed time, but never later than it was first seen.
POSTED = "min(coalesce(published, first_seen), first_seen)"
SHOWN_POST = (
    "SELECT coalesce(nullif(feed.title, ''), feed.url), post.title, post.link, description, published, first_seen,"
    " number, post.feed, feed.url, category, publisher, catalogue, read, star FROM post"
    " JOIN feed ON feed.id = post.feed"
)
"""What a reader sees of posts; `shown` makes values of its rows."""


def shown(row: Sequence[Any]) -> ShownPost:
    values = dict(zip(ShownPost.__struct_fields__, row, strict=True))
    return msgspec.convert(values, ShownPost, strict=False)


class FeedStore:
    """One feeds.db. Raises CollectionError when the file is not such a database, or is to be read and not there."""

    def __init__(self, path: Path | str, identity: Identity = "guid", read_only: bool = False) -> None:
        self.identity: Identity = identity
        self.db = open_database(path, read_only)
        present = {row[1] for row in self.db.execute("PRAGMA table_info(feed)")}
        # A file of an earlier version that cannot be written lacks the later columns.
        self._columns = [name for name in FeedRow.__struct_fields__ if name in present]
        self._selected = ", ".join(f"substr({name}, 1, {_SHOWN})" if name in _WORDS else name for name in self._columns)

    def close(self) -> None:
        self.db.close()

    def __enter__(self) -> FeedStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, url: str, now: float, publisher: str = "", category: str = "", title: str = "") -> bool:
        """Register a feed; False when it, or a feed that moved from this address, is known already."""
        if self.db.execute("SELECT 1 FROM former WHERE url = ?", (url,)).fetchone():
            return False
        done = self.db.execute(
            "INSERT OR IGNORE INTO feed (url, added, since, due, publisher, category, title)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (url, now, now, now, publisher, category, title),
        )
        return done.rowcount == 1

    def add_list(self, feeds: Iterable[Outline], now: float, most: int) -> ListResult:
        """Register the feeds of a list in one transaction, until the store has `most` feeds in all."""
        added = known = refused = 0
        with transaction(self.db):
            room = most - int(self.db.execute("SELECT count(*) FROM feed").fetchone()[0])
            for feed in feeds:
                if added >= room:
                    refused += 1
                elif self.add(feed.url, now, feed.publisher, feed.category, feed.title):
                    added += 1
                else:
                    known += 1
        return ListResult(added, known, refused)

    def retire(self, url: str, why: str) -> bool:
        """Ask a feed no more; its posts stay. False when there is no such feed under watch."""
        done = self.db.execute("UPDATE feed SET retired = ?, why = ? WHERE url = ? AND retired = ''", (why, why, url))
        return done.rowcount == 1

    def revive(self, url: str, now: float) -> str:
        """Ask a retired feed again, from now on; why it was retired, "" when it was not or is unknown."""
        row = self.db.execute("SELECT retired FROM feed WHERE url = ?", (url,)).fetchone()
        if row and row[0]:
            self.db.execute(
                "UPDATE feed SET retired = '', failures = 0, why = 'watched again', due = ?1, since = ?1"
                " WHERE url = ?2",
                (now, url),
            )
        return str(row[0]) if row else ""

    def pause(self, url: str, now: float) -> bool:
        """Let a feed rest. False when there is no such feed under watch."""
        done = self.db.execute(
            "UPDATE feed SET paused = ?, why = 'rests, as you asked' WHERE url = ? AND retired = ''", (now, url)
        )
        return done.rowcount == 1

    def resume(self, url: str, now: float) -> bool:
        """Ask a feed again that rests; what it posted meanwhile is no news. False when there is no such feed."""
        done = self.db.execute(
            "UPDATE feed SET paused = 0, since = CASE WHEN paused > 0 THEN ?1 ELSE since END, due = ?1,"
            " why = 'watched again' WHERE url = ?2 AND retired = ''",
            (now, url),
        )
        return done.rowcount == 1

    def traces(self) -> list[Trace]:
        """When each feed that has posts posted, with the days on which its polls failed."""
        found = []
        for feed in self.feeds():
            whole = Trace(feed.url, self.posting_times(feed.id))
            marked = Trace(feed.url, whole.times, frozenset(self.bad_days(feed.id)))
            # A feed that fails every day has no better days.
            found.append(marked if len(marked.whole().times) else whole)
        return [trace for trace in found if len(trace.times)]

    def feeds(self, only: int | None = None) -> list[FeedRow]:
        """Every feed in the order of joining, retired ones too; or only the one with this number, if there is one."""
        where, values = ("", ()) if only is None else ("WHERE id = ?", (only,))
        rows = self.db.execute(f"SELECT {self._selected} FROM feed {where} ORDER BY id", values)
        return [self._feed_row(row) for row in rows]

    def terms(self) -> dict[int, tuple[object, ...]]:
        """Of every feed that may be polled, what its terms depend on: a watch sees by it who joined or changed."""
        chosen = f"id, url, policy, zone, bootstrap, substr(publisher, 1, {_SHOWN})"
        rows = self.db.execute(f"SELECT {chosen} FROM feed WHERE retired = '' AND paused = 0 ORDER BY id")
        return {row[0]: row[1:] for row in rows}

    def feed(self, number: int) -> FeedRow:
        (row,) = self.feeds(number)
        return row

    def _feed_row(self, row: Sequence[object]) -> FeedRow:
        values = dict(zip(self._columns, row, strict=True))
        hints = values["hints"]
        values["hints"] = msgspec.msgpack.decode(hints, type=Hints) if isinstance(hints, bytes) else Hints()
        return msgspec.convert(values, FeedRow, strict=False)

    def record(
        self, poll: PollRow, posts: Iterable[Post] = (), update: FeedUpdate | None = None,
        bad_day: tuple[dt.date, str] | None = None, moved_to: str | None = None,
    ) -> list[Post]:  # fmt: skip
        """Everything that one poll brought, in one transaction; the posts that were not known before, oldest first."""
        new: list[Post] = []
        with transaction(self.db):
            number = int(self.db.execute("SELECT coalesce(max(number), 0) FROM post").fetchone()[0])
            first = self._is_first(poll.feed)
            # Numbers follow the order of posting; documents show the latest first.
            oldest_first = list(posts)[::-1]
            oldest_first.sort(key=lambda post: poll.at if post.when() is None else post.when() or 0.0)
            for post in oldest_first:
                when = post.when()
                at = stamp(when) if when is not None else None
                # What a feed shows when it is met for the first time is its past, not news.
                past = first is not None and (when is None or when < first)
                done = self.db.execute(
                    "INSERT OR IGNORE INTO post (feed, key, title, description, link, published, first_seen, day,"
                    " month, hour, number, catalogue) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (poll.feed, post.key(self.identity), post.title, post.summary, post.link, when, poll.at,
                     at.day if at else None, at.month if at else None, at.bin if at else None, number + 1, past),
                )  # fmt: skip
                if done.rowcount:
                    number += 1
                    new.append(post)
            had = self.db.execute("SELECT 1 FROM poll WHERE feed = ? AND new > 0 LIMIT 1", (poll.feed,)).fetchone()
            # The window was replaced as a whole since the last poll: others may have come and gone (§5.13).
            missing = bool(had) and first is None and poll.seen >= 2 and len(new) == poll.seen
            self.db.execute(
                "INSERT INTO poll VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (poll.feed, poll.at, poll.status, poll.outcome, poll.seen, len(new), missing, poll.note),
            )
            self.update(poll.feed, update or FeedUpdate())
            if bad_day:
                self.db.execute(
                    "INSERT OR IGNORE INTO bad_day VALUES (?, ?, ?)", (poll.feed, bad_day[0].isoformat(), bad_day[1])
                )
            if moved_to:
                self._move(poll.feed, moved_to)
        return new

    def _is_first(self, number: int) -> float | None:
        """Since when the feed is watched, if no document was read in that time yet; else None."""
        row = self.db.execute(
            "SELECT since FROM feed f WHERE id = ?"
            " AND NOT EXISTS (SELECT 1 FROM poll WHERE feed = f.id AND at >= f.since AND (seen > 0 OR status = 304))",
            (number,),
        ).fetchone()
        return float(row[0]) if row else None

    def update(self, number: int, update: FeedUpdate) -> None:
        """Write the given values of a feed."""
        given = {name: value for name, value in msgspec.structs.asdict(update).items() if value is not msgspec.UNSET}
        if not given:
            return
        if isinstance(given.get("hints"), Hints):
            given["hints"] = msgspec.msgpack.encode(given["hints"])
        columns = ", ".join(f"{name} = ?" for name in given)
        self.db.execute(f"UPDATE feed SET {columns} WHERE id = ?", (*given.values(), number))

    def _move(self, number: int, url: str) -> None:
        old = self.feed(number).url
        if self.db.execute("SELECT 1 FROM feed WHERE url = ?", (url,)).fetchone():
            self.db.execute("UPDATE feed SET retired = ? WHERE id = ?", (f"moved to {url}, which is known", number))
            return
        self.db.execute("UPDATE feed SET url = ? WHERE id = ?", (url, number))
        self.db.execute("INSERT OR REPLACE INTO former VALUES (?, ?)", (old, number))

    def posting_times(self, number: int) -> Times:
        """When the feed posted, ascending: claimed times, but never later than they were seen."""
        # Of what was there before we came and has no date, nobody knows when it was posted.
        rows = self.db.execute(
            f"SELECT cast({POSTED} AS INTEGER) FROM post WHERE feed = ? AND (published IS NOT NULL OR NOT catalogue)"
            " ORDER BY 1",
            (number,),
        )
        return np.array([row[0] for row in rows], dtype=np.int64)

    def delays(self, number: int, since: float) -> list[float]:
        """Seconds between posting and first sight of the posts that were posted while we watched, from `since` on."""
        rows = self.db.execute(
            "SELECT first_seen - published FROM post JOIN feed ON feed.id = post.feed"
            " WHERE feed = ? AND NOT catalogue AND published >= max(since, ?) AND published <= first_seen",
            (number, since),
        )
        return [float(row[0]) for row in rows]

    def log(self, number: int | None = None, newest: int | None = None) -> list[PollRow]:
        """The retrieval log of all feeds or of one, oldest first; or only its newest lines, newest first."""
        where, values = ("WHERE feed = ?", [number]) if number is not None else ("", [])
        order = "at, rowid" if newest is None else "at DESC, rowid DESC LIMIT ?"
        values += [] if newest is None else [newest]
        names = ", ".join(PollRow.__struct_fields__)
        rows = self.db.execute(f"SELECT {names} FROM poll {where} ORDER BY {order}", values)
        return [PollRow(f, at, s, out, seen, new, bool(gap), note) for f, at, s, out, seen, new, gap, note in rows]

    def polls_since(self, moment: float) -> int:
        return int(
            self.db.execute("SELECT count(*) FROM poll WHERE at > ? AND outcome != 'pushed'", (moment,)).fetchone()[0]
        )

    def subscribe(self, wish: Subscription) -> None:
        """Write down what stands with a hub, in place of what stood before."""
        marks = ", ".join("?" * len(Subscription.__struct_fields__))
        self.db.execute(f"INSERT OR REPLACE INTO subscription VALUES ({marks})", msgspec.structs.astuple(wish))

    def subscription(self, number: int) -> Subscription | None:
        return self._subscription("feed", number)

    def subscription_of(self, token: str) -> Subscription | None:
        """The subscription whose callback has this secret name."""
        return self._subscription("token", token)

    def _subscription(self, column: str, value: object) -> Subscription | None:
        names = ", ".join(Subscription.__struct_fields__)
        row = self.db.execute(f"SELECT {names} FROM subscription WHERE {column} = ?", (value,)).fetchone()
        return (
            msgspec.convert(dict(zip(Subscription.__struct_fields__, row, strict=True)), Subscription) if row else None
        )

    def scanned(self) -> dict[str, int]:
        """How many bytes of each file of the archive were searched for feeds."""
        return dict(self.db.execute("SELECT file, bytes FROM scanned").fetchall())

    def mark_scanned(self, file: str, size: int) -> None:
        self.db.execute("INSERT OR REPLACE INTO scanned VALUES (?, ?)", (file, size))

    def last_plan(self, number: int) -> float | None:
        """When the feed's present plan was made."""
        made: float | None = self.db.execute("SELECT max(made) FROM plan WHERE feed = ?", (number,)).fetchone()[0]
        return made

    def bad_days(self, number: int) -> set[dt.date]:
        """Days on which a poll of the feed failed."""
        rows = self.db.execute("SELECT day FROM bad_day WHERE feed = ?", (number,))
        return {dt.date.fromisoformat(row[0]) for row in rows}

    def keep_plans(self, number: int, made: float, plans: Sequence[PlanPoints], why: str = "") -> int:
        """A new version of the feed's plans, one per day cluster; older ones stay."""
        version = 1 + int(
            self.db.execute("SELECT coalesce(max(version), 0) FROM plan WHERE feed = ?", (number,)).fetchone()[0]
        )
        self.db.executemany(
            "INSERT INTO plan (feed, version, cluster, made, per_day, points, expected, why, rule, bins)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (number, version, cluster, made, len(points), " ".join(map(str, points)), hours, why, rule, bins)
                for cluster, points, hours, rule, bins in plans
            ],
        )
        return version

    def plans(self, number: int) -> list[PlanVersion]:
        """Every version of the feed's plan, newest first."""
        rows = self.db.execute(
            "SELECT version, cluster, made, points, expected, why, rule, bins FROM plan WHERE feed = ?"
            " ORDER BY version DESC, cluster",
            (number,),
        )
        return [PlanVersion(v, c, m, tuple(map(int, points.split())), *rest) for v, c, m, points, *rest in rows]

    def latest(self, count: int = 50, feed: int | None = None) -> list[ShownPost]:
        """The newest posts of all feeds, or of one, latest first; a date in the future counts as when it was seen."""
        only = None if feed is None else [feed]
        rows = self.db.execute(
            f"{SHOWN_POST} WHERE {_among('post.feed', only)} ORDER BY {POSTED} DESC, key LIMIT ?", (count,)
        )
        return [shown(row) for row in rows]

    def news(self, feed: int, at: float) -> list[ShownPost]:
        """What the poll of a feed at this moment brought, oldest first."""
        rows = self.db.execute(
            f"{SHOWN_POST} WHERE post.feed = ? AND first_seen = ? ORDER BY number",
            (feed, at),
        )
        return [shown(row) for row in rows]

    def last_polls(self) -> dict[int, float | None]:
        """When each feed was last polled."""
        return dict(self.db.execute("SELECT id, (SELECT max(at) FROM poll WHERE poll.feed = f.id) FROM feed f"))

    def poll_counts(self, since: float, only: Sequence[int] | None = None) -> dict[int, PollCounts]:
        """The polls of every feed, or of some, since a moment."""
        # By an index alone, what hubs delivered left out; the few polls with gaps are looked up separately.
        polls = self.db.execute(
            "SELECT id, (SELECT count(*) FROM poll WHERE poll.feed = f.id AND at >= ? AND outcome != 'pushed'),"
            f" (SELECT max(at) FROM poll WHERE poll.feed = f.id) FROM feed f WHERE {_among('id', only)}",
            (since,),
        ).fetchall()
        gaps = dict(
            self.db.execute(
                f"SELECT feed, count(*) FROM poll WHERE missing AND at >= ? AND {_among('feed', only)} GROUP BY feed",
                (since,),
            )
        )
        return {feed: PollCounts(count, last, gaps.get(feed, 0)) for feed, count, last in polls}

    def post_counts(self, since: float, only: Sequence[int] | None = None) -> dict[int, PostCounts]:
        """The posts of every feed that has any, or of some: in all, and since a moment while we watched it."""
        rows = self.db.execute(
            f"SELECT post.feed, count(*), sum({POSTED} >= max(since, ?1) AND NOT catalogue),"
            " avg(CASE WHEN published >= max(since, ?1) AND published <= first_seen AND NOT catalogue"
            " THEN first_seen - published END)"
            f" FROM post JOIN feed ON feed.id = post.feed WHERE {_among('post.feed', only)} GROUP BY post.feed",
            (since,),
        )
        return {feed: PostCounts(*counts) for feed, *counts in rows}

    def polls_per_day(self, number: int) -> float:
        """How often the feed was polled a day, over all the time that it was; a feed of today counts as a day old."""
        count, first, last = self.db.execute(
            "SELECT count(*), min(at), max(at) FROM poll WHERE feed = ?", (number,)
        ).fetchone()
        return float(count / max(((last or 0.0) - (first or 0.0)) / 86400, 1.0))

    def hours_of_day(
        self, since: float, only: Sequence[int] | None = None
    ) -> Iterator[tuple[int, NDArray[np.int64], float]]:
        """(feed, posts per hour of the day in UTC, moment of the first of them) since a moment, of feeds that had any.

        One pass in the order of the table: the hours of a feed come as one string, a letter each.
        """
        rows = self.db.execute(
            "SELECT feed, group_concat(char(65 + cast(at AS INTEGER) % 86400 / 3600), ''), min(at) FROM (SELECT feed,"
            f" {POSTED} AS at FROM post) WHERE at >= max(?, 0) AND {_among('feed', only)} GROUP BY feed",
            (since,),
        )
        for feed, letters, first in rows:
            hours = np.frombuffer(letters.encode("ascii"), dtype=np.uint8) - 65
            yield feed, np.bincount(hours, minlength=24), first


def _among(column: str, feeds: Sequence[int] | None) -> str:
    """A condition: one of these feeds; any where none are named."""
    return "TRUE" if feeds is None else f"{column} IN ({', '.join(str(int(feed)) for feed in feeds)})"
