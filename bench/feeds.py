"""Polling policies compared with models of the rules that readers ship, at equal polls; speed of the mathematics.

    python bench/feeds.py                 all traces under --data, one budget each rule uses, then speeds
    python bench/feeds.py --speed         speeds only

Each rule of another reader is modelled from its published code (scheduler ticks and HTTP hints left out), run over the
second half of every feed, and its number of polls is given to even spacing, to the square-root rule and to phasa.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import tarfile
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from pathlib import Path

import fastfeedparser
import feedparser
import numpy as np

from phasa.feeds.budget import share_budget
from phasa.feeds.circle import optimum
from phasa.feeds.document import MODULE, read_document
from phasa.feeds.evaluate import evaluate_shared
from phasa.feeds.oracle import bound
from phasa.feeds.parse import read_feed
from phasa.feeds.trace import Trace, parse_traces
from phasa.sandbox.pool import Pool
from phasa.web.limits import Limits
from phasa.web.url import Url

ADDRESS = Url("http://a.example/feed")
MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0
Rule = Callable[[list[int], float, float, int], float]


def entry_frequency(posts: list[int], now: float, gap: float, new: int) -> float:
    """Miniflux: a week over the number of posts of the last week, 5 minutes to a day."""
    week = bisect_right(posts, now) - bisect_left(posts, now - 7 * DAY)
    return min(max(7 * DAY / week if week else DAY, 5 * MINUTE), DAY)


def half_gap(posts: list[int], now: float, gap: float, new: int) -> float:
    """CommaFeed: half the mean gap of the last posts, 5 to 60 minutes; quarter, half, all of 4 hours when idle."""
    last = bisect_right(posts, now)
    if last == 0 or now - posts[last - 1] > 30 * DAY:
        return 4 * HOUR
    if now - posts[last - 1] > 14 * DAY:
        return 2 * HOUR
    if now - posts[last - 1] > 7 * DAY:
        return HOUR
    recent = posts[max(0, last - 20) : last]
    mean = (recent[-1] - recent[0]) / max(1, len(recent) - 1)
    return min(max(mean / 2, 5 * MINUTE), HOUR)


def duplicate_share(posts: list[int], now: float, gap: float, new: int) -> float:
    """Media Cloud: longer when most of a 20-item document is known, shorter when most is new, 10 minutes to a day."""
    known = 1.0 - min(new, 20) / 20
    if known >= 0.67:
        return min(gap + 10 * MINUTE, DAY)
    return max(gap - HOUR, 10 * MINUTE) if known < 0.33 else gap


RULES: dict[str, Rule] = {
    "Miniflux entry frequency": entry_frequency,
    "CommaFeed half gap": half_gap,
    "Media Cloud duplicate share": duplicate_share,
}


def run_rule(rule: Rule, trace: Trace, start: float, end: float) -> tuple[int, float]:
    """Polls, and total delay in seconds of the posts after `start`."""
    posts = trace.times.tolist()
    seen = bisect_left(posts, start)
    now, gap, polls, delay = start, 6 * HOUR, 0, 0.0
    while now < end:
        now += gap
        upto = bisect_right(posts, now)
        delay += sum(now - post for post in posts[seen:upto])
        gap = rule(posts, now, gap, upto - seen)
        seen = upto
        polls += 1
    return polls, delay


def compared(traces: list[Trace]) -> tuple[list[Trace], int, int]:
    """The feeds to compare on, from the moment in the middle of their records to the end of these: feeds that nobody
    knew at that moment are left out, since the rules have no view on them, and so are the times only they cover."""
    while True:
        first, end = min(int(t.times[0]) for t in traces), max(int(t.times[-1]) for t in traces)
        start = first + round((end - first) * 0.5)
        known = [trace for trace in traces if trace.times[0] < start <= trace.times[-1]]
        if len(known) == len(traces):
            return known, start, end
        traces = known


def compare(name: str, traces: list[Trace]) -> None:
    traces, start, end = compared(traces)
    posts = sum(int((trace.times >= start).sum()) for trace in traces)
    print(f"{name}: {len(traces)} feeds, {posts} posts, {(end - start) / DAY:.0f} days")
    print(f"  {'rule':<30}{'polls/day/feed':>15}{'h/post':>9}{'even':>9}{'sqrt':>9}{'phasa':>9}{'phasa/rule':>12}")
    for label, rule in RULES.items():
        runs = [run_rule(rule, trace, start, end) for trace in traces]
        per_day = sum(polls for polls, _ in runs) / ((end - start) / DAY)
        hours = sum(delay for _, delay in runs) / posts / HOUR
        others = {"uniform": 0.0, "sqrt": 0.0, "phasa": 0.0}
        for row in evaluate_shared(traces, per_day, list(others)):
            others[row.policy] += row.delay_hours * row.posts / posts
        print(
            f"  {label:<30}{per_day / len(traces):>15.2f}{hours:>9.3f}{others['uniform']:>9.3f}{others['sqrt']:>9.3f}"
            f"{others['phasa']:>9.3f}{others['phasa'] / hours:>12.3f}",
            flush=True,
        )


def speeds() -> None:
    random = np.random.default_rng(0)

    def timed(label: str, work: Callable[[], object]) -> None:
        before = time.process_time()
        work()
        print(f"  {label:<60}{time.process_time() - before:>8.2f} CPU s", flush=True)

    minutes = random.poisson(2 + 2 * np.sin(np.arange(1440) / 1440 * 2 * np.pi))
    timed("optimum, 1440 bins, 48 polls", lambda: optimum(minutes, 48))
    counts = random.poisson(random.gamma(0.5, 2, (100_000, 24))).astype(np.float64)
    timed("100,000 feeds x 24 bins under one budget of 400,000 polls", lambda: share_budget(counts, 400_000))
    times = np.sort(random.integers(0, 10**9, 1_000_000))
    timed("oracle, 1,000,000 posts, 50,000 polls", lambda: bound(times, 50_000))


def parsing(archive: Path, rounds: int = 20) -> None:
    """Entries per CPU second on whole live feeds, ours and feedparser's."""
    if not archive.is_file():
        print(f"  parser: no {archive}; give --data")
        return
    with tarfile.open(archive) as files:
        feeds = [file for file in files if file.isfile() and not file.name.endswith((".html", ".json"))]
        bodies = [stream.read() for file in feeds if (stream := files.extractfile(file))]

    def quick(body: bytes) -> int:
        try:
            return len(fastfeedparser.parse(body).entries)
        except Exception:  # noqa: BLE001 -- it raises for what it does not read
            return 0

    readers: dict[str, tuple[int, Callable[[bytes], int]]] = {
        "phasa": (rounds, lambda body: len(read_feed(body).posts)),
        "fastfeedparser": (rounds, quick),
        "feedparser": (3, lambda body: len(feedparser.parse(body).entries)),
    }
    for name, (turns, read) in readers.items():
        rates = []
        for _ in range(turns):
            before = time.process_time()
            entries = sum(read(body) for body in bodies)
            rates.append(entries / (time.process_time() - before))
        # Other work on the machine makes a round slower, never faster.
        told = f"{max(rates):>10,.0f} entries/CPU s, median round {sorted(rates)[turns // 2]:,.0f}"
        print(f"  parser, {name:<15}{len(bodies)} real feeds, {entries:,} entries{told}", flush=True)

    few, many = (asyncio.run(_apart(bodies, turns)) for turns in (2, 2 + rounds))
    rate = len(bodies) * rounds / (many - few)
    here = len(bodies) / min(_here(bodies) for _ in range(5))
    print(f"  documents/CPU s of all processes: {here:,.0f} read here, {rate:,.0f} in the sandbox ({rate / here:.0%})")


def _here(bodies: list[bytes]) -> float:
    """CPU seconds for all documents, read as the watch reads them, in this process."""
    before = time.process_time()
    for body in bodies:
        read_document(body, "", "", ADDRESS, "th", Limits(), "", whole=True)
    return time.process_time() - before


async def _apart(bodies: list[bytes], rounds: int) -> float:
    """CPU seconds of this process and its children for so many rounds through the pool, its start included."""
    before = _spent()
    async with Pool(1, modules=[MODULE]) as pool:
        for _ in range(rounds):
            calls = (pool.call(read_document, body, "", "", ADDRESS, "th", Limits(), "", whole=True) for body in bodies)
            await asyncio.gather(*calls)
    return _spent() - before


def _spent() -> float:
    ours, theirs = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return ours.ru_utime + ours.ru_stime + theirs.ru_utime + theirs.ru_stime


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", default=os.environ.get("PHASA_DATA", Path(__file__).parents[2] / "shared" / "data"))
    options.add_argument("--speed", action="store_true")
    arguments = options.parse_args()
    if not arguments.speed:
        for path in sorted(Path(arguments.data).glob("trace-*/*.tsv.gz")):
            if path.name != "pub_seen.tsv.gz":
                compare(path.parent.name, parse_traces(path.read_bytes(), str(path)))
    print("speed, one core")
    speeds()
    parsing(Path(arguments.data) / "feeds-xml" / "real-feeds.tar.xz")


if __name__ == "__main__":
    main()
