"""The feeds that E1 to E3 run on: drawn from what the thesis prints, or traces that the user names.

The raw data of the thesis are gone. Without traces its 15 feeds are drawn anew, so that everybody can run the
experiments: as many posts in three months as Table 5.1 says, the weekend share of Table 4.3, the hours of BBC Business
(Table 4.4), which are printed, for BBC, the same in New York's time for CNN, and half of them spread evenly for
REUTERS, whose feeds the thesis found to be steadier.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from phasa.errors import InputError
from phasa.feeds.rhythm import DailyCounts, daily_counts
from phasa.feeds.store import FeedStore
from phasa.feeds.trace import Trace, parse_traces
from phasa.papers.feed_scheduling import published
from phasa.papers.options import Options

FIRST, DAYS = dt.date(2010, 4, 1), 91
DEFAULT_DATA = Path("../shared/data")
# The hours by which the day of a publisher is later, and the share of its posts that come at any hour.
CLOCKS = {"BBC": (0, 0.0), "CNN": (5, 0.1), "REUTERS": (2, 0.5)}
# Days that a trace must span: a month to learn and something to test.
FEWEST_DAYS = 63


@dataclass(frozen=True)
class Case:
    """One feed of an experiment."""

    publisher: str
    feed: str
    counts: DailyCounts


@dataclass(frozen=True)
class Cases:
    """The feeds of a run, and in words where they come from."""

    source: str
    cases: tuple[Case, ...]


def cases_of(options: Options) -> Cases:
    """The user's traces where there are any, else the 15 feeds drawn anew. Raises InputError for a wrong --data."""
    data = options.data
    if data is None or (data == DEFAULT_DATA and not data.exists()):
        return generated(options.seeds[0])
    traces = _traces(data)
    found = tuple(
        Case(_publisher(trace.feed), trace.feed, counts) for trace in traces if (counts := _whole_days(trace))
    )
    if not found:
        raise InputError(f"{data}: no feed in it was watched for {FEWEST_DAYS} days; give longer traces")
    return Cases(f"{len(found)} feeds of {data.name}", found)


def _traces(data: Path) -> list[Trace]:
    if data.is_file():
        return parse_traces(data.read_bytes(), data.name)
    if (data / "feeds.db").is_file():
        with FeedStore(data / "feeds.db", read_only=True) as store:
            return store.traces()
    if not data.is_dir():
        raise InputError(f"{data}: no trace, folder of traces or collection there; say where it is with --data")
    kept = data / "trace-rss-world2026" / "pub.tsv.gz"
    files = [kept] if kept.is_file() else sorted([*data.glob("*.tsv"), *data.glob("*.tsv.gz")])
    if not files:
        raise InputError(f"{data}: no trace in it; `phasa feeds trace` writes one (feed_id <tab> unix_time, .tsv)")
    return [trace for file in files for trace in parse_traces(file.read_bytes(), file.name)]


def _publisher(feed: str) -> str:
    """Who publishes a feed: the host of its address, else the first word of its name."""
    return feed.split("://")[-1].replace("_", " ").replace("/", " ").replace("-", " ").split(" ")[0] or feed


def _whole_days(trace: Trace) -> DailyCounts | None:
    """Posts per day and hour without bad days and without the first and the last one, which are not whole; None of too
    short a trace."""
    counts = daily_counts(trace.times.tolist())
    if len(counts.days) < FEWEST_DAYS + 2:
        return None
    whole = counts.between(counts.days[1], counts.days[-2]).without(trace.bad)
    return whole if whole.days else None


def generated(seed: int) -> Cases:
    """The 15 feeds of the thesis drawn from its printed tables; the same for the same seed."""
    random = np.random.default_rng(seed)
    days = [FIRST + dt.timedelta(days=k) for k in range(DAYS)]
    weekend = np.array([day.weekday() >= 5 for day in days])
    hours = np.array(published.TABLE_4_4[-1], dtype=np.float64)
    cases = []
    for publisher, totals in published.TABLE_5_1.items():
        later, even = CLOCKS[publisher]
        for category, total in zip(published.CATEGORIES, totals, strict=True):
            # Every category has its own hours, near to those of its publisher.
            shape = np.roll(hours, later) * random.gamma(8.0, 1 / 8.0, 24)
            shape = (1 - even) * shape / shape.sum() + even / 24
            daily = np.array(published.TABLE_4_3[publisher, category], dtype=np.float64)
            free = np.array([(FIRST + dt.timedelta(days=k)).weekday() >= 5 for k in range(len(daily))])
            per_day = np.where(weekend, daily[free].mean() / daily[~free].mean(), 1.0)
            # Days differ more than chance says (E0 of the thesis): their rates vary.
            rates = per_day / per_day.sum() * total * random.gamma(6.0, 1 / 6.0, DAYS)
            cases.append(
                Case(
                    publisher,
                    f"{publisher} {category}",
                    DailyCounts(tuple(days), np.asarray(random.poisson(np.outer(rates, shape)), dtype=np.float64)),
                )
            )
    return Cases(f"the 15 feeds of the thesis, drawn anew from its printed tables (seed {seed})", tuple(cases))
