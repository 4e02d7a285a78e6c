"""Pages under revisit: processor time per decision and memory as there are more of them, on a virtual clock.

A decision is all that a visit takes beside the visit itself: the page is woken by its due moment, leased, what was seen
is weighed, its next moment is found and written. One page in ten has changed; the budget is a visit a page and day.

    python bench/revisits.py [--pages 1000000] [--visits 20000]
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from frontier import resident_megabytes  # type: ignore[import-not-found]  # beside this file
from phasa.crawl.answer import Answer, Kind
from phasa.crawl.revisits import DAY, Revisits
from phasa.fresh_settings import FreshSettings
from phasa.frontier.politeness import Politeness
from phasa.frontier.protocol import Ending, Offer, Seen, State, Visit
from phasa.frontier.rules import Rules
from phasa.frontier.sqlite import SqliteFrontier
from phasa.web.url import Url

PER_HOST = 50
STEP = 60.0
BEGIN = 1_000_000_000.0
SAME = Answer(Kind.PAGE, "", status=304)


def take_in(frontier: SqliteFrontier, first: int, last: int, chance: random.Random) -> None:
    """Pages that were seen at some time of the last day, due at some time of the next."""
    for low in range(first, last, 5_000):
        numbers = range(low, min(low + 5_000, last))
        frontier.offer([Offer(Url(f"http://www.host{n // PER_HOST}.example/{n}.html"), 0.5, 1) for n in numbers])
        while leases := frontier.lease(BEGIN, n=64):
            for lease in leases:
                at = BEGIN - chance.random() * DAY
                seen = Seen(at - 30 * DAY, at, 4, chance.random() * 3, 30 * DAY, digest=1, sketch=1)
                visit = Visit(at, 200, wanted=True)
                frontier.finish(lease, Ending(State.DONE, "200", BEGIN, 0.0, visit=visit, seen=seen, due=at + DAY))
            frontier.commit()


def visit_again(frontier: SqliteFrontier, pages: int, visits: int, chance: random.Random) -> tuple[float, int]:
    """CPU seconds of so many revisits, as the loop of a crawl makes them, and how many found a change."""
    revisits = Revisits(FreshSettings(requests_per_day=float(pages)), frontier, BEGIN)
    now, made, changes = BEGIN, 0, 0
    begun = time.process_time()
    while made < visits:
        now += STEP
        revisits.wake(now)
        while leases := frontier.lease(now, n=64):
            for lease in leases:
                changed = chance.random() < 0.1
                page: Any = SimpleNamespace(text=f"ข้อความใหม่ {made} " * 20)
                answer = Answer(Kind.PAGE, "", status=200, page=page) if changed else SAME
                ending = Ending(State.DONE, "200", now, 0.0, visit=Visit(now, 200, wanted=True))
                frontier.finish(lease, revisits.plan(lease, answer, None, ending))
                made, changes = made + 1, changes + changed
            frontier.commit()
    return time.process_time() - begun, changes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--visits", type=int, default=20_000)
    options = parser.parse_args()
    print(f"{'pages':>10} {'us a decision':>14} {'RSS MB':>8} {'file MB':>8}")
    chance, taken = random.Random(1), 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "frontier.db"
        frontier = SqliteFrontier(path, Rules(manners=Politeness(delay=0.0, address_delay=0.0)))
        for pages in [size for size in (10_000, 100_000) if size < options.pages] + [options.pages]:
            take_in(frontier, taken, pages, chance)
            taken = pages
            seconds, _ = visit_again(frontier, pages, options.visits, chance)
            figures = seconds / options.visits * 1e6, resident_megabytes(), path.stat().st_size / 1e6
            print(f"{pages:>10,} {figures[0]:>14.0f} {figures[1]:>8.0f} {figures[2]:>8.0f}", flush=True)
        frontier.close()


if __name__ == "__main__":
    main()
