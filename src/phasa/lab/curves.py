"""Crawls as curves: harvest and coverage, their means and their uncertainty, as numbers, CSV and a report."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from phasa.lab.chart import Chart, Series
from phasa.lab.graph import Graph
from phasa.lab.pace import Pace
from phasa.lab.replay import Crawl
from phasa.lab.result import Cell, Section, Table

Floats = NDArray[np.float64]
MIXED = "mixed"
"""Seeds on a graph that are drawn: pages of the language among English ones."""
SHARES = (0.05, 0.10, 0.20, 0.50)
FETCHES = (200, 500, 1000, 2000)
# How reports name the strategies of the published crawls.
SHOWN = {"nb": "NB-LSWC", "lswc": "LSWC", "bfs": "BFS", "hybrid": "hybrid (ours)"}


@dataclass(frozen=True)
class Ground:
    """Where crawls are compared: one world or one draw of seeds on a graph."""

    seeds: str
    """Name of a seed set; on a graph `MIXED` or a file of seeds."""
    language: str
    world: str = ""
    """SEED:PAGES."""
    graph: Path | None = None
    draw: int = 1
    """Seed of randomness of the strategies, and of the seeds on a graph."""
    lies: float = 1.0
    """How many times the lies of the real web the world tells; 0 is the web of the papers."""
    knowing: bool = False
    """Learn a knowledge base from the world or graph first; the pages it is made from are not measured."""
    kb: Path | None = None
    """A knowledge base that was learned elsewhere, instead."""
    trained: str = "pass"
    """Pages that it was learned from: 'pass' lets links lead through them, 'remove' takes them out of the web."""
    judge: str = "web"
    """Whose word counts: the 'web' knows its pages and links; 'crawl' reads them as a new collection does."""
    pace: Pace | None = None
    """Crawl as one does live, in its time; None: one request after the other, in strict order."""


@dataclass(frozen=True)
class Curve:
    """One crawl as its curves, a value every `every` pages."""

    strategy: str
    ground: Ground
    every: int
    harvest: Floats
    recent: Floats
    coverage: Floats
    pages: int
    wanted: int
    """Pages in the language that were found."""
    fetches: int
    found_after: tuple[float, ...] = ()
    """On a graph: share of the reachable pages in the language found after each of `SHARES` of all reachable pages."""
    by_fetches: tuple[int, ...] = ()
    """Pages in the language after each of `FETCHES` requests, those that brought no page included."""
    seconds: float = 0.0
    """What the crawl would have taken live, when its ground has a pace."""

    @property
    def mean_harvest(self) -> float:
        """Mean of the cumulative harvest over the crawl: the area under its curve, divided by its length."""
        return float(self.harvest.mean()) if len(self.harvest) else 0.0


@dataclass(frozen=True)
class Summary:
    """Several curves of one strategy: mean and half width of the 95 % interval at every mark."""

    strategy: str
    every: int
    pages: list[int]
    harvest: list[float]
    harvest_interval: list[float]
    recent: list[float]
    coverage: list[float]
    coverage_interval: list[float]
    mean_harvest: float
    mean_harvest_interval: float
    final_harvest: float
    runs: int
    fetches: float
    found_after: list[float] = field(default_factory=list)
    """Mean of `Curve.found_after`."""
    by_fetches: list[float] = field(default_factory=list)
    """Mean of `Curve.by_fetches`."""
    by_fetches_interval: list[float] = field(default_factory=list)
    each: list[float] = field(default_factory=list)
    """Mean harvest of every run, in the order of the grounds."""
    hours: float = 0.0
    """Mean of what the crawls would have taken live, when their grounds have a pace."""


def curve_of(graph: Graph, crawl: Crawl, ground: Ground, every: int = 100) -> Curve:
    """The curves of a crawl."""
    return Curve(
        crawl.strategy,
        ground,
        every,
        crawl.harvest(graph, every),
        crawl.recent(graph, every),
        crawl.coverage(graph, every),
        len(crawl.pages),
        int(graph.wanted[crawl.pages].sum()),
        crawl.fetches,
        by_fetches=tuple(crawl.found_by(graph, fetches) for fetches in FETCHES),
        seconds=crawl.seconds,
    )


def interval(values: Floats) -> Floats:
    """Half width of the 95 % interval of the mean of each column (Student's t); 0 for a single row."""
    count = len(values)
    if count < 2:
        return np.zeros(values.shape[1:])
    return np.asarray(_T95[min(count - 2, len(_T95) - 1)] * values.std(axis=0, ddof=1) / np.sqrt(count))


# Student's t, two-sided 95 %, for 1, 2, 3 … degrees of freedom; the normal value beyond.
_T95 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
        2.120, 2.110, 2.101, 2.093, 2.086, 2.042, 1.96)  # fmt: skip


def summarise(curves: Sequence[Curve]) -> list[Summary]:
    """One summary per strategy, in the order of first appearance. A crawl that ended early keeps its last value."""
    found: list[Summary] = []
    for strategy in dict.fromkeys(curve.strategy for curve in curves):
        mine = [curve for curve in curves if curve.strategy == strategy]
        length = max((len(curve.harvest) for curve in mine), default=0)
        every = mine[0].every
        harvest, recent, coverage = (
            np.array([_stretched(getattr(curve, name), length) for curve in mine])
            for name in ("harvest", "recent", "coverage")
        )
        means = harvest.mean(axis=1) if length else np.zeros(len(mine))
        found.append(
            Summary(
                strategy,
                every,
                [every * (mark + 1) for mark in range(length)],
                _plain(harvest.mean(axis=0)),
                _plain(interval(harvest)),
                _plain(recent.mean(axis=0)),
                _plain(coverage.mean(axis=0)),
                _plain(interval(coverage)),
                round(float(means.mean()), 6),
                round(float(interval(means[:, None])[0]), 6),
                round(float(harvest[:, -1].mean()), 6) if length else 0.0,
                len(mine),
                round(float(np.mean([curve.fetches for curve in mine])), 1),
                _plain(np.mean([curve.found_after for curve in mine], axis=0)) if mine[0].found_after else [],
                _plain(np.mean([curve.by_fetches for curve in mine], axis=0)) if mine[0].by_fetches else [],
                _plain(interval(np.array([curve.by_fetches for curve in mine], float))) if mine[0].by_fetches else [],
                _plain(means),
                round(float(np.mean([curve.seconds for curve in mine])) / 3600, 4),
            )
        )
    return found


def _stretched(values: Floats, length: int) -> Floats:
    if len(values) == length:
        return values
    return np.concatenate([values, np.full(length - len(values), values[-1] if len(values) else 0.0)])


def _plain(values: Floats) -> list[float]:
    return [round(float(value), 6) for value in values]


def write_csv(curves: Sequence[Curve]) -> str:
    """All curves as CSV text: one row per ground, strategy and mark."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["world", "lies", "seeds", "draw", "strategy", "pages", "harvest", "recent", "coverage"])
    for curve in curves:
        place = curve.ground.world or str(curve.ground.graph and curve.ground.graph.name)
        for mark in range(len(curve.harvest)):
            numbers = (curve.harvest[mark], curve.recent[mark], curve.coverage[mark])
            row = [
                place,
                f"{curve.ground.lies:g}",
                curve.ground.seeds,
                curve.ground.draw,
                curve.strategy,
                curve.every * (mark + 1),
            ]
            writer.writerow([*row, *(f"{value:.6f}" for value in numbers)])
    return out.getvalue()


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
