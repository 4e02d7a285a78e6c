"""The report of a store of feeds: one self-contained page, for each feed its rhythm, its polls, its delay, and why."""

from __future__ import annotations

import datetime as dt
from html import escape

import msgspec
import numpy as np

from phasa.feeds.circle import optimum
from phasa.feeds.oracle import bound
from phasa.feeds.rhythm import DAY, HOUR
from phasa.feeds.shape import learn_shape
from phasa.feeds.store import FeedRow, FeedStore, Shown

LOOK_BACK = 30 * DAY


class FeedReport(msgspec.Struct, frozen=True):
    """One feed in numbers. Delays in hours; None where there is nothing to say yet."""

    url: str
    title: str
    posts: int
    per_day: float
    polls_per_day: float
    hours: tuple[float, ...]
    belief: float
    points: tuple[int, ...]
    expected_delay: float | None
    achieved_delay: float | None
    least_delay: float | None
    one_more_saves: float | None
    next_poll: float
    why: str
    failures: int
    missing: int
    retired: str


def report_feed(store: FeedStore, feed: FeedRow, now: float) -> FeedReport:
    """What the last 30 days say about a feed."""
    times = store.posting_times(feed.id)
    shape = learn_shape(times)
    hours = shape.per_bin(HOUR, DAY)
    since = max(feed.added, now - LOOK_BACK)
    days = max((now - since) / DAY, 1e-9)
    log = [poll for poll in store.log(feed.id) if poll.at >= since]
    delays = store.delays(feed.id, since)
    recent = times[times >= since]
    polls = len(log) / days
    whole = min(24, max(1, round(polls)))
    saves = None
    if len(times) and whole < 24:
        now_delay, then_delay = optimum(hours, whole).total, optimum(hours, whole + 1).total
        saves = (now_delay - then_delay) / float(hours.sum())
    return FeedReport(
        url=feed.url, title=feed.title or feed.url, posts=len(times), per_day=len(recent) / days, polls_per_day=polls,
        hours=tuple(float(h) for h in hours / hours.sum()), belief=shape.belief, points=optimum(hours, whole).points,
        expected_delay=None if feed.expected_delay is None else feed.expected_delay / HOUR,
        achieved_delay=float(np.mean(delays)) / HOUR if delays else None,
        least_delay=bound(recent, len(log)).total / len(recent) / HOUR if len(recent) and log else None,
        one_more_saves=saves, next_poll=feed.due, why=feed.why, failures=feed.failures,
        missing=sum(poll.missing for poll in log), retired=feed.retired,
    )  # fmt: skip


def write_report(reports: list[FeedReport], latest: list[Shown], now: float) -> str:
    """The page. Nothing in it is loaded from elsewhere; what publishers wrote is escaped."""
    rows = "\n".join(_row(report) for report in sorted(reports, key=lambda r: -(r.achieved_delay or 0.0)))
    posts = "\n".join(
        f"<li><time>{_when(post.published or post.first_seen)}</time> {_link(post)}"
        f" <small>{escape(post.feed)}</small></li>"
        for post in latest
    )
    return _PAGE.format(made=_when(now), feeds=len(reports), rows=rows, posts=posts)


def _row(report: FeedReport) -> str:
    def number(value: float | None) -> str:
        return "–" if value is None else f"{value:.2f}"

    state = report.retired or (f"{report.failures} failures" if report.failures else "")
    alarm = f"{report.missing} times posts may have been missed" if report.missing else ""
    cells = [
        f"<th>{escape(report.title)}<br><small>{escape(report.url)}</small></th>",
        f"<td>{_curve(report)}</td>",
        f"<td>{report.per_day:.2f}</td><td>{report.polls_per_day:.2f}</td>",
        f"<td>{number(report.expected_delay)}</td><td>{number(report.achieved_delay)}</td>",
        f"<td>{number(report.least_delay)}</td><td>{number(report.one_more_saves)}</td>",
        f"<td>{_when(report.next_poll)}<br><small>{escape(report.why)}</small></td>",
        f"<td>{escape(state)} {alarm}</td>",
    ]
    return "<tr>" + "".join(cells) + "</tr>"


def _curve(report: FeedReport) -> str:
    """The day's rhythm as bars, the best points of the day as marks below; a title tells each hour's share."""
    top = max(report.hours)
    bars = "".join(
        f'<rect x="{k * 8}" y="{40 - 38 * share / top:.1f}" width="7" height="{38 * share / top:.1f}">'
        f"<title>{k:02d}:00 {share:.1%}</title></rect>"
        for k, share in enumerate(report.hours)
    )
    marks = "".join(f'<path d="M{point * 8} 41l-3 6h6z"/>' for point in report.points)
    label = f"posts by hour of the day (UTC); best polls at {', '.join(f'{p}:00' for p in report.points)}"
    return f'<svg viewBox="0 0 194 48" width="194" height="48" role="img" aria-label="{label}">{bars}{marks}</svg>'


def _link(post: Shown) -> str:
    title = escape(post.title or post.link or "untitled")
    if post.link.startswith(("http://", "https://")):
        return f'<a href="{escape(post.link)}" rel="noreferrer">{title}</a>'
    return title


def _when(moment: float) -> str:
    return dt.datetime.fromtimestamp(moment, dt.UTC).strftime("%Y-%m-%d %H:%M") if moment > 0 else "–"


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Feeds</title><style>
body {{ font: 15px/1.4 system-ui, sans-serif; margin: 2em auto; max-width: 90em; padding: 0 1em; color: #222;
background: #fff }}
table {{ border-collapse: collapse; width: 100% }}
th, td {{ text-align: left; padding: .4em .6em; border-top: 1px solid #ccc; vertical-align: top }}
small {{ color: #555; overflow-wrap: anywhere }} rect {{ fill: #37658f }} path {{ fill: #b3372e }}
time {{ color: #555; font-variant-numeric: tabular-nums }} li {{ margin: .2em 0 }}
@media (prefers-color-scheme: dark) {{ body {{ color: #ddd; background: #181818 }} small, time {{ color: #aaa }}
a {{ color: #8bf }} rect {{ fill: #7fb2e0 }} path {{ fill: #f0776c }} }}
</style></head><body><h1>Feeds</h1>
<p>{feeds} feeds, made {made} UTC. Delays in hours per post over the last 30 days; <i>least</i> is what no polling with
as many requests could undercut, all posts known beforehand. Bars: posts by hour of the day (UTC), as believed;
marks: the best hours to poll.</p>
<table><thead><tr><th>feed</th><th>rhythm and best polls</th><th>posts a day</th><th>polls a day</th><th>expected</th>
<th>achieved</th><th>least</th><th>one more poll saves</th><th>next poll, and why</th><th></th></tr></thead>
<tbody>
{rows}
</tbody></table>
<h2>Latest</h2><ul>
{posts}
</ul></body></html>
"""
