"""E6–E9: crawls compared, their curves, and the orderings of §7.11."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np

from phasa.crawl.strategies import Circumstances
from phasa.lab.aims import aim_of
from phasa.lab.chart import Chart, Series
from phasa.lab.compare import Curve, Ground, Summary, compare, interval, lab_strategy, summarise, write_csv
from phasa.lab.experiment import Cell, Claim, Options, Section, Table
from phasa.lab.learning import learn
from phasa.lab.seeds import seeds_of
from phasa.lab.world import World

STRATEGIES = ("hybrid", "nb", "lswc", "bfs")
SHOWN = {"nb": "NB-LSWC", "lswc": "LSWC", "bfs": "BFS", "hybrid": "hybrid (ours)"}


def crawl_section(
    title: str, worlds: Sequence[str], seeds: str, pages: int, options: Options
) -> tuple[Section, list[Summary], str]:
    """One seed set on all worlds: curves, table, and the CSV of every crawl."""
    grounds = [Ground(seeds, "th", world=name, knowing=True) for name in worlds]
    curves = compare(grounds, STRATEGIES, pages, workers=options.workers)
    summaries = summarise(curves)
    wanted = _wanted(curves)
    perfect = [min(1.0, mark / wanted) for mark in summaries[0].pages]
    rows: list[list[Cell]] = [
        [SHOWN.get(one.strategy, one.strategy), one.mean_harvest, one.mean_harvest_interval, *_at(one.harvest),
         one.coverage[-1] if one.coverage else 0.0] for one in summaries
    ]  # fmt: skip
    marks = ["100", "300", "1,000", "last"]
    section = Section(
        title,
        f"{len(worlds)} worlds, {pages:,} pages each; pages that the knowledge base was learned from are measured by "
        "nobody. Harvest is cumulative (Eq. 16); the shaded band is its 95 % interval.",
        [Table("Harvest", ["method", "mean", "± 95 %", *(f"at {mark}" for mark in marks), "coverage"], rows)],
        [
            Chart("Harvest rate", "pages crawled", "harvest", [_series(one, "harvest") for one in summaries], 1.0),
            Chart("Last 100 pages", "pages crawled", "harvest", [_series(one, "recent") for one in summaries], 1.0),
            Chart(
                "Coverage", "pages crawled", "coverage",
                [*(_series(one, "coverage") for one in summaries),
                 Series("perfect", [0, *map(float, summaries[0].pages)], [0.0, *perfect])],
            ),
        ],
    )  # fmt: skip
    return section, summaries, write_csv(curves)


def _wanted(curves: Sequence[Curve]) -> float:
    """Pages in the language to be found, from a curve that found some: count / coverage."""
    counts = [
        curve.wanted / float(curve.coverage[-1]) for curve in curves if len(curve.coverage) and curve.coverage[-1]
    ]
    return float(np.mean(counts)) if counts else 1.0


def _series(one: Summary, which: str) -> Series:
    around = {"harvest": one.harvest_interval, "coverage": one.coverage_interval}.get(which, [])
    return Series(SHOWN.get(one.strategy, one.strategy), one.pages, getattr(one, which), around)


def _at(harvest: Sequence[float]) -> list[Cell]:
    return [harvest[min(mark, len(harvest)) - 1] if harvest else None for mark in (1, 3, 10, len(harvest))]


def ordering_claims(number: str, seeds: str, summaries: Sequence[Summary]) -> list[Claim]:
    """The rows of §7.11 for a seed set, and that hybrid is not worse than any other."""
    by_name = {one.strategy: one for one in summaries}
    wanted = {
        "thai1": (("nb", "lswc"), ("nb", "bfs")),
        "thai2": (("lswc", "nb"), ("nb", "bfs")),
        "english": (("nb", "lswc"), ("nb", "bfs")),
    }[seeds]
    claims = [_order(number, "harvest", by_name[first], by_name[second]) for first, second in wanted]
    first, others = {"thai2": ("lswc", ("nb", "bfs"))}.get(seeds, ("nb", ("lswc", "bfs")))
    last = {name: by_name[name].coverage[-1] for name in (first, *others)}
    claims.append(
        Claim(
            f"{number} §7.11",
            f"coverage: {SHOWN[first]} is best of the three published methods",
            all(last[first] >= last[other] for other in others),
            ", ".join(f"{SHOWN[name]} {value:.3f}" for name, value in last.items()),
        )
    )
    best = max((one for one in summaries if one.strategy != "hybrid"), key=lambda one: one.mean_harvest)
    claims.append(_order(f"{number} ours", "harvest", by_name["hybrid"], best, strict=False))
    return claims


def _order(source: str, what: str, first: Summary, second: Summary, strict: bool = True) -> Claim:
    gaps = np.array([one - other for one, other in zip(first.each, second.each, strict=True)])
    mean = float(gaps.mean())
    half = float(interval(gaps[:, None])[0])
    sign = ">" if strict else "≥"
    return Claim(
        source if source.endswith("ours") else f"{source} §7.11",
        f"{what}: {SHOWN.get(first.strategy, first.strategy)} {sign} {SHOWN.get(second.strategy, second.strategy)}",
        mean > 0 if strict else mean >= 0,
        f"{first.mean_harvest:.3f} against {second.mean_harvest:.3f}; difference {mean:+.3f} ± {half:.3f}",
    )


LIVE = ("nb", "lswc")


def live_section(world: World, pages: int) -> tuple[Section, list[Claim], str]:
    """E9: NB-LSWC and LSWC over real HTTP, from the seeds of Table 17. Harvest only: live, nobody knows the whole."""
    from phasa.lab.live import crawl_live

    graph, knowledge = learn(world)
    curves: list[Curve] = []
    for name in LIVE:
        strategy = lab_strategy(name, Circumstances(aim_of(graph), knowledge=knowledge))
        wanted = asyncio.run(crawl_live(world, strategy, seeds_of(world, "internet"), pages))
        curves.append(_live_curve(name, wanted))
    shown = [Series(SHOWN[curve.strategy], _marks(curve), curve.harvest.tolist()) for curve in curves]
    rows: list[list[Cell]] = [
        [SHOWN[curve.strategy], curve.pages, curve.mean_harvest, float(curve.harvest[-1]), "not measurable"]
        for curve in curves
    ]
    early = {curve.strategy: float(curve.harvest[min(4, len(curve.harvest) - 1)]) for curve in curves}
    claim = Claim(
        "E9 §7.10",
        "live, English seeds: NB-LSWC > LSWC in the first 500 pages",
        early["nb"] > early["lswc"],
        f"harvest {early['nb']:.3f} against {early['lswc']:.3f}",
    )
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
        [Chart("Harvest rate, live", "pages crawled", "harvest", shown, 1.0)],
    )
    return section, [claim], "\n".join(lines) + "\n"


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
