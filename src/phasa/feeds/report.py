"""What is to be seen of the feeds of a store: rates, delays, rhythms, the dial of the budget, and the page of it all.

Everything given out is a frozen value. Times are Unix seconds, delays hours; None where there is nothing to say yet.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from html import escape
from math import sqrt

import msgspec
import numpy as np
from numpy.typing import NDArray

from phasa.errors import InputError
from phasa.feeds.budget import SLOWEST, levels_of
from phasa.feeds.circle import optimum
from phasa.feeds.counted import Counted
from phasa.feeds.oracle import bound
from phasa.feeds.plan import believed_hours, plan_feed
from phasa.feeds.post import headline
from phasa.feeds.rhythm import DAY, HOUR, Cluster, daily_counts
from phasa.feeds.rows import PollCounts, PostCounts, ShownPost
from phasa.feeds.shape import learn_shape
from phasa.feeds.store import FeedStore
from phasa.feeds.trace import Trace

LOOK_BACK = 30 * DAY
EARLY = 7 * DAY
RHYTHM_DAYS = 91
# Posts that the dial adds evenly to a feed's hours, so that a few posts do not look like a rhythm.
EVEN_POSTS = 24.0
# Polls a day for each feed at which the dial is drawn.
DIAL = (0.25, 0.375, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0)


class FeedLine(msgspec.Struct, frozen=True, kw_only=True):
    """One feed in the list. Rates, delays and alarms are those of the last 30 days.

    `one_more_saves`: hours per post that one more poll a day would save.
    """

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
    paused: float
    policy: str
    early: bool
    """Watched for less than a week: rates and delays may be those of an unusual day."""


class Together(msgspec.Struct, frozen=True):
    """Feeds taken together: polls a day, and the mean delay per post in hours, as it was and as it is expected."""

    polls_per_day: float
    achieved: float | None
    expected: float | None


class FeedReport(FeedLine, frozen=True, kw_only=True):
    """A feed in the report: also its day as believed (share of each hour), how far that is believed, the best points
    of the day for its polls, and the least delay that any schedule with as many polls could have had."""

    hours: tuple[float, ...]
    belief: float
    points: tuple[int, ...]
    least_delay: float | None


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


def together(lines: Sequence[FeedLine]) -> Together:
    """What feeds that are watched need and reach in all; delays are means over posts, not over feeds."""
    posting = [line for line in lines if line.posts_per_day > 0]
    return Together(
        sum(line.polls_per_day for line in lines),
        _mean([(line.achieved_delay, line.posts_per_day) for line in posting]),
        _mean([(line.expected_delay, line.posts_per_day) for line in posting]),
    )


def _mean(pairs: list[tuple[float | None, float]]) -> float | None:
    known = [(value, weight) for value, weight in pairs if value is not None]
    weights = sum(weight for _, weight in known)
    return sum(value * weight for value, weight in known) / weights if weights else None


def one_more_saves(worth: float | None, posts_per_day: float) -> float | None:
    """Hours per post that one more poll a day saves a feed whose polls are worth so much (`policy.Decision.worth`).

    Of a steady feed polled n times a day a post waits 1/2n days, so the last bit of a poll is worth 1/2n² days per
    post: that gives n, and n + 1 polls save 1/2n - 1/2(n+1).
    """
    if worth is None or worth <= 0 or posts_per_day <= 0:
        return None
    polls = sqrt(posts_per_day / (2.0 * worth / DAY))
    return 12.0 / polls - 12.0 / (polls + 1.0)


def feed_lines(store: FeedStore, now: float, only: int | None = None, counted: Counted | None = None) -> list[FeedLine]:
    """Every feed, in the order of joining; or only the one with this number. With `counted` what is known is used."""
    since = now - LOOK_BACK
    if counted is not None and only is None:
        polls, posts = counted.of(store, since)
    else:
        some = None if only is None else [only]
        polls, posts = store.poll_counts(since, some), store.post_counts(since, some)
    lines = []
    for feed in store.feeds(only):
        days = max(
            (now - max(feed.since or feed.added, since)) / DAY, 1.0
        )  # of a feed added an hour ago no day is known yet
        polled, posted = polls.get(feed.id, PollCounts()), posts.get(feed.id, PostCounts())
        lines.append(
            FeedLine(
                id=feed.id, url=feed.url, title=feed.title or feed.url, publisher=feed.publisher,
                category=feed.category, posts=posted.total, posts_per_day=posted.recent / days,
                polls_per_day=polled.polls / days, expected_delay=_hours(feed.expected_delay),
                achieved_delay=_hours(posted.delay), one_more_saves=one_more_saves(feed.gain, posted.recent / days),
                last_poll=polled.last, next_poll=feed.due, why=feed.why, failures=feed.failures,
                missing=polled.missing, hub=feed.hub, retired=feed.retired, paused=feed.paused, policy=feed.policy,
                early=now - (feed.since or feed.added) < EARLY,
            )
        )  # fmt: skip
    return lines


def report_feed(store: FeedStore, line: FeedLine, now: float) -> FeedReport:
    """What the last 30 days say about a feed, beyond its line in the list."""
    times = store.posting_times(line.id)
    shape = learn_shape(times)
    hours = shape.per_bin(HOUR, DAY)
    feed = store.feed(line.id)
    since = max(feed.since or feed.added, now - LOOK_BACK)
    recent = times[times >= since]
    polls = store.poll_counts(since, [line.id])[line.id].polls
    return FeedReport(
        **{name: getattr(line, name) for name in FeedLine.__struct_fields__},
        hours=tuple(float(h) for h in hours / hours.sum()), belief=shape.belief,
        points=optimum(hours, min(24, max(1, round(line.polls_per_day)))).points,
        least_delay=bound(recent, polls).total / len(recent) / HOUR if len(recent) and polls else None,
    )  # fmt: skip


def rhythm_of(
    store: FeedStore, feed: int, per_day: int | None = None, zone: dt.tzinfo = dt.UTC, bins: int = 24
) -> list[Rhythm]:
    """The feed's day per day cluster, from three months; `per_day` polls, by default as many as it gets."""
    times = store.posting_times(feed)
    if len(times) == 0:
        return []
    recent = times[times >= times[-1] - RHYTHM_DAYS * DAY]
    if per_day is None:
        per_day = min(bins, max(1, round(store.polls_per_day(feed))))
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


def week_of(store: FeedStore, feed: int, zone: dt.tzinfo = dt.UTC) -> tuple[tuple[int, ...], ...]:
    """Posts of the last three months by day of the week (Monday first) and hour of the day."""
    times = store.posting_times(feed)
    grid = np.zeros((7, 24), dtype=np.int64)
    for second in times[times >= times[-1] - RHYTHM_DAYS * DAY].tolist() if len(times) else []:
        at = dt.datetime.fromtimestamp(second, zone)
        grid[at.weekday(), at.hour] += 1
    return tuple(tuple(row) for row in grid.tolist())


def days_of(store: FeedStore, now: float, feeds: Sequence[int] | None = None) -> dict[int, tuple[int, ...]]:
    """Posts of the last three months by hour of the day (UTC), for every feed that had any, or for some."""
    return {feed: tuple(hours.tolist()) for feed, hours, _ in store.hours_of_day(now - RHYTHM_DAYS * DAY, feeds)}


def dial(store: FeedStore, now: float, budgets: Sequence[float] = ()) -> list[DialPoint]:
    """Expected delay against polls a day for all feeds together; by default from rare to hourly (DIAL)."""
    counts = _average_days(store, now)
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


def _average_days(store: FeedStore, now: float) -> NDArray[np.float64]:
    """Posts per hour of an average day (UTC) of each feed that posted in the last three months."""
    retired = {feed.id for feed in store.feeds() if feed.retired}
    days = [day for day in store.hours_of_day(now - RHYTHM_DAYS * DAY) if day[0] not in retired]
    if not days:
        return np.zeros((0, 24))
    counts = np.array([hours for _, hours, _ in days], dtype=np.float64)
    first = np.array([begun for _, _, begun in days])
    posts = counts.sum(axis=1, keepdims=True)
    shrunk = (counts + EVEN_POSTS / 24) * posts / (posts + EVEN_POSTS)
    return np.asarray(shrunk / np.maximum((now - first) / DAY, 1.0)[:, None], dtype=np.float64)


def _hours(seconds: float | None) -> float | None:
    return None if seconds is None else seconds / HOUR


def write_report(reports: list[FeedReport], latest: list[ShownPost], now: float) -> str:
    """The page. Nothing in it is loaded from elsewhere; what publishers wrote is escaped."""
    rows = "\n".join(_row(report) for report in sorted(reports, key=_urgency))
    posts = "\n".join(
        f"<li><time>{_when(min(post.published or post.first_seen, post.first_seen))}</time> {_link(post)}"
        f" <small><bdi>{escape(headline(post.feed, 80))}</bdi></small></li>"
        for post in latest
    )
    return _PAGE.format(
        made=_when(now), summary=_summary(reports), rows=rows or "<tr><td>none yet</td></tr>",
        posts=posts or "<li>none yet</li>",
    )  # fmt: skip


def _urgency(report: FeedReport) -> tuple[bool, float]:
    """Feeds under watch first, those that keep their readers waiting longest before the others."""
    return bool(report.retired), -(report.achieved_delay or 0.0)


def _summary(reports: list[FeedReport]) -> str:
    active = [report for report in reports if not report.retired]
    delays = [
        (r.achieved_delay, r.posts_per_day) for r in active if r.achieved_delay is not None and r.posts_per_day > 0
    ]
    posts = sum(weight for _, weight in delays)
    parts = [f"{len(active)} feeds under watch", f"{sum(r.posts_per_day for r in active):.1f} posts a day"]
    parts.append(f"{sum(r.polls_per_day for r in active):.1f} polls a day")
    if posts:
        parts.append(f"a post is found {sum(d * w for d, w in delays) / posts:.2f} hours after it was posted")
    if failing := sum(r.failures > 0 for r in active):
        parts.append(f"{failing} failing")
    if len(active) < len(reports):
        parts.append(f"{len(reports) - len(active)} retired")
    return ", ".join(parts)


def _row(report: FeedReport) -> str:
    def number(value: float | None) -> str:
        return "–" if value is None else f"{value:.2f}"

    troubles = [report.retired] if report.retired else [f"{report.failures} failures in a row"] * bool(report.failures)
    if report.missing:
        times = "once" if report.missing == 1 else f"{report.missing} times"
        troubles.append(f"the whole window was new {times}: posts may have been missed")
    title = headline(report.title, 120)
    address = f"<small><bdi>{escape(report.url)}</bdi></small>"
    name = address if title == report.url else f"<bdi>{escape(title)}</bdi><br>{address}"
    next_poll = "never" if report.retired else f"{_when(report.next_poll)}<br><small>{escape(report.why)}</small>"
    name += "".join(f'<p class="trouble">{escape(each)}</p>' for each in troubles)
    cells = [
        ("", _curve(report)),
        ("posts a day", f"{report.posts_per_day:.2f}"),
        ("polls a day", f"{report.polls_per_day:.2f}"),
        ("delay expected", number(report.expected_delay)),
        ("achieved", number(report.achieved_delay)),
        ("least", number(report.least_delay)),
        ("one more poll saves", number(report.one_more_saves)),
        ("next poll", f"<span>{next_poll}</span>"),
    ]
    columns = "".join(f'<td data-label="{label}">{cell}</td>' if label else f"<td>{cell}</td>" for label, cell in cells)
    return f'<tr><th scope="row">{name}</th>{columns}</tr>'


def _curve(report: FeedReport) -> str:
    """The day's rhythm as bars, the best points of the day as marks below; a title tells each hour's share."""
    if report.belief <= 0:
        return f"<small>{'too few posts for a rhythm' if report.posts else 'no posts yet'}</small>"
    top = max(report.hours)
    bars = "".join(
        f'<rect x="{k * 8}" y="{40 - 38 * share / top:.1f}" width="7" height="{38 * share / top:.1f}">'
        f"<title>{k:02d}:00 {share:.1%}</title></rect>"
        for k, share in enumerate(report.hours)
    )
    marks = "".join(f'<path d="M{point * 8} 41l-3 6h6z"/>' for point in report.points)
    hours = "".join(f'<text x="{hour * 8}" y="58">{hour}</text>' for hour in (0, 6, 12, 18, 24))
    label = f"posts by hour of the day (UTC); best polls at {', '.join(f'{p}:00' for p in report.points)}"
    return (
        f'<svg viewBox="-4 0 204 60" width="204" height="60" role="img" aria-label="{label}">{bars}{marks}{hours}</svg>'
    )


def _link(post: ShownPost) -> str:
    title = f"<bdi>{escape(headline(post.title) or post.link[:200] or 'untitled')}</bdi>"
    if post.link.startswith(("http://", "https://")):
        return f'<a href="{escape(post.link)}" rel="noreferrer">{title}</a>'
    return title


def _when(moment: float) -> str:
    return dt.datetime.fromtimestamp(moment, dt.UTC).strftime("%Y-%m-%d %H:%M") if moment > 0 else "–"


# On a narrow screen each feed is a card, and each number has its name next to it.
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Feeds</title><style>
:root {{ color-scheme: light dark; --faint: #555; --line: #ccc; --bar: #37658f; --mark: #b3372e }}
body {{ font: 15px/1.4 system-ui, sans-serif; margin: 1.5em auto; max-width: 90em; padding: 0 1em; color: #222;
background: #fff; overflow-wrap: anywhere }}
table {{ border-collapse: collapse; width: 100% }}
th, td {{ text-align: left; padding: .4em .6em; border-top: 1px solid var(--line); vertical-align: top }}
thead th {{ overflow-wrap: normal }} td[data-label] {{ font-variant-numeric: tabular-nums }}
tbody th {{ min-width: 12em }} tbody td:last-child {{ min-width: 11em }}
small {{ color: var(--faint); font-weight: normal }} rect {{ fill: var(--bar) }} path {{ fill: var(--mark) }}
text {{ fill: var(--faint); font-size: 9px; text-anchor: middle }}
.trouble {{ color: var(--mark); margin: 0; font-weight: normal }}
time {{ color: var(--faint); font-variant-numeric: tabular-nums }} li {{ margin: .3em 0 }} ul {{ padding-left: 1.2em }}
@media (prefers-color-scheme: dark) {{ :root {{ --faint: #aaa; --line: #444; --bar: #7fb2e0; --mark: #f0776c }}
body {{ color: #ddd; background: #181818 }} a {{ color: #8bf }} }}
@media (max-width: 60em) {{ thead {{ display: none }} table, tbody, tr, th, td {{ display: block }}
tr {{ border-top: 1px solid var(--line); padding: .8em 0 }} th, td {{ border: 0; padding: .1em 0 }}
td[data-label] {{ display: flex; gap: 1em; justify-content: space-between }}
td[data-label]::before {{ content: attr(data-label); color: var(--faint); flex: none }}
td[data-label] span {{ text-align: right }} }}
</style></head><body><main><h1>Feeds</h1>
<p>{summary}. Made {made} UTC. <a href="#latest">Latest posts</a></p>
<p>Delays are in hours per post over the last 30 days; <i>least</i> is what no polling with as many requests could
undercut, all posts known beforehand. Bars: posts by hour of the day (UTC), as believed; marks: the best hours to
poll.</p>
<table><thead><tr><th>feed</th><th>rhythm and best polls</th><th>posts a day</th><th>polls a day</th>
<th>delay expected</th><th>achieved</th><th>least</th><th>one more poll saves</th><th>next poll, and why</th></tr>
</thead><tbody>
{rows}
</tbody></table>
<h2 id="latest">Latest</h2><ul>
{posts}
</ul></main></body></html>
"""
