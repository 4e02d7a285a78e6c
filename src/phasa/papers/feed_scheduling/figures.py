"""The figures of the thesis on feed polling, drawn anew: hourly histograms, learning curve, delay against m (§7.7)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from phasa.feeds.rhythm import Cluster, DailyCounts
from phasa.lab.chart import Chart, Series, draw
from phasa.papers.feed_scheduling.cases import Case
from phasa.papers.feed_scheduling.experiments import POLLS, learning_sweep
from phasa.papers.feed_scheduling.trials import mean_of, run_trial


def charts(name: str, counts: DailyCounts) -> dict[str, Chart]:
    """The figures of one feed: its day per cluster (Figs. 4.11-4.13), the learning curve (5.1), and delay against m for
    DORPM and RS, both learned on the first month and tested on the rest (5.8-5.11)."""
    hours = np.arange(1, counts.bins + 1).tolist()
    days = [Series(c.value, hours, counts.of(c).combined().tolist()) for c in (Cluster.WEEKDAY, Cluster.WEEKEND)]
    sweep = learning_sweep(counts, 4)
    case = Case("", name, counts)
    ours = [mean_of([run_trial(case, m, "dorpm")]) for m in POLLS]
    theirs = [mean_of([run_trial(case, m, "rs")]) for m in POLLS]
    return {
        "histogram": Chart(f"{name}: posts by hour of the day", "hour", "posts", days),
        "learning": Chart(
            f"{name}: weeks learned and mean delay", "weeks learned", "hours per post",
            [Series("4 polls a day", [float(w) for w, _ in sweep.curve], [delay for _, delay in sweep.curve])],
        ),
        "delay": Chart(
            f"{name}: polls a day and mean delay", "polls a day", "hours per post",
            [Series("DORPM", POLLS, ours), Series("retrieval scheduling", POLLS, theirs)],
        ),
    }  # fmt: skip


def write_figures(folder: Path, name: str, counts: DailyCounts) -> list[Path]:
    """Draw the figures of a feed into a folder; the files."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for kind, chart in charts(name, counts).items():
        file = folder / f"feeds-{kind}.svg"
        file.write_text(draw(chart), encoding="utf-8")
        written.append(file)
    return written
