"""Reports of compared crawls, and how each strategy falls as the lies of a web grow: a table and a chart over crawls of
the same webs, lying more and less."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from phasa.lab.chart import Chart, Series
from phasa.lab.curves import FETCHES, SHARES, SHOWN, Curve, Summary, curves_section, summarise, write_csv
from phasa.lab.result import Cell, Result, Section, Table


def comparison(curves: Sequence[Curve]) -> Result:
    """What `phasa lab run` found, as a report."""
    if len(levels := {curve.ground.lies: None for curve in curves}) > 1:
        parts = [comparison([curve for curve in curves if curve.ground.lies == lies]) for lies in levels]
        sections = [falls_section(curves)]
        sections += [replace(part.sections[0], title=part.title) for part in parts]
        return Result("run", "Strategies on webs that lie", "", sections, csv={"run.csv": write_csv(curves)})
    first = curves[0].ground
    grounds = list(dict.fromkeys(curve.ground for curve in curves))
    where = (
        f"{first.graph.name}, {len(grounds)} draws of seeds"
        if first.graph is not None
        else f"worlds {', '.join(ground.world for ground in grounds)} (seed:pages) with lies {first.lies:g}, "
        f"seeds {first.seeds}"
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


def by_lies(curves: Sequence[Curve]) -> dict[float, list[Summary]]:
    """The summaries of the strategies for each amount of lies, in rising order."""
    levels = sorted({curve.ground.lies for curve in curves})
    return {lies: summarise([curve for curve in curves if curve.ground.lies == lies]) for lies in levels}


def falls_section(curves: Sequence[Curve]) -> Section:
    """Mean harvest of every strategy at every amount of lies, and what the first requests found."""
    levels = by_lies(curves)
    names = list(dict.fromkeys(curve.strategy for curve in curves))
    found = {(lies, one.strategy): one for lies, summaries in levels.items() for one in summaries}
    rows: list[list[Cell]] = [
        [SHOWN.get(name, name), *(cell for lies in levels for cell in _cells(found[lies, name]))] for name in names
    ]
    header = ["method", *(title for lies in levels for title in (f"lies {lies:g}", "± 95 %"))]
    fall = Chart(
        "Harvest as the lies grow",
        "lies, 1 = as often as on the real web",
        "mean harvest over the crawl",
        [
            Series(
                SHOWN.get(name, name),
                list(levels),
                [found[lies, name].mean_harvest for lies in levels],
                [found[lies, name].mean_harvest_interval for lies in levels],
            )
            for name in names
        ],
        1.0,
    )
    return Section(
        "As the lies grow",
        "The same webs, lying not at all, as real ones do, and more: addresses, hreflang, declarations and names that "
        "say something else, pages of mixed language, answers where there is no page, parked domains, mirrors.",
        [Table("Mean harvest", header, rows), *(early_table(summaries, lies) for lies, summaries in levels.items())],
        [fall],
    )


def early_table(summaries: Sequence[Summary], lies: float) -> Table:
    """Pages in the language after the first requests."""
    marks = [place for place, fetches in enumerate(FETCHES) if any(one.fetches >= fetches for one in summaries)]
    rows: list[list[Cell]] = [
        [SHOWN.get(one.strategy, one.strategy),
         *(cell for mark in marks for cell in (one.by_fetches[mark], one.by_fetches_interval[mark]))]
        for one in summaries
    ]  # fmt: skip
    header = ["method", *(title for mark in marks for title in (f"{FETCHES[mark]:,}", "± 95 %"))]
    return Table(f"Pages in the language after so many requests, lies {lies:g}", header, rows)


def _cells(one: Summary) -> list[Cell]:
    return [one.mean_harvest, one.mean_harvest_interval if one.runs > 1 else None]
