"""`phasa feeds plan`, `evaluate`, `trace`: the best moments to poll, and how good a policy is, from posting times."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phasa.cli.inputs import open_binary
from phasa.cli.outputs import print_json
from phasa.cli.subscriptions import open_store
from phasa.errors import InputError

if TYPE_CHECKING:
    import datetime as dt

    import numpy as np
    import numpy.typing as npt

    from phasa.feeds.evaluate import Row
    from phasa.feeds.trace import Trace

Megabytes = Annotated[
    float, typer.Option("--megabytes", metavar="N", min=0.001, help="Memory that the posts of the trace may take.")
]
Source = Annotated[
    str,
    typer.Argument(metavar="TRACE", help="Posting times: feed_id <tab> unix_time; .gz or -. Or a collection."),
]


def plan(
    trace: Source,
    per_day: Annotated[int | None, typer.Option("--per-day", metavar="M", help="Polls a day for each feed.")] = None,
    target: Annotated[
        float | None, typer.Option("--target", metavar="HOURS", help="Fewest polls with at most this mean delay.")
    ] = None,
    table: Annotated[
        bool, typer.Option("--table", help="With --target: as many polls as Table 5.10 of the thesis says.")
    ] = False,
    budget: Annotated[
        float | None, typer.Option("--budget", metavar="N", help="Polls a day for all feeds together.")
    ] = None,
    method: Annotated[
        str, typer.Option("--method", help="phasa, dorpm, exhaustive, rs, rs-falling, uniform, ncsec or icacc.")
    ] = "phasa",
    bins: Annotated[int, typer.Option("--bins", help="Parts of a day: 6, 24, 48, 96, 288 or 1440.")] = 24,
    zone: Annotated[str, typer.Option("--zone", help="Time zone of days and hours.")] = "UTC",
    spacing: Annotated[int, typer.Option("--spacing", help="Least distance of two polls, in bins.")] = 1,
    days: Annotated[
        int | None, typer.Option("--days", help="Learn from the last days only (dorpm: 28, rs: 14).")
    ] = None,
    one_cluster: Annotated[bool, typer.Option("--one-cluster", help="Same points on all days of the week.")] = False,
    figures: Annotated[
        Path | None, typer.Option("--figures", metavar="DIR", help="Draw histograms and curves of each feed there.")
    ] = None,
    megabytes: Megabytes = 256.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """The best points of the day to poll each feed, per day cluster, with the delay to expect."""
    from phasa.feeds.plan import plan_feed
    from phasa.feeds.terms import zone_of

    where = zone_of(zone)
    if per_day is not None and per_day < 1:
        raise InputError(f"--per-day {per_day}: give a positive number of polls")
    traces = _read(trace, megabytes)
    if figures is not None:
        from phasa.feeds.rhythm import daily_counts
        from phasa.papers.feed_scheduling.figures import write_figures

        for number, one in enumerate(traces, start=1):
            write_figures(figures / f"{number:03d}", one.feed, daily_counts(one.times.tolist(), 24, where))
    if budget is not None:
        if per_day is not None or target is not None:
            raise InputError("--budget shares its polls by itself: leave --per-day and --target out")
        _print_shares([one.whole() for one in traces], budget, bins, where, as_json)
        return
    if per_day is None and target is None:
        per_day = 4
    plans = [
        found
        for one in traces
        for found in plan_feed(
            one, per_day, method=method, bins=bins, zone=where, target_hours=target, spacing=spacing,
            split_days=not one_cluster, days=days, by_table=table, damaged=one.bad,
        )
    ]  # fmt: skip
    if as_json:
        print_json(plans)
        return
    for p in plans:
        print(f"{p.feed}\t{p.cluster}\t{' '.join(p.times)}\tmean delay {p.expected_delay_hours:.2f} h\t{p.posts} posts")


def _read(name: str, megabytes: float) -> list[Trace]:
    """The traces of a file, or of the feeds that a collection watches."""
    from phasa.feeds.trace import read_traces

    if name != "-" and Path(name).is_dir():
        with open_store(Path(name), read_only=True) as store:
            traces = store.traces()
        if not traces:
            raise InputError(f"{name}: its feeds have no posts yet; fetch some with: phasa feeds watch {name}")
        return traces
    with open_binary(name) as file:
        return read_traces(file, name, megabytes)


def trace(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The collection.")],
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE", help="The file to write; .gz is packed.")
    ] = None,
) -> None:
    """Write when the feeds of a collection posted, as `plan`, `evaluate` and `lab reproduce feeds` read it."""
    from phasa.feeds.trace import write_traces

    with open_store(directory, read_only=True) as store:
        traces = store.traces()
    if not traces:
        raise InputError(f"{directory}: its feeds have no posts yet; fetch some with: phasa feeds watch {directory}")
    if out is None:
        write_traces(traces, sys.stdout.buffer)
        return
    write_traces(traces, out)
    print(f"{out}: {sum(len(one.times) for one in traces)} posts of {len(traces)} feeds", file=sys.stderr)


def _print_shares(traces: list[Trace], budget: float, bins: int, zone: dt.tzinfo, as_json: bool) -> None:
    import datetime as dt

    import numpy as np

    from phasa.feeds.budget import share_budget
    from phasa.feeds.plan import clock
    from phasa.feeds.rhythm import DAY, histogram

    def daily(times: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        ahead = dt.datetime.fromtimestamp(int(times[-1]), zone).utcoffset() or dt.timedelta()
        days = max(1.0, (int(times[-1]) - int(times[0])) / DAY)
        return histogram(times + int(ahead.total_seconds()), DAY // bins) / days

    counts = np.array([daily(one.times) for one in traces])
    shares = list(zip(traces, share_budget(counts, budget), strict=True))
    if as_json:
        rows = [
            {
                "feed": t.feed, "per_day": round(s.per_day, 4), "every_days": s.every_days, "points": s.points,
                "expected_delay_hours": round((s.mean_delay + 0.5) * 24 / bins, 4),
            }
            for t, s in shares
        ]  # fmt: skip
        print_json(rows)
        return
    for t, s in shares:
        delay = (s.mean_delay + 0.5) * 24 / bins
        often = f"{s.per_day:g} a day" if s.every_days == 1 else f"once in {s.every_days} days"
        times = " ".join(clock(point * DAY // bins) for point in s.points)
        print(f"{t.feed}\t{often}\t{times}\tmean delay {delay:.2f} h")


def evaluate(
    trace: Source,
    per_day: Annotated[str, typer.Option("--per-day", metavar="M,…", help="Polls a day for each feed.")] = "1,2,4,8,24",
    policies: Annotated[
        str,
        typer.Option(
            "--policies", help="phasa, phasa-fixed, dorpm, rs, uniform, hindsight, oracle; sqrt with --budget."
        ),
    ] = "phasa,dorpm,rs,uniform,oracle",
    split: Annotated[float, typer.Option("--split", help="Share of the time span to learn from.")] = 0.5,
    budget: Annotated[
        float | None, typer.Option("--budget", metavar="N", help="Share N polls a day among all feeds.")
    ] = None,
    each: Annotated[bool, typer.Option("--each", help="A line for every feed.")] = False,
    workers: Annotated[
        int, typer.Option("--workers", metavar="N", min=0, help="Processes that share the feeds; 0: one a processor.")
    ] = 0,
    megabytes: Megabytes = 256.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Learn on the first part of the time, test on the rest: mean delay of each policy on each feed."""
    import os

    from phasa.cli.progress import counted
    from phasa.feeds.evaluate import SHARED, evaluate_shared
    from phasa.feeds.evaluate import evaluate as evaluate_feeds

    if not 0 < split < 1:
        raise InputError(f"--split {split}: give a share between 0 and 1")
    try:
        polls = [int(m) for m in per_day.split(",")]
    except ValueError:
        raise InputError(f"--per-day {per_day}: give whole numbers, for example 1,2,4") from None
    names = [name.strip() for name in policies.split(",") if name.strip()]
    traces = [one.whole() for one in _read(trace, megabytes)]
    if budget is not None:
        names = [name for name in names if name in SHARED or name != "phasa-fixed"]
        rows = list(evaluate_shared(traces, budget, names, split))
    else:
        total = len(traces) * len(polls) * len(names)
        found = evaluate_feeds(traces, polls, names, split, workers or os.cpu_count() or 1)
        rows = list(counted(found, total, "evaluating"))
    if as_json:
        print_json(rows)
        return
    if not rows:
        raise InputError(f"{trace}: no feed has posts both before and after the split; give a longer trace")
    if each:
        for row in rows:
            print(f"{row.feed}\t{row.per_day:g}\t{row.policy}\t{row.delay_hours:.3f} h\t{row.posts} posts")
        return
    _summarise(rows, shared=budget is not None)


def _summarise(rows: list[Row], shared: bool) -> None:
    """A line per policy: delay over all posts, and in the median feed as a share of even spacing."""
    from statistics import median

    even = {(row.feed, row.per_day): row.delay_hours for row in rows if row.policy == "uniform"}
    groups: dict[tuple[float, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((0.0 if shared else row.per_day, row.policy), []).append(row)
    feeds, posts = {row.feed for row in rows}, sum(row.posts for row in next(iter(groups.values())))
    print(f"{len(feeds)} feeds, {posts} posts in the part that was tested; --each prints every feed")
    print(f"{'polls a day':<14}{'policy':<14}{'hours per post':>15}{'median feed, share of uniform':>32}")
    for (per_day, policy), members in groups.items():
        mean = sum(row.delay_hours * row.posts for row in members) / max(1, sum(row.posts for row in members))
        shares = [row.delay_hours / even[key] for row in members if even.get(key := (row.feed, row.per_day))]
        share = f"{median(shares):.3f}" if shares else "–"
        print(f"{'shared' if shared else f'{per_day:g} each':<14}{policy:<14}{mean:>15.3f}{share:>32}")
