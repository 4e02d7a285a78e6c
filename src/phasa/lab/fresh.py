"""Revisit policies side by side in worlds that change: how up to date each keeps the pages at several budgets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from phasa.lab.changes import ChangingWorld
from phasa.lab.chart import Chart, Series
from phasa.lab.result import Cell, Result, Section, Table
from phasa.schedule.policies import POLICIES, visits_of
from phasa.schedule.replay import split_trace
from phasa.schedule.value import AIMS, Aim

BUDGETS = (0.05, 0.2, 1.0)
_AXES = {
    "fresh": "share of the time up to date",
    "delay": "days until a change is seen",
    "versions": "share of the versions seen",
}


@dataclass(frozen=True)
class FreshRow:
    """A policy for an aim at a budget: the mean over worlds of what it reached, and how widely worlds differ."""

    policy: str
    aim: str
    per_week: float
    value: float
    interval: float
    fresh: float
    delay_days: float
    versions_seen: float
    worlds: int


def compare_policies(
    worlds: Sequence[str],
    policies: Sequence[str] = tuple(POLICIES),
    budgets: Sequence[float] = BUDGETS,
    aims: Sequence[Aim] = AIMS,
    show: Callable[[float, float | None], None] = lambda done, of: None,
) -> list[FreshRow]:
    """Each policy learns on the first half of a year of each world (`SEED:PAGES`) and is scored on the second. Raises
    InputError for a world or a policy that is none."""
    grounds = [split_trace(ChangingWorld.from_name(name).trace(), 0.5) for name in worlds]
    rows, done = [], 0
    for per_week in budgets:
        for aim in aims:
            for policy in policies:
                scores = [future.score(visits_of(policy, past, future, per_week, aim)) for past, future in grounds]
                done += len(scores)
                show(done, len(grounds) * len(budgets) * len(aims) * len(policies))
                columns = np.asarray([[one.fresh, one.delay_days, one.versions_seen] for one in scores])
                values = columns[:, AIMS.index(aim)]
                half = 1.96 * float(values.std(ddof=1)) / len(values) ** 0.5 if len(values) > 1 else 0.0
                fresh, delay, versions = (float(value) for value in columns.mean(axis=0))
                value = float(values.mean())
                rows.append(FreshRow(policy, aim, per_week, value, half, fresh, delay, versions, len(values)))
    return rows


def fresh_report(rows: Sequence[FreshRow]) -> Result:
    """The comparison as a report: for each aim a table and curves over budgets."""
    sections = []
    for aim in dict.fromkeys(row.aim for row in rows):
        mine = [row for row in rows if row.aim == aim]
        budgets = sorted({row.per_week for row in mine})
        names = list(dict.fromkeys(row.policy for row in mine))
        by = {(row.policy, row.per_week): row for row in mine}
        table: list[list[Cell]] = [[name, *(by[name, budget].value for budget in budgets)] for name in names]
        series = [
            Series(name, budgets, [by[name, b].value for b in budgets], [by[name, b].interval for b in budgets])
            for name in names
        ]
        sections.append(
            Section(
                f"Aim {aim}",
                f"By visits a page and week: {_AXES[aim]}.",
                [Table(f"Aim {aim}", ["policy", *(f"{budget:g} a week" for budget in budgets)], table)],
                [Chart(f"Aim {aim}", "visits a page and week", _AXES[aim], series, 1.0 if aim != "delay" else None)],
            )
        )
    lines = ["policy,aim,per_week,fresh,delay_days,versions_seen,interval,worlds"]
    lines += [
        f"{r.policy},{r.aim},{r.per_week:g},{r.fresh:.6f},{r.delay_days:.6f},{r.versions_seen:.6f},{r.interval:.6f},"
        f"{r.worlds}"
        for r in rows
    ]
    summary = "Policies learn on the first half of a year and visit in the second, seeing only whether a page changed."
    return Result(
        "fresh", "Revisit policies in worlds that change", summary, sections, csv={"fresh.csv": "\n".join(lines) + "\n"}
    )
