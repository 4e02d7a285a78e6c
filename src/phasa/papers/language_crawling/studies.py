"""E1–E5: what a page shows of its language, and what is known of a link before it is followed."""

from __future__ import annotations

import time

import numpy as np

from phasa.crawl.learn.naive_bayes import NaiveBayes
from phasa.crawl.learn.validation import cross_validate, weaknesses
from phasa.lab.chart import Chart, Series
from phasa.lab.knowledge import learn
from phasa.lab.markup import write_page
from phasa.lab.result import Cell, Section, Table
from phasa.lab.seeds import seeds_of
from phasa.lab.world import World
from phasa.language.detectors import detector
from phasa.language.detectors.dictionary import dictionary
from phasa.language.profile import load_profile
from phasa.language.verdict import Document
from phasa.measures import f_measure
from phasa.papers.calibration import tld_of_pages
from phasa.papers.language_crawling import published
from phasa.papers.language_crawling.calibration import FEATURES, LONG_PATH, calibrate, confusion, in_row, ratios
from phasa.papers.language_crawling.detector_set import Sample, detector_set
from phasa.papers.language_crawling.discovery import discover
from phasa.papers.options import Options
from phasa.web.charset import decode
from phasa.web.html import read_page
from phasa.web.url import Url, parse

_SOMEWHERE = Url("http://example.org/")


def threshold_sweep(world: World, options: Options) -> Section:
    """E1: pages by similarity Γ, and how many a threshold Z takes, from 1 down to 0.05."""
    similarity = world.graph.similarity[: len(world.pages)]
    steps = [round(1.0 - 0.05 * step, 2) for step in range(20)]
    rows: list[list[Cell]] = []
    taken: list[float] = []
    for z in steps:
        here = int(((similarity >= z) & (similarity < z + 0.05)).sum()) if z < 1 else int((similarity >= 1).sum())
        taken.append(float((similarity >= z).sum()))
        rows.append([f"{z:.2f}", here, int(taken[-1])])
    measured = _measured_similarity(world, 60 if options.quick else 300)
    at_half = int(((similarity >= 0.4) & (similarity < 0.6)).sum())
    valley = int(((similarity >= 0.05) & (similarity < 0.1)).sum())
    return Section(
        "E1 — threshold Z",
        f"The document says: most pages lie around Γ = 0.5, few between 0.1 and 0.05. Here {at_half:,} pages lie in "
        f"0.4–0.6 and {valley:,} in 0.05–0.1.\n\n"
        f"Γ of the page as written and Γ that the dictionary detector measures on its HTML: correlation "
        f"{measured[0]:.3f}, same side of Z = 0.1 in {measured[1]:.1%} of {measured[2]} pages.",
        [Table("Pages by Γ (Appendix figure 1)", ["Z", "pages in [Z, Z+0.05)", "pages with Γ ≥ Z"], rows)],
        [Chart("Pages with Γ ≥ Z", "Z", "pages", [Series("pages", steps[::-1], taken[::-1])], x_from_zero=False)],
    )


def _measured_similarity(world: World, count: int) -> tuple[float, float, int]:
    """Correlation and agreement of the planned Γ with the one measured on the page, over a sample."""
    method = dictionary(load_profile(world.recipe.target))
    chosen = np.linspace(0, len(world.pages) - 1, count).astype(int)
    planned = world.graph.similarity[chosen].astype(np.float64)
    found = np.array([method.gamma(_document(world, int(page)).text) for page in chosen])
    same = (planned >= world.recipe.threshold) == (found >= world.recipe.threshold)
    return float(np.corrcoef(planned, found)[0, 1]), float(same.mean()), count


def _document(world: World, page: int) -> Document:
    written = write_page(world, page)
    url = parse(world.url(page))
    assert url is not None
    text = decode(written.body, None, world.recipe.target)
    return Document(read_page(text.text, url).text, charset=text.charset)


METHODS = {"dictionary": ("LexTo", "lexto"), "ngram": ("TextCat", "textcat"), "kernel": ("LIBS", "libs"),
           "charset": ("charset only", ""), "script": ("script ratio", ""), "auto": ("phasa auto", "")}  # fmt: skip


def detectors(world: World, options: Options) -> Section:
    """E2: the detector benchmark in the form of Table 8."""
    samples = detector_set(world.seed, "th", *((20, 120) if options.quick else ()))
    rows = detector_table(samples, "th", list(METHODS))
    return Section(
        "E2 — language detectors",
        f"{len(samples)} pages in 43 languages, {sum(one.language == 'th' for one in samples)} of them Thai; one Thai "
        "page in six is mostly English. The published 'accuracy' is Thai recall. Times are CPU seconds for decoding "
        "and judging; the published ones are of 2009.",
        [Table("Table 8, published beside ours", ["method", "Thai found", "of", "false alarms", "recall",
                                                   "published recall", "seconds", "published s", "ms/page"], rows)],
    )  # fmt: skip


def detector_table(samples: list[Sample], target: str, methods: list[str]) -> list[list[Cell]]:
    """Confusion, recall and time of every method on the samples."""
    own = sum(sample.language == target for sample in samples)
    rows: list[list[Cell]] = []
    for method in methods:
        shown, key = METHODS.get(method, (method, ""))
        judge = detector(method, target)
        judge.detect("x")
        started = time.process_time()
        found = alarms = 0
        for sample in samples:
            text = decode(sample.body, f"text/html; charset={sample.charset}", None)
            page = read_page(text.text, _SOMEWHERE)
            is_own = judge.judge(Document(page.text, charset=sample.charset)).language == target
            found += is_own and sample.language == target
            alarms += is_own and sample.language != target
        seconds = time.process_time() - started
        printed = published.TABLE_8.get(key)
        rows.append([shown, found, own, alarms, found / max(1, own), None if printed is None else printed[0] / 58,
                     round(seconds, 2), None if printed is None else printed[2],
                     round(1000 * seconds / len(samples), 2)])  # fmt: skip
    return rows


def cross_tables(world: World, options: Options) -> Section:
    """E3: language by domain and by encoding, and the whole calibration."""
    target = world.pages.target
    tables = []
    charset = np.array(world.pages.charsets)[world.pages.charset]
    for title, counts, column in (
        ("Table 10 — label by top-level domain", published.TABLE_10, tld_of_pages(world)),
        ("Table 11 — label by encoding", published.TABLE_11, charset),
    ):
        rows: list[list[Cell]] = []
        for name, (thai, other) in counts.items():
            here = in_row(name, counts, column)
            mine = int((here & target).sum()), int((here & ~target).sum())
            rows.append([name, thai / published.THAI, mine[0] / target.sum(), mine[0], other / published.OTHER,
                         mine[1] / (~target).sum(), mine[1]])  # fmt: skip
        rows.append(["total", 1.0, 1.0, int(target.sum()), 1.0, 1.0, int((~target).sum())])
        header = ["", "Thai published", "Thai here", "pages", "other published", "other here", "pages"]
        tables.append(Table(title, header, rows))
    figures = calibrate(world)
    worst = max(figures, key=lambda row: abs(row.off))
    rows = [[f"{row.table} {row.what}", row.published, row.here, f"{row.off:+.1%}"] for row in figures]
    tables.append(
        Table("Calibration: every published share beside ours", ["share", "published", "here", "off by"], rows)
    )
    depth = np.bincount(world.depths())
    return Section(
        "E3 — domains and encodings",
        f"The world is made to these tables; the largest difference of any share is {worst.off:+.1%} ({worst.table} "
        f"{worst.what}). Greatest link distance from the first pages: {len(depth) - 1}.",
        tables,
    )


def single_features(world: World, options: Options) -> Section:
    """E4: each feature alone, by a cut and by a one-feature naive Bayes (the document does not print its rule)."""
    limit = round(len(world.pages) * published.TABLE_12_PAGES / published.PAGES)
    found = discover(world.graph, seeds_of(world, "table9"), limit)
    cuts = (world.recipe.threshold, world.recipe.threshold, 0.5, LONG_PATH)
    rows: list[list[Cell]] = []
    for number, feature in enumerate(FEATURES):
        column = found.features[:, [number]]
        by_cut = confusion(column[:, 0] >= cuts[number], found.wanted)
        model = NaiveBayes(column, found.wanted)
        by_bayes = confusion(model.probability(column) >= 0.5, found.wanted)
        for rule, counts in (
            ("published", published.TABLE_12[feature]),
            (f"cut {cuts[number]:.2f}", by_cut),
            ("naive Bayes", by_bayes),
        ):
            precision, recall, *_ = ratios(counts)
            rows.append([feature, rule, *counts, precision, recall, f_measure(precision, recall)])
    header = ["feature", "rule", "Thai hit", "false", "missed", "other", "precision", "recall", "F"]
    return Section(
        "E4 — single features",
        f"Breadth-first from the seeds of Table 9, {len(found.pages):,} pages, {int(found.wanted.sum()):,} Thai "
        "(40,000 and 7,897 in the document). The four confusion tables share these totals.",
        [Table("Table 12, published beside ours", header, rows)],
    )


def knowledge_base(world: World, options: Options) -> Section:
    """E5: the knowledge base and its ten-fold cross-validation."""
    _, knowledge = learn(world)
    table = cross_validate(knowledge)
    ours = table.hits, table.alarms, table.misses, table.rejections
    rows: list[list[Cell]] = []
    for what, counts in (("published", published.APPENDIX_1), ("here", ours)):
        precision, recall, other_precision, other_recall = ratios(counts)
        rows.append([what, *counts, precision, recall, other_precision, other_recall,
                     (counts[0] + counts[3]) / sum(counts)])  # fmt: skip
    header = [
        "",
        "Thai hit",
        "false",
        "missed",
        "other",
        "precision",
        "recall",
        "other prec.",
        "other rec.",
        "accuracy",
    ]
    weak = weaknesses(knowledge)
    gate = "; ".join(weak) if weak else "good enough"
    return Section(
        "E5 — knowledge base",
        f"{len(knowledge):,} rows from the seeds of Table 13, {float(knowledge.wanted.mean()):.1%} Thai (69.4 % in the "
        f"document). Quality gate: {gate}.",
        [Table("Appendix table 1: ten-fold cross-validation", header, rows)],
    )
