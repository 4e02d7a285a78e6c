"""The revisits of the live crawl on a trace of changes: the class that runs (`crawl.revisits`), on a virtual clock.

At the split every page was just seen, with the changes that it had before; from then on the crawl learns by its visits
alone. Printed: the figure of the aim for the crawl beside uniform, learned, phasa (which looks at all pages again and
again) and the optimum that knows the rates, and the way from uniform (0) to optimum (1).

    python bench/crawl_trace.py [--data ../shared/data | --world 1:2000] [--per-week 0.05,0.2] [--aims fresh]

`--until 0.5` (of the time) leaves the second half of the time alone: for choices, which are not to see what is scored.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from phasa.crawl.answer import Answer, Kind
from phasa.crawl.revisits import DAY, Revisits
from phasa.feeds.trace import read_traces
from phasa.fresh_settings import FreshSettings
from phasa.frontier.memory import MemoryFrontier
from phasa.frontier.politeness import Politeness
from phasa.frontier.protocol import Ending, Offer, Seen, State, Visit
from phasa.frontier.rules import Rules
from phasa.lab.changes import ChangingWorld
from phasa.schedule.policies import visits_of
from phasa.schedule.replay import Future, Past, Score, Visits, split_trace
from phasa.schedule.value import AIMS, Aim
from phasa.web.url import Url

STEP = DAY / 24
SAME = Answer(Kind.PAGE, "", status=304)


def reached(score: Score, aim: str) -> float:
    return {"fresh": score.fresh, "delay": score.delay_days, "versions": score.versions_seen}[aim]


def address(name: str) -> Url:
    host, _, path = name.partition("/")
    return Url(f"http://{host}.example/{path}")


def crawled(past: Past, future: Future, per_week: float, aim: Aim, informed: bool = True) -> Visits:
    """The visits that the crawl makes. Not `informed`: it knows nothing of the time before the split."""
    budget = len(past.names) * per_week / 7
    frontier = MemoryFrontier(Rules(manners=Politeness(delay=0.0, address_delay=0.0)))
    urls = [address(name) for name in past.names]
    number = {url: place for place, url in enumerate(urls)}
    frontier.offer([Offer(url) for url in urls])
    seen = np.full(len(urls), future.begin)
    while leases := frontier.lease(future.begin, n=64):
        for lease in leases:
            page = number[lease.url]
            due = future.begin + (page * 0.6180339887 % 1.0) * 7 * DAY / per_week
            had, watched = (past.counts[page] - 1, past.end - past.first[page]) if informed else (0.0, 0.0)
            known = Seen(past.first[page], future.begin, 1, had, watched, digest=1)
            visit = Visit(future.begin, 200, wanted=True)
            frontier.finish(
                lease,
                Ending(
                    State.DONE,
                    "200",
                    future.begin,
                    0.0,
                    visit=visit,
                    seen=known,
                    due=due,
                ),
            )
    settings = FreshSettings(requests_per_day=budget, aim=aim, least_hours=24 * min(1.0, 7 / per_week / 8))
    revisits = Revisits(settings, frontier, future.begin)
    revisits.PRICED, revisits.LOOKED_AT = DAY, 10_000  # months pass in a minute
    pages: list[int] = []
    times: list[float] = []
    now, made = future.begin, 0
    while (now := now + STEP) <= future.end:
        revisits.wake(now)
        while leases := frontier.lease(now, n=64):
            for lease in leases:
                page = number[lease.url]
                changed = future.changed(np.asarray([page]), seen[page : page + 1], now)[0]
                made += 1
                said: Any = SimpleNamespace(text="".join(chr(0x0E01 + int(digit)) for digit in str(made)))
                answer = Answer(Kind.PAGE, "", status=200, page=said) if changed else SAME
                ending = Ending(State.DONE, "200", now, 0.0, visit=Visit(now, 200, wanted=True))
                frontier.finish(lease, revisits.plan(lease, answer, None, ending))
                seen[page] = now
                pages.append(page)
                times.append(now)
    return Visits(np.asarray(pages, np.int64), np.asarray(times, np.float64))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--world", default="")
    parser.add_argument("--per-week", default="0.05,0.2")
    parser.add_argument("--aims", default=",".join(AIMS))
    parser.add_argument("--until", type=float, default=1.0)
    parser.add_argument("--beside", default="learned,phasa")
    parser.add_argument("--new", action="store_true", help="the crawl knows nothing of the time before the split")
    given = parser.parse_args()
    if given.world:
        traces = list(ChangingWorld.from_name(given.world).trace())
    else:
        trace = given.data / "trace-page-changes" / "changes.tsv.gz"
        with trace.open("rb") as file:
            traces = [(one.feed, one.times.astype(np.float64)) for one in read_traces(file, trace.name)]
    first, last = min(times.min() for _, times in traces), max(times.max() for _, times in traces)
    end = first + (last - first) * given.until
    traces = [(name, times[times <= end]) for name, times in traces if times.min() <= end]
    past, future = split_trace(iter(traces), 0.5)
    print(f"{len(past.names):,} pages; in brackets the way from uniform (0) to optimum (1)")
    beside = [name for name in given.beside.split(",") if name]
    for per_week in map(float, given.per_week.split(",")):
        for aim in AIMS:
            if aim not in given.aims.split(","):
                continue
            even, best = (
                reached(future.score(visits_of(name, past, future, per_week, aim)), aim)
                for name in ("uniform", "optimum")
            )
            begun = time.process_time()
            visits = crawled(past, future, per_week, aim, not given.new)
            seconds = time.process_time() - begun
            found = {"crawl": reached(future.score(visits), aim)}
            found |= {name: reached(future.score(visits_of(name, past, future, per_week, aim)), aim) for name in beside}
            cells = "".join(
                f"  {name} {value:.4f} ({(value - even) / (best - even):.2f})" for name, value in found.items()
            )
            used = len(visits.pages) / (len(past.names) * per_week * (future.end - future.begin) / 7 / DAY)
            print(
                f"{per_week:g} a week, {aim}:{cells}; uniform {even:.4f}, optimum {best:.4f}; {used:.3f} of the"
                f" budget, {seconds:.0f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
