"""Experiments 1–5 of specs/segment-focused-crawling.md §6 on webs with topics, and what goes beyond them."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import msgspec
import numpy as np

from phasa.crawl.run.manifest import Manifest
from phasa.crawl.segments.evaluation import Ratio, SweepRow, sweep
from phasa.lab.chart import Chart, Series
from phasa.lab.curves import Curve, Ground, Summary, interval, summarise, write_csv
from phasa.lab.result import Cell, Claim, Result, Section, Table
from phasa.papers.options import Options
from phasa.papers.segment_crawling import published
from phasa.papers.segment_crawling.beyond import beyond_sections
from phasa.papers.segment_crawling.calibration import ANALYSED, CONDITIONS, TABLES, ratios
from phasa.papers.segment_crawling.crawls import TopicalCrawl, arena, crawl, manifest_for, strategy_for
from phasa.papers.segment_crawling.models import (
    MODE,
    TRAINING_PAGES,
    backlink_crawl,
    matcher_of,
    predictor_for,
    topic_model,
    training_crawl,
)

STRATEGIES = ("segment-hybrid", "segment", "best-segment", "best-page", "bfs")
SHOWN = {"segment": "TFLSWC", "best-segment": "Best-segment", "best-page": "Best-page", "bfs": "Breadth-First",
         "segment-hybrid": "segment-hybrid (ours)"}  # fmt: skip
TOPICS = (*published.TOPICS, "food")
"""Those of the thesis, and one that it does not have and that nothing was tuned on."""
_NEAR = 0.06
"""A G-mean so near to the printed one is of the same order."""
_MARGIN = 0.03


@dataclass(frozen=True)
class Task:
    """All crawls of one topic on one web."""

    seed: int
    pages: int
    topic: str
    training: int
    budget: int


@dataclass(frozen=True)
class Done:
    """The crawls of a task, and Tables 5–7 over those that the thesis counts."""

    task: Task
    crawls: list[TopicalCrawl]
    ratios: dict[str, Ratio]
    manifests: list[Manifest]
    sweep: list[SweepRow]
    """Table 3 on this web, from back-links of its own."""


def run(options: Options) -> Result:
    """Experiments 1–5, each published table next to ours; then S and D, dictionaries, segment-hybrid."""
    pages = 6000 if options.quick else options.pages
    training = 8000 if options.quick else TRAINING_PAGES
    repeats = 1 if options.quick else 10
    seeds = options.seeds[:1] if options.quick else options.seeds
    budget = pages // 10
    sections: list[Section] = []
    claims: list[Claim] = []
    for step, experiment in (("1", _topic_models), ("2", _thresholds), ("3", _predictors)):
        options.progress(f"experiment {step}")
        section, more = experiment(training, repeats)
        sections.append(section)
        claims += more
    options.progress("experiments 4 and 5")
    tasks = [Task(seed, pages, topic, training, budget) for topic in TOPICS for seed in seeds]
    done = run_tasks(tasks, options.workers)
    curves = [_curve(one) for task in done for one in task.crawls]
    for section, more in (_thresholds_again(done), _crawls(done, curves), _link_analysis(done)):
        sections.append(section)
        claims += more
    options.progress("beyond the thesis")
    sections += beyond_sections(seeds[0], pages, training, max(200, budget // 4), published.TOPICS)
    return Result(
        "segment",
        "Pages about a country by website segment: experiments 1–5",
        f"Webs {', '.join(f'{seed}:{pages}' for seed in seeds)} (seed:pages), {budget:,} pages per crawl, at most 300"
        f" of a website. Models are from a web of its own (0:{training}); words match in the mode '{MODE}'. The"
        " thesis crawled the live web of 2013–14: shapes can be compared, digits cannot.",
        sections,
        claims,
        {
            "segment-harvest.csv": write_csv(curves),
            "segment-manifests.jsonl": "".join(
                msgspec.json.encode(manifest).decode() + "\n" for task in done for manifest in task.manifests
            ),
        },
    )


def run_tasks(tasks: Sequence[Task], workers: int = 1) -> list[Done]:
    """All tasks in their order, whatever the number of workers."""
    if workers == 1:
        return [run_task(task) for task in tasks]
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(run_task, tasks))


def run_task(task: Task) -> Done:
    """The five crawls of a topic on a web."""
    place = arena(task.seed, task.pages, task.topic, task.training)
    crawls = [crawl(place, strategy_for(name, task.topic, task.training), task.budget) for name in STRATEGIES]
    counted = [one for one in crawls if one.strategy in ANALYSED]
    manifests = [manifest_for(place, one, task.training, task.budget) for one in crawls]
    near = backlink_crawl(place.world, task.topic, place.graph.similarity.astype(float), task.pages // 4)
    found = sweep(near.graph.segments, near.graph.links, near.starts)
    return Done(task, crawls, ratios(place, counted, matcher_of()), manifests, found)


def _topic_models(training: int, repeats: int) -> tuple[Section, list[Claim]]:
    rows: list[list[Cell]] = []
    claims = []
    for topic in ("tourism", "estate", "food"):
        report = topic_model(topic, training, 10, repeats).report
        printed = published.TOPIC_G_MEAN.get(topic)
        rows.append([topic, report.positive, report.negative, printed, report.g_mean, report.deviation, report.best])
        if printed is not None:
            claims.append(_same_order("1 §6.1", f"topic model of {topic}", printed, report.g_mean, report.deviation))
    header = ["topic", "pages about it", "others", "published G-mean", "here", "± between repetitions", "best"]
    table = Table(f"G-mean, {repeats} × 10 folds", header, rows)
    text = "Pages carry the label of their site; diving is the model of tourism with a word that must occur."
    return Section("Experiment 1 — topic models", text, [table]), claims


def _same_order(source: str, what: str, printed: float, here: float, deviation: float) -> Claim:
    near = abs(here - printed) <= _NEAR
    told = f"{here:.3f} ± {deviation:.3f} here, {printed:.3f} published"
    return Claim(source, f"{what}: G-mean of the same order", near, told)


def _thresholds(training: int, repeats: int) -> tuple[Section, list[Claim]]:
    rows: list[list[Cell]] = []
    claims = []
    for topic in published.TOPICS:
        known = training_crawl(topic, training, 10, repeats)
        found = sweep(known.graph.segments, known.graph.links, known.starts)
        relevant_only = sweep(known.graph.segments, known.graph.links, known.starts, count_starts=False)
        for printed, here, other in zip(published.TABLE_3[topic], found, relevant_only, strict=True):
            rows.append([topic, *printed, here.harvest, here.coverage, here.f, other.harvest])
        claims += _threshold_claims(topic, found)
    header = ["topic", "τ", "harvest, published", "coverage", "F", "harvest here", "coverage", "F", "harvest, A18"]
    note = "A18: pages of a start count only where it is relevant itself."
    text = "A simulated crawl from the back-links of selected pages, only into segments of relevance degree ≥ τ."
    return Section("Experiment 2 — threshold τ", text, [Table("Table 3", header, rows, note)]), claims


def _thresholds_again(done: Sequence[Done]) -> tuple[Section, list[Claim]]:
    """Experiment 2 on every measured web: how far the choice of τ holds."""
    rows: list[list[Cell]] = []
    claims = []
    for topic in published.TOPICS:
        mine = [task.sweep for task in done if task.task.topic == topic]
        at = {row.threshold: place for place, row in enumerate(mine[0])}
        values = np.array([[(row.harvest, row.coverage, row.f) for row in found] for found in mine])
        for threshold, place in at.items():
            means, halves = values[:, place].mean(axis=0), interval(values[:, place])
            rows.append([topic, threshold, *(float(cell) for pair in zip(means, halves, strict=True) for cell in pair)])
        for other in (one for one in at if one != 0.5):
            gaps = values[:, at[0.5], 2] - values[:, at[other], 2]
            mean, half = float(gaps.mean()), float(interval(gaps[:, None])[0])
            what = f"{topic}: F at τ = 0.5 above F at τ = {other:g} on the measured webs"
            claims.append(Claim("2 §6.2", what, mean > 0, f"difference {mean:+.3f} ± {half:.3f}"))
    header = ["topic", "τ", "harvest", "± 95 %", "coverage", "±", "F", "±"]
    text = "The same on the webs that are crawled below, each from back-links of its own."
    return Section("Experiment 2 — the same on the measured webs", text, [Table("Table 3", header, rows)]), claims


def _threshold_claims(topic: str, found: Sequence[SweepRow]) -> list[Claim]:
    best = max(found, key=lambda row: row.f)
    detail = ", ".join(f"{row.threshold:g}: {row.f:.3f}" for row in found)
    steady = all(
        first.harvest <= second.harvest + 0.002 and first.coverage >= second.coverage
        for first, second in pairwise(found)
    )
    return [
        Claim("2 §6.2", f"{topic}: F is best at τ = 0.5", best.threshold == 0.5, detail),
        Claim("2 §6.2", f"{topic}: harvest rises and coverage falls with τ", steady,
              ", ".join(f"{row.harvest:.3f}/{row.coverage:.3f}" for row in found)),
    ]  # fmt: skip


def _predictors(training: int, repeats: int) -> tuple[Section, list[Claim]]:
    rows: list[list[Cell]] = []
    claims = []
    for topic in TOPICS:
        learned = predictor_for(topic, training, MODE, 10, repeats)
        printed, wanted = published.PREDICTOR_G_MEAN.get(topic), learned.examples.wanted
        rows.append([topic, len(wanted), float(wanted.mean()), printed, learned.check.mean, learned.check.deviation,
                     learned.link_only.mean, learned.words_only.mean])  # fmt: skip
        if printed is not None:
            claims.append(_same_order("3 §6.3", f"predictor of {topic}", printed, learned.check.mean,
                                      learned.check.deviation))  # fmt: skip
    header = ["topic", "links", "relevant", "published G-mean", "here", "±", "links alone", "words alone"]
    text = "Links between websites only, training folds under-sampled; the two models alone are an ablation of ours."
    return Section("Experiment 3 — predictors", text, [Table(f"G-mean, {repeats} × 10 folds", header, rows)]), claims


def _curve(one: TopicalCrawl) -> Curve:
    every = max(10, len(one.pages) // 100)
    marks = np.arange(every, len(one.pages) + 1, every)
    found = np.concatenate([[0], np.cumsum(one.wanted)])
    return Curve(
        one.strategy,
        Ground(one.topic, "en", world=one.world, lies=0.0),
        every,
        found[marks] / marks,
        (found[marks] - found[marks - every]) / every,
        found[marks] / max(1, one.there),
        len(one.pages),
        int(one.wanted.sum()),
        len(one.pages),
    )


def _crawls(done: Sequence[Done], curves: Sequence[Curve]) -> tuple[Section, list[Claim]]:
    rows: list[list[Cell]] = []
    charts, claims = [], []
    for topic in TOPICS:
        summaries = summarise([curve for curve in curves if curve.ground.seeds == topic])
        for one in summaries:
            mine = [crawled for task in done if task.task.topic == topic for crawled in task.crawls
                    if crawled.strategy == one.strategy]  # fmt: skip
            true = float(np.mean([crawled.true_harvest for crawled in mine]))
            rows.append([topic, SHOWN[one.strategy], one.mean_harvest, one.mean_harvest_interval, one.final_harvest,
                         true, one.coverage[-1] if one.coverage else 0.0])  # fmt: skip
        lines = [Series(SHOWN[one.strategy], one.pages, one.harvest, one.harvest_interval) for one in summaries]
        charts.append(Chart(f"Harvest rate, Thai {topic}", "pages crawled", "harvest", lines, 1.0))
        claims += order_claims(topic, {one.strategy: one for one in summaries})
    header = ["topic", "crawler", "mean harvest", "± 95 %", "at the end", "by the gold", "coverage"]
    text = (
        "All crawlers from the same seeds, judged by the same topic model. Harvest is what the judge wants; 'by the"
        " gold' is the share of pages that truly are about the topic. The thesis prints curves without numbers."
    )
    return Section("Experiment 4 — crawls", text, [Table("Harvest (Figures 12–14)", header, rows)], charts), claims


def order_claims(topic: str, by_name: dict[str, Summary]) -> list[Claim]:
    """TFLSWC before the rest, as published; the order of the rest and the lead of segment-hybrid, as asked of us."""
    claims = [
        _before("4 §6.4", topic, by_name["segment"], by_name[other]) for other in ("best-segment", "best-page", "bfs")
    ]
    claims.append(_before("4 ours", topic, by_name["best-segment"], by_name["best-page"]))
    claims.append(_before("4 ours", topic, by_name["best-page"], by_name["bfs"]))
    claims.append(_before("ours", topic, by_name["segment-hybrid"], by_name["segment"], _MARGIN))
    return claims


def _before(source: str, topic: str, first: Summary, second: Summary, margin: float = 0.0) -> Claim:
    gaps = np.array([one - other for one, other in zip(first.each, second.each, strict=True)])
    mean, half = float(gaps.mean()), float(interval(gaps[:, None])[0])
    by = f" by at least {100 * margin:g} points" if margin else ""
    return Claim(
        source,
        f"{topic}: {SHOWN[first.strategy]} > {SHOWN[second.strategy]}{by}",
        mean > 0 if not margin else mean >= margin,
        f"{first.mean_harvest:.3f} against {second.mean_harvest:.3f}; difference {mean:+.3f} ± {half:.3f}",
    )


def _link_analysis(done: Sequence[Done]) -> tuple[Section, list[Claim]]:
    tables, claims = [], []
    for name, title in TABLES.items():
        rows: list[list[Cell]] = []
        for topic in TOPICS:
            mine = [task.ratios[name] for task in done if task.task.topic == topic]
            holds, fails = (float(np.mean([ratio[side] for ratio in mine])) for side in (0, 1))
            printed = published.LINK_SHARES[name].get(topic, (None, None))
            half = float(interval(np.array([[ratio.holds - ratio.fails] for ratio in mine]))[0])
            rows.append([topic, *printed, holds, fails, holds - fails, half])
            told = f"{holds:.3f} against {fails:.3f}; difference {holds - fails:+.3f} ± {half:.3f}"
            claims.append(Claim(f"5 {title}", f"{topic}: more relevant destinations where {CONDITIONS[name]}",
                                holds > fails, told))  # fmt: skip
        header = ["topic", "published: yes", "no", "here: yes", "no", "difference", "± 95 %"]
        tables.append(Table(f"{title}: {CONDITIONS[name]}", header, rows))
    text = (
        "Segment links met by TFLSWC, Best-segment and Breadth-First whose destination was downloaded: the share of"
        " relevant destinations. The webs were matched to these tables."
    )
    return Section("Experiment 5 — link analysis", text, tables), claims
