"""Several workers on one web, on a clock that skips waiting: harvest of one, two and four workers, and their time.

    python bench/fleet_order.py [--world 1:12000] [--workers 1 2 4] [--delay 0.15] [--pages 2000] [--runs 3] [--alone]

Loop, chooser, common order, exchange of what was learned, partition by registered domain and links with what is known
of them are those of `phasa crawl --workers` and `phasa fleet`; the frontiers are in memory, the web is replayed, and
answers take a while drawn anew for each run. So what it prints does not depend on how busy this machine is. `--alone`:
no worker hears of the others, as it was before.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from phasa.crawl import loop
from phasa.crawl.answer import Answer
from phasa.crawl.judge import Judgement
from phasa.crawl.run.learned_folder import LearnedFolder
from phasa.crawl.run.shared_order import SharedOrder
from phasa.crawl.run.sharing import SharedLearning
from phasa.crawl.seeds import plant
from phasa.crawl.settle import Parts
from phasa.crawl.strategies import Circumstances
from phasa.crawl.strategy import Passing, Strategy
from phasa.crawl.target import target_of
from phasa.frontier.budgets import Budgets
from phasa.frontier.inbox import Partition
from phasa.frontier.memory import MemoryFrontier
from phasa.frontier.protocol import Ending, Lease, Offer, OfferResult
from phasa.frontier.rules import Rules
from phasa.lab.compare import lab_strategy
from phasa.lab.pace import LoopClock, Pace, TimedWeb, run_skipping
from phasa.lab.page_judge import PageJudge, ReadWeb
from phasa.lab.replay import page_of
from phasa.lab.seeds import seeds_of
from phasa.lab.world import World
from phasa.language.profile import load_profile
from phasa.web.url import registered_domain

MARKS = (200, 500, 1_000, 2_000, 5_000)
Letters = defaultdict[int, list[Offer]]


class PartFrontier(MemoryFrontier):
    """The sites of one worker; links to the others' are left for them, with what is known of them."""

    def __init__(self, rules: Rules, partition: Partition, letters: Letters, strategy: Strategy) -> None:
        super().__init__(rules)
        self._part, self._letters, self._strategy = partition, letters, strategy

    def _ours(self, offers: Sequence[Offer]) -> list[Offer]:
        ours, strategy = [], self._strategy
        for offer in offers:
            owner = self._part.owner(registered_domain(offer.url))
            if owner == self._part.worker:
                ours.append(offer)
            else:
                note = offer.note or (strategy.evidence(offer.url) if isinstance(strategy, Passing) else b"")
                self._letters[owner].append(Offer(offer.url, offer.priority, offer.depth, offer.source, note))
        return ours

    def offer(self, offers: Sequence[Offer]) -> list[OfferResult]:
        return super().offer(self._ours(offers))

    def finish(self, lease: Lease, ending: Ending, found: Sequence[Offer] = ()) -> None:
        super().finish(lease, ending, self._ours(found))

    def commit(self) -> None:
        """When letters are opened."""
        letters, strategy = self._letters.pop(self._part.worker, []), self._strategy
        if letters and isinstance(strategy, Passing):
            worth = strategy.adopt([(one.url, one.priority, one.note) for one in letters])
            letters = [Offer(one.url, at, one.depth, one.source) for one, at in zip(letters, worth, strict=True)]
        super().offer(letters)


class Crew:
    """The workers of one crawl, and the pages that came to them, as judged and in truth."""

    def __init__(self, world: World, given: argparse.Namespace, workers: int, draw: int, folder: Path) -> None:
        self._given, self._world, self._workers, self._draw = given, world, workers, draw
        self._pace = Pace(given.delay, given.latency)
        self._judge = PageJudge(world)
        self.web = TimedWeb(ReadWeb(world.graph, world), self._pace, draw)
        self._letters: Letters = defaultdict(list)
        self._frontiers: list[PartFrontier] = []
        self._crawls: list[loop.Crawl] = []
        self._order = SharedOrder(multiprocessing.get_context("spawn"), workers)
        self._folder = folder
        self.judged: list[bool] = []
        self.true: list[bool] = []

    def keep(self, answer: Answer, judgement: Judgement | None) -> str:
        if judgement is not None:
            self.judged.append(judgement.wanted)
            self.true.append(bool(self._world.graph.wanted[page_of(answer)]))
            if len(self.judged) >= self._given.pages:
                for crawl in self._crawls:
                    crawl.stop("enough")
        return ""

    def has_more_work(self) -> bool:
        return any(self._letters.values()) or any(s.waiting or s.leased for s in (f.stats() for f in self._frontiers))

    async def run(self) -> None:
        for number in range(self._workers):
            self._crawls.append(self._worker(number))
        await asyncio.gather(*(crawl.run() for crawl in self._crawls))

    def _worker(self, number: int) -> loop.Crawl:
        given, manners = self._given, self._pace.manners
        strategy = lab_strategy(given.strategy, Circumstances(target_of(load_profile(given.lang)), seed=self._draw))
        partition = Partition(number, self._workers)
        frontier = PartFrontier(Rules(strategy.rediscovery, manners=manners), partition, self._letters, strategy)
        self._frontiers.append(frontier)
        if number == 0:
            plant(frontier, strategy, seeds_of(self._world, given.seeds))
        together = self._workers > 1 and not given.alone
        sharing = SharedLearning(strategy, LearnedFolder(self._folder), number, given.share_every)

        def watch(crawl: loop.Crawl) -> str:
            if self._workers > 1 and sharing.is_due(crawl.parts.clock.now(), crawl.answers):
                sharing.exchange()
            return ""

        return loop.Crawl(
            Parts(self.web, self._judge, strategy, frontier, LoopClock(), archive=self),
            manners=manners,
            budgets=Budgets(idle_seconds=20.0),
            slots=self._pace.connections,
            tolerance=self._pace.tolerance,
            watch=watch,
            has_more_work=self.has_more_work,
            common=self._order.of_worker(number) if together else None,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--world", default="1:12000", metavar="SEED:PAGES")
    parser.add_argument("--lang", default="th")
    parser.add_argument("--seeds", default="thai1")
    parser.add_argument("--strategy", default="hybrid")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--delay", type=float, default=0.15)
    parser.add_argument("--latency", type=float, default=0.05)
    parser.add_argument("--share-every", type=float, default=60.0)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--alone", action="store_true", help="no worker hears of the others")
    given = parser.parse_args()
    world = World.from_name(given.world, given.lang, lies=1.0)
    marks = [mark for mark in MARKS if mark <= given.pages]
    heads = "".join(f"{mark:>8,}" for mark in marks)
    print(f"{'workers':>7} {'run':>4}{heads}   true{heads[4:]}{'seconds':>9}{'CPU s':>7}")
    for workers in given.workers:
        for draw in range(1, given.runs + 1):
            cpu = time.process_time()
            with tempfile.TemporaryDirectory() as folder:
                crew = Crew(world, given, workers, draw, Path(folder))
                run_skipping(crew.run())
            judged, true = (
                "".join(f"{sum(part[:mark]) / mark:>8.1%}" if len(part) >= mark else f"{'':>8}" for mark in marks)
                for part in (crew.judged, crew.true)
            )
            spent = time.process_time() - cpu
            print(f"{workers:>7} {draw:>4}{judged}   {true}{crew.web.seconds:>9.1f}{spent:>7.1f}", flush=True)


if __name__ == "__main__":
    main()
