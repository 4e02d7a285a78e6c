"""The report of a store of feeds: one self-contained page, for each feed its rhythm, its polls, its delay, and why."""

from __future__ import annotations

import datetime as dt
from html import escape

import msgspec
import numpy as np

from phasa.feeds.circle import optimum
from phasa.feeds.headline import headline
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
    days = max((now - since) / DAY, 1.0)  # of a feed added an hour ago no day is known yet
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
    delays = [(r.achieved_delay, r.per_day) for r in active if r.achieved_delay is not None and r.per_day > 0]
    posts = sum(weight for _, weight in delays)
    told = [f"{len(active)} feeds under watch", f"{sum(r.per_day for r in active):.1f} posts a day"]
    told.append(f"{sum(r.polls_per_day for r in active):.1f} polls a day")
    if posts:
        told.append(f"a post is found {sum(d * w for d, w in delays) / posts:.2f} hours after it was posted")
    if failing := sum(r.failures > 0 for r in active):
        told.append(f"{failing} failing")
    if len(active) < len(reports):
        told.append(f"{len(reports) - len(active)} retired")
    return ", ".join(told)


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
        ("posts a day", f"{report.per_day:.2f}"),
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


def _link(post: Shown) -> str:
    title = f"<bdi>{escape(headline(post.title) or post.link[:200] or 'untitled')}</bdi>"
    if post.link.startswith(("http://", "https://")):
        return f'<a href="{escape(post.link)}" rel="noreferrer">{title}</a>'
    return title


def _when(moment: float) -> str:
    return dt.datetime.fromtimestamp(moment, dt.UTC).strftime("%Y-%m-%d %H:%M") if moment > 0 else "–"


# On a narrow screen each feed is a card, and each number has its name beside it.
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
