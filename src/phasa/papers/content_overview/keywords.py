"""Keywords and clouds repeated on generated pages: E11 to E14 of specs/content-overview.md §6.

The topic words of a generated page stand for its author's tags. Pages go through the whole pipeline: extraction,
segmentation, weights, lists.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from phasa.lab.markup import write_page
from phasa.lab.result import Cell, Claim, Section, Table
from phasa.lab.world import World
from phasa.overview.cloud_page import PUBLISHED, Look, PageText, render_cloud
from phasa.overview.keyword_score import KeywordScore, score_keywords
from phasa.overview.keywords import METHODS, PERCENTS, KeywordLists, amtf, keyword_lists, kid, recommend
from phasa.overview.reading import Reading, match_readings, read_content
from phasa.overview.terms import terms_for
from phasa.papers.options import Options

WEIGHTS = ("amtf", "tltf", "tfidf")
PUBLISHED_SINGLE = {
    "amtf": (25, 28.76, 34.42, 28.33),
    "tltf": (45, 12.78, 25.54, 15.87),
    "tfidf": (95, 2.74, 57.33, 5.12),
}
PUBLISHED_MULTI = {
    "amtf": ((5, 41.15), (5, 49.49)),
    "tltf": ((45, 38.43), (50, 40.98)),
    "tfidf": ((15, 9.80), (20, 32.62)),
}
TABLE_5_4 = (1, 3, 4, 5, 7, 8, 9, 10, 12, 19, 19, 21, 23, 24, 25, 54, 55, 56, 82, 116)
MIN_PAGES = 20


class Page(NamedTuple):
    """A page as elements of terms, with the words of its tags."""

    elements: list[list[str]]
    tags: list[str]


Multi = tuple[str, dict[str, dict[int, KeywordScore]], KeywordLists]
"""A site: its name, the scores of each method at each percentage, the lists of KID."""


class Scores(NamedTuple):
    """Mean measures of one list over pages."""

    keywords: float
    precision: float
    recall: float
    f: float


def keyword_part(options: Options) -> tuple[list[Section], list[Claim], dict[str, str]]:
    """The sections, the claims and the CSV files of the keyword experiments."""
    singles: dict[str, dict[int, list[Scores]]] = {weigh: {percent: [] for percent in PERCENTS} for weigh in WEIGHTS}
    multis: list[Multi] = []
    demonstration: tuple[str, KeywordLists] = ("", keyword_lists({}))
    for seed in options.seeds:
        options.progress(f"keywords on world {seed}")
        world = World.from_name(f"{seed}:{min(options.pages, 20_000)}", "th", lies=0.0)
        pages = [page for site in _sites(world, 12) for page in site[1][:4]]
        for weigh in WEIGHTS:
            for percent, scores in score_pages(pages, weigh).items():
                singles[weigh][percent].append(scores)
        name, site = next(iter(_sites(world, 1)))
        if not multis:
            demonstration = (name, keyword_lists(amtf(site[0].elements)))
        multis.append((name, *score_site(site)))
    return (
        [_single_section(singles), _demonstration_section(*demonstration), _multi_section(multis)],
        _claims(singles, multis),
        {
            "keywords-single.csv": _single_csv(singles),
            "keywords-sites.csv": _multi_csv(multis),
            "cloud-e12.html": _cloud(*demonstration),
            **{
                f"cloud-e14-{number}.html": _cloud(name, lists) for number, (name, _, lists) in enumerate(multis[:2], 1)
            },
        },
    )


def _sites(world: World, most: int) -> list[tuple[str, list[Page]]]:
    """The target-language sites with enough pages, largest first, each read as a set (ECM over its pages)."""
    count = np.bincount(world.pages.site[world.pages.target])
    sites: list[tuple[str, list[Page]]] = []
    for site in np.argsort(-count, kind="stable"):
        numbers = np.flatnonzero((world.pages.site == site) & world.pages.target)[: 3 * MIN_PAGES]
        if len(sites) == most or len(numbers) < MIN_PAGES:
            break
        written = [write_page(world, int(number)) for number in numbers]
        language = world.recipe.target
        readings = [read_content(one.body, one.gold.url, language=language) for one in written]
        tags = [list(one.gold.keywords) for one in written]
        sites.append((written[0].gold.url, _pages(match_readings(readings), tags, language)))
    return sites


def _pages(readings: Sequence[Reading], tags: Sequence[list[str]], language: str) -> list[Page]:
    terms = terms_for(language)
    return [
        Page([terms.of(text) for text in reading.texts], [word for tag in own for word in terms.of(tag)])
        for reading, own in zip(readings, tags, strict=True)
        if own
    ]


def score_pages(pages: Sequence[Page], weigh: str) -> dict[int, Scores]:
    """E11: macro-averages over pages for each percentage."""
    rows: dict[int, list[KeywordScore]] = {percent: [] for percent in PERCENTS}
    for page in pages:
        lists = keyword_lists(METHODS[weigh](page.elements))
        content = {term for element in page.elements for term in element}
        for percent in PERCENTS:
            rows[percent].append(score_keywords((word.term for word in lists[percent]), page.tags, content))
    return {percent: _mean(scores) for percent, scores in rows.items()}


def _mean(scores: Sequence[KeywordScore]) -> Scores:
    return Scores(*np.mean([(score.tk, score.precision, score.recall, score.f) for score in scores], axis=0).tolist())


def score_site(pages: Sequence[Page]) -> tuple[dict[str, dict[int, KeywordScore]], KeywordLists]:
    """E13: a site's pooled tags against KID and the collection-wide baselines."""
    tags = [tag for page in pages for tag in page.tags]
    elements = [element for page in pages for element in page.elements]
    content = {term for element in elements for term in element}
    lists: dict[str, KeywordLists] = {
        "amtf": kid(amtf(page.elements) for page in pages),
        "tltf": keyword_lists(METHODS["tltf"](elements)),
        "tfidf": keyword_lists(METHODS["tfidf"](elements)),
    }
    scored = {
        weigh: {p: score_keywords((word.term for word in found[p]), tags, content) for p in PERCENTS}
        for weigh, found in lists.items()
    }
    return scored, lists["amtf"]


def _best(values: dict[int, float]) -> int:
    return max((percent for percent in values if percent < 100), key=lambda percent: values[percent])


def _over_seeds(by_percent: dict[int, list[Scores]], pick: Callable[[Scores], float]) -> dict[int, float]:
    return {percent: float(np.mean([pick(scores) for scores in rows])) for percent, rows in by_percent.items()}


def _single_section(singles: dict[str, dict[int, list[Scores]]]) -> Section:
    rows: list[list[Cell]] = []
    for weigh in WEIGHTS:
        percent = _best(_over_seeds(singles[weigh], lambda scores: scores.f))
        here = [100 * float(np.mean([scores[at] for scores in singles[weigh][percent]])) for at in (1, 2, 3)]
        there = PUBLISHED_SINGLE[weigh]
        rows.append(
            [weigh.upper(), there[0], percent, *(x for pair in zip(there[1:], here, strict=True) for x in pair)]
        )
    header = [
        "weight",
        "% published",
        "% here",
        "P published",
        "P here",
        "R published",
        "R here",
        "F published",
        "F here",
    ]
    table = Table("Best list per method (Table 5.2; 100 % left out)", header, rows)
    text = "AMTF, TLTF and TFIDF against the words of the page's topic; macro-averages over pages and worlds."
    return Section("E11 Keywords of single pages", text, [table])


def _demonstration_section(name: str, lists: KeywordLists) -> Section:
    chart = lists.chart()
    rows: list[list[Cell]] = [[percent, there, here] for (percent, here), there in zip(chart, TABLE_5_4, strict=True)]
    first = [[recommend(chart), recommend(chart, 15)]]
    return Section(
        "E12 One page",
        f"The first page of {name}; its cloud at every percentage is cloud-e12.html.",
        [
            Table("Number of keywords per percentage (Table 5.4)", ["%", "published", "here"], rows),
            Table(
                "Recommended percentage (published: 50 and 45)", ["total / 6", "near 15"], [list(row) for row in first]
            ),
        ],
    )


def _cloud(name: str, lists: KeywordLists) -> str:
    """The cloud of the figures: every percentage can be chosen in it."""
    return render_cloud(lists, [PageText(name, [])], Look(name, "th", theme=PUBLISHED))


def _multi_section(multis: list[Multi]) -> Section:
    rows: list[list[Cell]] = []
    for weigh in WEIGHTS:
        row: list[Cell] = ["KID" if weigh == "amtf" else weigh.upper()]
        row += [value for pair in PUBLISHED_MULTI[weigh] for value in pair]
        for _, scored, _ in multis[:2]:
            percent = _best({p: score.f for p, score in scored[weigh].items()})
            row += [percent, 100 * scored[weigh][percent].f]
        rows.append(row)
    header = ["method", "Sanook %", "Sanook F", "MThai %", "MThai F"]
    header += [f"{part} {number}" for number in range(1, min(2, len(multis)) + 1) for part in ("site %", "site F")]
    sizes: list[list[Cell]] = [[percent, *(len(lists[percent]) for _, _, lists in multis[:2])] for percent in PERCENTS]
    names = [name for name, _, _ in multis[:2]]
    first: list[list[Cell]] = [
        [name, recommend(lists.chart()), recommend(lists.chart(), 15)] for name, _, lists in multis[:2]
    ]
    return Section(
        "E13, E14 Keywords of sites",
        "Sites of the generated web: each page's lists merged (KID), and TLTF and TFIDF over all pages together.",
        [
            Table("Best list per method (Table 5.6)", header, rows),
            Table("Number of keywords per percentage (Table 5.7)", ["%", *names], sizes),
            Table("Recommended percentage", ["site", "total / 6", "near 15"], first),
        ],
    )


def _claims(
    singles: dict[str, dict[int, list[Scores]]],
    multis: list[Multi],
) -> list[Claim]:
    single = {weigh: max(_over_seeds(singles[weigh], lambda s: s.f)[p] for p in PERCENTS[:-1]) for weigh in WEIGHTS}
    multi = {
        weigh: float(np.mean([max(scored[weigh][p].f for p in PERCENTS[:-1]) for _, scored, _ in multis]))
        for weigh in WEIGHTS
    }
    claims = []
    for source, best in (("Table 5.2", single), ("Table 5.6", multi)):
        figures = ", ".join(f"{weigh.upper()} {100 * best[weigh]:.1f} %" for weigh in WEIGHTS)
        holds = best["amtf"] > best["tltf"] > best["tfidf"]
        claims.append(Claim(source, "best F of AMTF/KID > TLTF > TFIDF", holds, figures))
    same = all(singles["amtf"][100] == singles[weigh][100] for weigh in WEIGHTS)
    claims.append(Claim("Appendix D", "at 100 % the three methods give the same list", same, "all pages compared"))
    return claims


def _single_csv(singles: dict[str, dict[int, list[Scores]]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["method", "percent", "keywords", "precision", "recall", "f"])
    for weigh in WEIGHTS:
        for percent in PERCENTS:
            means = np.mean(singles[weigh][percent], axis=0)
            writer.writerow([weigh, percent, *(f"{value:.6f}" for value in means)])
    return out.getvalue()


def _multi_csv(multis: Sequence[Multi]) -> str:
    """The curves of Appendix E: every method at every percentage, site by site."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["site", "method", "percent", "tk", "ck", "dk", "precision", "recall", "f"])
    for name, scored, _ in multis:
        for weigh in WEIGHTS:
            for percent, score in scored[weigh].items():
                shares = (f"{value:.6f}" for value in (score.precision, score.recall, score.f))
                writer.writerow([name, weigh, percent, score.tk, score.ck, score.dk, *shares])
    return out.getvalue()
