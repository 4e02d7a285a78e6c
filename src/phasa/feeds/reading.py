"""What a reader of feeds.db wants to see: feeds, rhythms, next polls, delays, the dial of the budget, latest posts.

Opened for reading only, so it may be used beside a running daemon and from any thread: one `Reading` per request.
Everything given out is a frozen row. Times are Unix seconds, delays hours; None where there is nothing to say yet.
"""

from __future__ import annotations

import datetime as dt
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from phasa.errors import CollectionError, InputError
from phasa.feeds.budget import SLOWEST, levels_of
from phasa.feeds.plan import believed_hours, plan_feed
from phasa.feeds.rhythm import DAY, HOUR, Cluster, daily_counts
from phasa.feeds.store import PollRow, Shown
from phasa.feeds.trace import Trace

LOOK_BACK = 30 * DAY
RHYTHM_DAYS = 91
# Posts that the dial adds evenly to a feed's hours, so that a few posts do not look like a rhythm.
EVEN_POSTS = 24.0
# Polls a day for each feed at which the dial is drawn.
DIAL = (0.25, 0.375, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0)


class FeedLine(msgspec.Struct, frozen=True):
    """One feed in the list. Rates, delays and alarms are those of the last 30 days."""

    id: int
    url: str
    title: str
    publisher: str
    category: str
    posts: int
    posts_per_day: float
    polls_per_day: float
    expected_delay: float | None
    achieved_delay: float | None
    one_more_saves: float | None
    last_poll: float | None
    next_poll: float
    why: str
    failures: int
    missing: int
    hub: str
    retired: str


class Rhythm(msgspec.Struct, frozen=True):
    """How a feed posts on the days of one cluster, and the best moments to poll it m times on such a day."""

    cluster: str
    days: int
    posts: int
    counts: tuple[float, ...]
    believed: tuple[float, ...]
    points: tuple[int, ...]
    times: tuple[str, ...]
    expected_delay: float


class DialPoint(msgspec.Struct, frozen=True):
    """Mean delay per post to be expected with so many polls a day for all feeds, and with the same evenly split."""

    polls_per_day: float
    expected_delay: float
    even_delay: float


class PlanVersion(msgspec.Struct, frozen=True):
    """A plan as it was made: which version, for which days, when, why, its points and the delay it promised."""

    version: int
    cluster: str
    made: float
    points: tuple[int, ...]
    expected_delay: float
    why: str


class Reading:
    """One feeds.db, opened for reading. Raises CollectionError when there is none or it is no such database."""

    def __init__(self, path: Path | str) -> None:
        if not Path(path).is_file():
            raise CollectionError(f"{path}: no feeds yet; add one with: phasa feeds add DIR URL")
        self._db = sqlite3.connect(f"{Path(path).resolve().as_uri()}?mode=ro", uri=True)
        try:
            self._db.execute("SELECT 1 FROM feed LIMIT 1")
        except sqlite3.DatabaseError as trouble:
            self._db.close()
            raise CollectionError(f"{path}: not a database of feeds ({trouble}); move it away") from None

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Reading:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def feeds(self, now: float, only: int | None = None) -> list[FeedLine]:
        """Every feed, in the order of joining; or only the one with this number."""
        since = now - LOOK_BACK
        which = "" if only is None else f" AND feed = {int(only)}"
        # By the index on (feed, at) alone; the few polls with gaps are looked up apart.
        polls = {
            feed: (count, last)
            for feed, count, last in self._db.execute(
                "SELECT id, (SELECT count(*) FROM poll WHERE poll.feed = f.id AND at >= ?),"
                f" (SELECT max(at) FROM poll WHERE poll.feed = f.id) FROM feed f WHERE 1{which.replace('feed', 'id')}",
                (since,),
            )
        }
        gaps = dict(
            self._db.execute(
                f"SELECT feed, count(*) FROM poll WHERE missing AND at >= ?{which} GROUP BY feed", (since,)
            )
        )
        posts = {
            feed: (total, recent, delay)
            for feed, total, recent, delay in self._db.execute(
                "SELECT post.feed, count(*), sum(min(coalesce(published, first_seen), first_seen) >= ?),"
                " avg(CASE WHEN published >= max(added, ?) AND published <= first_seen"
                f" THEN first_seen - published END) FROM post JOIN feed ON feed.id = post.feed WHERE 1{which}"
                " GROUP BY post.feed",
                (since, since),
            )
        }
        lines = []
        for row in self._db.execute(
            "SELECT id, url, title, publisher, category, added, expected_delay, gain, due, why, failures, hub, retired"
            f" FROM feed WHERE 1{which.replace('feed', 'id')} ORDER BY id"
        ):
            number, url, title, publisher, category, added, expected, gain, due, why, failures, hub, retired = row
            days = max((now - max(added, since)) / DAY, 1.0)
            polled, last = polls.get(number, (0, None))
            total, recent, delay = posts.get(number, (0, 0, None))
            # `gain` is what one more poll saves in seconds of waiting of all posts of a day.
            saves = gain / max(recent / days, 1.0) / HOUR if gain is not None and recent else None
            lines.append(
                FeedLine(
                    id=number, url=url, title=title or url, publisher=publisher, category=category, posts=total,
                    posts_per_day=recent / days, polls_per_day=polled / days,
                    expected_delay=None if expected is None else expected / HOUR,
                    achieved_delay=None if delay is None else delay / HOUR, one_more_saves=saves, last_poll=last,
                    next_poll=due, why=why, failures=failures, missing=gaps.get(number, 0), hub=hub, retired=retired,
                )
            )  # fmt: skip
        return lines

    def next_polls(self, now: float, count: int = 20) -> list[FeedLine]:
        """The feeds that are polled next, soonest first."""
        return sorted((line for line in self.feeds(now) if not line.retired), key=lambda line: line.next_poll)[:count]

    def rhythm(self, feed: int, per_day: int | None = None, zone: dt.tzinfo = dt.UTC, bins: int = 24) -> list[Rhythm]:
        """The feed's day per day cluster, from three months; `per_day` polls, by default as many as it gets."""
        times = self._posting_times(feed)
        if len(times) == 0:
            return []
        recent = times[times >= times[-1] - RHYTHM_DAYS * DAY]
        if per_day is None:
            log = self._db.execute("SELECT count(*), min(at), max(at) FROM poll WHERE feed = ?", (feed,)).fetchone()
            days = max(((log[2] or 0.0) - (log[1] or 0.0)) / DAY, 1.0)
            per_day = min(bins, max(1, round(log[0] / days)))
        counts = daily_counts(recent.tolist(), bins, zone)
        trace = Trace(str(feed), recent)
        rows = []
        for plan in plan_feed(trace, per_day, bins=bins, zone=zone):
            cluster = Cluster(plan.cluster)
            chosen = counts.of(cluster)
            believed = believed_hours(trace, bins, zone, cluster)
            rows.append(
                Rhythm(
                    cluster=plan.cluster, days=len(chosen.days), posts=plan.posts,
                    counts=tuple(chosen.combined().tolist()), believed=tuple(believed.tolist()), points=plan.points,
                    times=plan.times, expected_delay=plan.expected_delay_hours,
                )
            )  # fmt: skip
        return rows

    def dial(self, now: float, budgets: Sequence[float] = ()) -> list[DialPoint]:
        """Expected delay against polls a day for all feeds together; by default from rare to hourly (DIAL)."""
        counts = self._hours(now)
        if len(counts) == 0:
            return []
        asked = sorted(budgets) or [len(counts) * share for share in DIAL]
        if asked[0] * SLOWEST < len(counts):
            raise InputError(
                f"{asked[0]:g} polls a day cannot serve {len(counts)} feeds once in {SLOWEST} days; raise the budget"
            )
        # Posts wait half an hour more than whole hours say.
        delays = levels_of(counts).totals(np.array(asked)) / counts.sum() + 0.5
        return [
            DialPoint(float(budget), float(delay), 12.0 * len(counts) / budget)
            for budget, delay in zip(asked, delays, strict=True)
        ]

    def plans(self, feed: int) -> list[PlanVersion]:
        """Every version of the feed's plan, newest first."""
        rows = self._db.execute(
            "SELECT version, cluster, made, points, expected, why FROM plan WHERE feed = ?"
            " ORDER BY version DESC, cluster",
            (feed,),
        )
        return [PlanVersion(v, c, m, tuple(int(p) for p in points.split()), e, w) for v, c, m, points, e, w in rows]

    def polls(self, feed: int, count: int = 50) -> list[PollRow]:
        """The feed's latest polls, newest first."""
        names = ", ".join(PollRow.__struct_fields__)
        rows = self._db.execute(
            f"SELECT {names} FROM poll WHERE feed = ? ORDER BY at DESC, rowid DESC LIMIT ?", (feed, count)
        )
        return [PollRow(f, at, s, out, seen, new, bool(gap), note) for f, at, s, out, seen, new, gap, note in rows]

    def latest(self, count: int = 50, feed: int | None = None) -> list[Shown]:
        """The newest posts of all feeds, or of one, latest first."""
        if feed is not None:
            return self._newest(f"post.feed = {int(feed)}", count)
        # A post is never newer than its first sight: only those seen since the last of a sample was posted can be
        # among the newest, and they are found by the index.
        since = self._db.execute(
            "SELECT at FROM (SELECT min(coalesce(published, first_seen), first_seen) AS at FROM post"
            " ORDER BY first_seen DESC LIMIT ?1 * 4) ORDER BY at DESC LIMIT 1 OFFSET ?1 - 1",
            (count,),
        ).fetchone()
        return self._newest(f"first_seen >= {float(since[0])!r}" if since else "1", count)

    def _newest(self, where: str, count: int) -> list[Shown]:
        rows = self._db.execute(
            "SELECT coalesce(nullif(feed.title, ''), feed.url), post.title, post.link, description, published,"
            f" first_seen FROM post JOIN feed ON feed.id = post.feed WHERE {where}"
            " ORDER BY min(coalesce(published, first_seen), first_seen) DESC, key LIMIT ?",
            (count,),
        )
        return [Shown(*row) for row in rows]

    def week(self, feed: int, zone: dt.tzinfo = dt.UTC) -> tuple[tuple[int, ...], ...]:
        """Posts of the last three months by day of the week (Monday first) and hour of the day."""
        times = self._posting_times(feed)
        grid = np.zeros((7, 24), dtype=np.int64)
        for second in times[times >= times[-1] - RHYTHM_DAYS * DAY].tolist() if len(times) else []:
            at = dt.datetime.fromtimestamp(second, zone)
            grid[at.weekday(), at.hour] += 1
        return tuple(tuple(row) for row in grid.tolist())

    def days(self, now: float, feeds: Sequence[int] | None = None) -> dict[int, tuple[int, ...]]:
        """Posts of the last three months by hour of the day (UTC), for every feed that had any, or for some."""
        which = "" if feeds is None else f" AND feed IN ({', '.join(str(int(feed)) for feed in feeds)})"
        return {feed: tuple(counts.tolist()) for feed, counts, _ in self._daily(now, which)}

    def _daily(self, now: float, which: str = "") -> Iterator[tuple[int, NDArray[np.int64], float]]:
        """(feed, posts per hour of the day, first of them) over the last three months.

        One pass in the order of the table: the hours of a feed come as one string, a letter each.
        """
        rows = self._db.execute(
            "SELECT feed, group_concat(char(65 + cast(at AS INTEGER) % 86400 / 3600), ''), min(at) FROM (SELECT feed,"
            f" min(coalesce(published, first_seen), first_seen) AS at FROM post) WHERE at >= max(?, 0){which}"
            " GROUP BY feed",
            (now - RHYTHM_DAYS * DAY,),
        )
        for feed, letters, first in rows:
            hours = np.frombuffer(letters.encode("ascii"), dtype=np.uint8) - 65
            yield feed, np.bincount(hours, minlength=24), first

    def _posting_times(self, feed: int) -> NDArray[np.int64]:
        rows = self._db.execute(
            "SELECT cast(min(coalesce(published, first_seen), first_seen) AS INTEGER) FROM post WHERE feed = ?"
            " ORDER BY 1",
            (feed,),
        )
        return np.array([row[0] for row in rows], dtype=np.int64)

    def _hours(self, now: float) -> NDArray[np.float64]:
        """Posts per hour of an average day (UTC) of each feed that posted in the last three months."""
        retired = {row[0] for row in self._db.execute("SELECT id FROM feed WHERE retired != ''")}
        days = [(counts, first) for feed, counts, first in self._daily(now) if feed not in retired]
        if not days:
            return np.zeros((0, 24))
        counts = np.array([day for day, _ in days], dtype=np.float64)
        first = np.array([begun for _, begun in days])
        posts = counts.sum(axis=1, keepdims=True)
        shrunk = (counts + EVEN_POSTS / 24) * posts / (posts + EVEN_POSTS)
        return np.asarray(shrunk / np.maximum((now - first) / DAY, 1.0)[:, None], dtype=np.float64)
