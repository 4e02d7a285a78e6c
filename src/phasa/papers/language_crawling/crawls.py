"""E6–E9: crawls compared and their curves."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from phasa.crawl.strategies import Circumstances
from phasa.lab.chart import Chart, Series
from phasa.lab.compare import SHARES, Curve, Ground, Summary, compare, lab_strategy, summarise, write_csv
from phasa.lab.experiment import Cell, Claim, Options, Result, Section, Table
from phasa.lab.learning import learn
from phasa.lab.seeds import seeds_of
from phasa.lab.targets import target_of
from phasa.lab.world import World
from phasa.papers.language_crawling.orderings import SHOWN, live_claims

STRATEGIES = ("hybrid", "nb", "lswc", "bfs")


def crawl_section(
    title: str, worlds: Sequence[str], seeds: str, pages: int, options: Options
) -> tuple[Section, list[Curve], str]:
    """One seed set on all worlds: curves, table, and the CSV of every crawl."""
    grounds = [Ground(seeds, "th", world=name, knowing=True) for name in worlds]
    curves = compare(grounds, STRATEGIES, pages, workers=options.workers)
    text = (
        f"{len(worlds)} worlds, {pages:,} pages each; pages that the knowledge base was learned from are measured by "
        "nobody. Harvest is cumulative (Eq. 16); the shaded band is its 95 % interval."
    )
    return curves_section(title, text, curves), curves, write_csv(curves)


def comparison(curves: Sequence[Curve]) -> Result:
    """What `phasa lab run` found, as a report."""
    first = curves[0].ground
    grounds = list(dict.fromkeys(curve.ground for curve in curves))
    where = (
        f"{first.graph.name}, {len(grounds)} draws of seeds"
        if first.graph is not None
        else f"worlds {', '.join(ground.world for ground in grounds)} (seed:pages), seeds {first.seeds}"
    )
    text = (
        f"Crawls after '{first.language}' on {where}. Harvest is cumulative (Eq. 16): the share of the pages so far "
        "that are in the language; its mean over the crawl is the area under its curve."
    ) + (" The shaded band is the 95 % interval." if len(grounds) > 1 else "")
    section = curves_section("Strategies side by side", text, curves)
    if first.graph is not None:
        rows: list[list[Cell]] = [[one.strategy, *one.found_after] for one in summarise(curves)]
        found = Table("Share of the reachable pages in the language found after so much of all reachable pages",
                      ["method", *(f"{share:.0%}" for share in SHARES)], rows)  # fmt: skip
        section = replace(section, tables=[*section.tables, found])
    return Result("run", f"Strategies on {where}", "", [section], csv={"run.csv": write_csv(curves)})


def curves_section(title: str, text: str, curves: Sequence[Curve]) -> Section:
    """Crawls by several strategies: a table of harvest and coverage, and their curves with the perfect line."""
    summaries = summarise(curves)
    wanted = _wanted(curves)
    perfect = [min(1.0, mark / wanted) for mark in summaries[0].pages]
    rows: list[list[Cell]] = [
        [SHOWN.get(one.strategy, one.strategy), one.mean_harvest, one.mean_harvest_interval if one.runs > 1 else None,
         *_at(one), one.coverage[-1] if one.coverage else 0.0] for one in summaries
    ]  # fmt: skip
    marks = [f"at {mark:,}" for mark in _shown_marks(summaries[0])]
    return Section(
        title,
        text,
        [Table("Harvest", ["method", "mean", "± 95 %", *marks, "last", "coverage"], rows)],
        [
            Chart("Harvest rate", "pages crawled", "harvest (share of the pages so far)",
                  [_series(one, "harvest") for one in summaries], 1.0),
            Chart("Harvest of the latest pages only", "pages crawled",
                  f"harvest (share of the last {summaries[0].every} pages)",
                  [_series(one, "recent") for one in summaries], 1.0),
            Chart(
                "Coverage", "pages crawled", "coverage (share of what there is)",
                [*(_series(one, "coverage") for one in summaries),
                 Series("perfect", [0, *map(float, summaries[0].pages)], [0.0, *perfect])],
            ),
        ],
    )  # fmt: skip


def _wanted(curves: Sequence[Curve]) -> float:
    """Pages in the language to be found, from a curve that found some: count / coverage."""
    counts = [
        curve.wanted / float(curve.coverage[-1]) for curve in curves if len(curve.coverage) and curve.coverage[-1]
    ]
    return float(np.mean(counts)) if counts else 1.0


def _series(one: Summary, which: str) -> Series:
    around = {"harvest": one.harvest_interval, "coverage": one.coverage_interval}.get(which, [])
    return Series(SHOWN.get(one.strategy, one.strategy), one.pages, getattr(one, which), around)


def _shown_marks(one: Summary) -> list[int]:
    """Pages after which the table shows the harvest: 100, 300 and 1,000, as far as the crawl has such marks."""
    return [mark for mark in (100, 300, 1000) if mark in one.pages[:-1]]


def _at(one: Summary) -> list[Cell]:
    harvest = dict(zip(one.pages, one.harvest, strict=True))
    return [*(harvest[mark] for mark in _shown_marks(one)), one.harvest[-1] if one.harvest else None]


LIVE = ("nb", "lswc")


def live_section(world: World, pages: int) -> tuple[Section, list[Claim], str]:
    """E9: NB-LSWC and LSWC over real HTTP, from the seeds of Table 17. Harvest only: live, nobody knows the whole."""
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
    ground = Ground("internet", "th")
    return Curve(
        name, ground, 100, found[marks - 1] / marks, nothing, nothing, len(wanted), int(sum(wanted)), len(wanted)
    )


def _marks(curve: Curve) -> list[int]:
    return [curve.every * (number + 1) for number in range(len(curve.harvest))]
