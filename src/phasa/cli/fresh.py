"""`phasa fresh`: how up to date a collection is, and revisit policies replayed on traces of changes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from phasa.cli.group import group_with_default
from phasa.cli.inputs import open_binary
from phasa.cli.outputs import print_json, print_table

app = typer.Typer(
    cls=group_with_default("status"),
    no_args_is_help=True,
    epilog="Example:  phasa fresh replay changes.tsv.gz --per-week 0.2 --aim delay --visits visits.tsv",
)


@app.command(epilog="Example:  phasa fresh status thai-web")
def status(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The collection.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """How much of a collection is up to date, what another budget would bring, and which hosts change most."""
    from phasa.collection import Collection
    from phasa.crawl.run.freshness import read_freshness

    found = read_freshness(Collection.open(directory))
    if as_json:
        print_json(found)
        return
    if found.up_to_date is None:
        off = "" if found.requests_per_day else "; set requests_per_day in section [fresh] of collection.toml"
        print(f"No page is visited again{off}.")
        return
    print(
        f"{found.pages:,} pages are visited again, {found.settled:,} not any more; {found.visits:,} visits so far, "
        f"{found.visits_last_day:,} revisits in the last day, {found.late:,} pages late."
    )
    print(
        f"Up to date now: {found.up_to_date:.1%} (90 % sure: {found.low:.1%} to {found.high:.1%}); "
        f"{found.by_weight:.1%} where each page counts as much as it is wanted."
    )
    if found.price is not None:
        print(
            f"Of {found.requests_per_day:,.10g} requests a day {found.for_pages:,.10g} are for pages and "
            f"{found.for_feeds:,.10g} for feeds; each saves at least {found.price / 3600:,.1f} hours of waiting."
        )
    print(f"In the long run, aim {found.aim}:")
    print_table(
        ("requests a day", "up to date", "as much as wanted"),
        [(one.requests_per_day, f"{one.up_to_date:.1%}", f"{one.by_weight:.1%}") for one in found.budgets],
    )
    print_table(
        ("host", "pages", "changes a page and week"),
        [(one.host, one.pages, one.changes_per_week) for one in found.hosts],
    )


@app.command(epilog="Example:  phasa fresh replay changes.tsv.gz --split 0.5 --per-week 0.2 --visits visits.tsv")
def replay(
    trace: Annotated[str, typer.Argument(metavar="TRACE", help="Changes of pages: page <tab> unix_time; .gz or -.")],
    split: Annotated[float, typer.Option("--split", help="Share of the time to learn from.")] = 0.5,
    per_week: Annotated[float, typer.Option("--per-week", metavar="N", help="Visits a page and week.")] = 0.2,
    aim: Annotated[str, typer.Option("--aim", help="fresh, delay or versions.")] = "fresh",
    policy: Annotated[
        str, typer.Option("--policy", help="phasa, uniform, proportional, sqrt, learned, wire or optimum; or several.")
    ] = "phasa",
    visits: Annotated[
        Path | None, typer.Option("--visits", metavar="FILE", help="Write the visits: page <tab> unix_time.")
    ] = None,
    megabytes: Annotated[
        float, typer.Option("--megabytes", metavar="N", min=0.001, help="Memory that the trace may take.")
    ] = 256.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Learn from the first part of a trace, visit pages in the rest of it, seeing only whether each had changed."""
    import numpy as np

    from phasa.errors import InputError
    from phasa.feeds.trace import Trace, read_traces, write_traces
    from phasa.schedule.policies import visits_of
    from phasa.schedule.replay import split_trace
    from phasa.schedule.value import aim_of

    names = [name.strip() for name in policy.split(",") if name.strip()]
    if visits is not None and len(names) != 1:
        raise InputError(f"--policy {policy}: one policy at a time where its visits are written")
    wanted = aim_of(aim)
    with open_binary(trace) as file:
        read = ((one.feed, one.times.astype(np.float64)) for one in read_traces(file, trace, megabytes))
        past, future = split_trace(read, split)
    rows = []
    for name in names:
        made = visits_of(name, past, future, per_week, wanted)
        score = future.score(made)
        rows.append({"policy": name, "aim": aim, "per_week": per_week, **score.__dict__})
        if visits is not None:
            order = np.lexsort((made.times, made.pages))
            pages, times = made.pages[order], made.times[order]
            starts = np.searchsorted(pages, np.arange(len(past.names) + 1))
            out = [
                Trace(page, np.floor(times[start:end]).astype(np.int64))
                for page, start, end in zip(past.names, starts, starts[1:], strict=False)
                if end > start
            ]
            write_traces(out, visits)
    if as_json:
        print_json(rows)
        return
    print_table(
        ("policy", "visits", "up to date", "delay, days", "versions seen"),
        [
            (r["policy"], r["visits"], f"{r['fresh']:.4f}", f"{r['delay_days']:.3f}", f"{r['versions_seen']:.4f}")
            for r in rows
        ],
    )


@app.command(epilog="Example:  phasa fresh estimators --visits 1,3,10,30")
def estimators(
    visits: Annotated[str, typer.Option("--visits", metavar="N,…", help="Visits of each page.")] = "1,3,10,30",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """How far the rates that visits tell are from the truth: the naive estimator, Cho and Garcia-Molina's, and ours."""
    from phasa.errors import InputError
    from phasa.schedule.estimators import compare_estimators

    try:
        counts = [int(number) for number in visits.split(",")]
    except ValueError:
        raise InputError(f"--visits {visits}: give whole numbers, for example 1,3,10") from None
    if not counts or min(counts) < 1 or max(counts) > 1000:
        raise InputError(f"--visits {visits}: give numbers from 1 to 1000")
    rows = compare_estimators(counts)
    if as_json:
        print_json(rows)
        return
    print_table(
        ("visits", "estimator", "misses by a factor of", "mean error, changes a day"),
        [(row.visits, row.estimator, round(row.factor, 2), round(row.error, 4)) for row in rows],
    )
