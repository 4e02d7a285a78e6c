"""E6–E9: crawls compared and their curves."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np

from phasa.crawl.strategies import Circumstances
from phasa.lab.chart import Chart, Series
from phasa.lab.compare import compare, lab_strategy
from phasa.lab.curves import SHOWN, Curve, Ground, curves_section, write_csv
from phasa.lab.knowledge import learn
from phasa.lab.result import Cell, Claim, Section, Table
from phasa.lab.seeds import seeds_of
from phasa.lab.targets import target_of
from phasa.lab.world import World
from phasa.papers.language_crawling.orderings import live_claims
from phasa.papers.options import Options

STRATEGIES = ("hybrid", "nb", "lswc", "bfs")


def crawl_section(
    title: str, worlds: Sequence[str], seeds: str, pages: int, options: Options
) -> tuple[Section, list[Curve], str]:
    """One seed set on all worlds: curves, table, and the CSV of every crawl."""
    grounds = [Ground(seeds, "th", world=name, lies=options.lies, knowing=True) for name in worlds]
    curves = compare(grounds, STRATEGIES, pages, workers=options.workers)
    text = (
        f"{len(worlds)} worlds, {pages:,} pages each; pages that the knowledge base was learned from are measured by "
        "nobody. Harvest is cumulative (Eq. 16); the shaded band is its 95 % interval."
    )
    return curves_section(title, text, curves), curves, write_csv(curves)


LIVE = ("nb", "lswc", "bfs")


def live_section(world: World, pages: int) -> tuple[Section, list[Claim], str]:
    """E9: NB-LSWC, LSWC and BFS over real HTTP, from the seeds of Table 17. Harvest only: coverage is unknown live."""
    from phasa.lab.live import crawl_live

    graph, knowledge = learn(world)
    curves: list[Curve] = []
    for name in LIVE:
        strategy = lab_strategy(name, Circumstances(target_of(graph), knowledge=knowledge))
        wanted = asyncio.run(crawl_live(world, strategy, seeds_of(world, "internet"), pages))
        curves.append(_live_curve(name, wanted))
    shown = [Series(SHOWN[curve.strategy], _marks(curve), curve.harvest.tolist()) for curve in curves]
    rows: list[list[Cell]] = [
        [SHOWN[curve.strategy], curve.pages, curve.mean_harvest, float(curve.harvest[-1]), "not measurable"]
        for curve in curves
    ]
    lines = ["strategy,pages,harvest"]
    for curve in curves:
        lines += [
            f"{curve.strategy},{mark},{value:.6f}" for mark, value in zip(_marks(curve), curve.harvest, strict=True)
        ]
    section = Section(
        "E9 — live",
        f"The first world served over HTTP on the loopback, {pages} pages per method, fetched, parsed and judged "
        "by the dictionary detector as on the Internet. Coverage cannot be measured live.",
        [Table("Harvest, live", ["method", "pages", "mean harvest", "last", "coverage"], rows)],
        [Chart("Harvest rate, live", "pages crawled", "harvest (share of the pages so far)", shown, 1.0)],
    )
    return section, live_claims(curves), "\n".join(lines) + "\n"


def _live_curve(name: str, wanted: list[bool]) -> Curve:
    found = np.cumsum(wanted)
    marks = np.arange(100, len(wanted) + 1, 100) if len(wanted) >= 100 else np.array([len(wanted)])
    nothing = np.zeros(0)
    ground = Ground("internet", "th", lies=0.0)
    return Curve(
        name, ground, 100, found[marks - 1] / marks, nothing, nothing, len(wanted), int(sum(wanted)), len(wanted)
    )


def _marks(curve: Curve) -> list[int]:
    return [curve.every * (number + 1) for number in range(len(curve.harvest))]
