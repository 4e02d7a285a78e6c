"""The figures of the thesis on feed polling, drawn anew: hourly histograms, learning curve, delay against m (§7.7)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from phasa.feeds.circle import optimum, total_delay
from phasa.feeds.rhythm import Cluster, DailyCounts
from phasa.feeds.rules import retrieval_scheduling
from phasa.lab.chart import Chart, Series, draw
from phasa.papers.feed_scheduling.experiments import learning_sweep

POLLS = tuple(range(1, 9))


def figures(name: str, counts: DailyCounts) -> dict[str, str]:
    """File name to SVG: the day per cluster (Figs. 4.11-4.13), the learning curve (5.1), delay against m for the
    optimum and for RS (5.8-5.11), all of one feed's daily counts."""
    hours = np.arange(1, counts.bins + 1).tolist()
    days = [Series(c.value, hours, counts.of(c).combined().tolist()) for c in (Cluster.WEEKDAY, Cluster.WEEKEND)]
    sweep = learning_sweep(counts, 4)
    learned = counts.combined()
    posts = max(1.0, float(learned.sum()))
    ours = [optimum(learned, m).total / posts for m in POLLS]
    theirs = [total_delay(learned, retrieval_scheduling(learned, m).points) / posts for m in POLLS]
    made = {
        "histogram": Chart(f"{name}: posts by hour of the day", "hour", "posts", days),
        "learning": Chart(
            f"{name}: weeks learned and mean delay", "weeks learned", "hours per post",
            [Series("4 polls a day", [float(w) for w, _ in sweep.curve], [delay for _, delay in sweep.curve])],
        ),
        "delay": Chart(
            f"{name}: polls a day and mean delay", "polls a day", "hours per post",
            [Series("optimum", POLLS, ours), Series("retrieval scheduling", POLLS, theirs)],
        ),
    }  # fmt: skip
    return {f"feeds-{kind}.svg": draw(chart) for kind, chart in made.items()}


def write_figures(folder: Path, name: str, counts: DailyCounts) -> list[Path]:
    """Draw the figures of a feed into a folder; the files."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for file, drawing in figures(name, counts).items():
        (folder / file).write_text(drawing, encoding="utf-8")
        written.append(folder / file)
    return written
