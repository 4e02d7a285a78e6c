"""How close a generated web is to Tables 10–12: every printed share next to the share in the world."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from phasa.lab.seeds import seeds_of
from phasa.lab.world import World
from phasa.papers.calibration import Calibrated, tld_of_pages
from phasa.papers.language_crawling import published
from phasa.papers.language_crawling.discovery import discover

LONG_PATH = float(np.log(2.5))
"""a4 predicts the language from D = 2 on: the document does not print its rule (A7), this one gives its counts."""
FEATURES = ("a1", "a2", "a3", "a4")


def calibrate(world: World) -> list[Calibrated]:
    """The published shares next to those of a world."""
    return list(_rows(world))


def _rows(world: World) -> Iterator[Calibrated]:
    target = world.pages.target
    yield Calibrated("§6.2", "pages in Thai", published.THAI / published.PAGES, float(target.mean()))
    yield Calibrated("§6.2", "greatest distance", published.DEPTH, float(world.depths().max()))
    tld = tld_of_pages(world)
    yield from _shares("Table 10", published.TABLE_10, tld, target)
    charset = np.array(world.pages.charsets)[world.pages.charset]
    yield from _shares("Table 11", published.TABLE_11, charset, target)
    yield from _table_12(world)


def _shares(
    table: str, counts: dict[str, tuple[int, int]], column: NDArray[np.str_], target: NDArray[np.bool_]
) -> Iterator[Calibrated]:
    for row, mask, label in ((0, target, "Thai"), (1, ~target, "other")):
        total = sum(pair[row] for pair in counts.values())
        for name, pair in counts.items():
            here = in_row(name, counts, column)
            yield Calibrated(table, f"{name}, {label}", pair[row] / total, float(here[mask].mean()))


def in_row(name: str, counts: dict[str, tuple[int, int]], column: NDArray[np.str_]) -> NDArray[np.bool_]:
    """Which pages belong to a row of Table 10 or 11; 'others' are those that no other row names."""
    if name != "others":
        return np.asarray(column == name)
    return np.asarray(~np.isin(column, list(counts)) | (column == "others"))


def _table_12(world: World) -> Iterator[Calibrated]:
    limit = round(len(world.pages) * published.TABLE_12_PAGES / published.PAGES)
    found = discover(world.graph, seeds_of(world, "table9"), limit)
    thai = sum(published.TABLE_12["a1"][::2])
    yield Calibrated("Table 12", "Thai pages of the crawl", thai / published.TABLE_12_PAGES, float(found.wanted.mean()))
    cuts = (world.recipe.threshold, world.recipe.threshold, 0.5, LONG_PATH)
    for number, feature in enumerate(FEATURES):
        predicted = found.features[:, number] >= cuts[number]
        ours = confusion(predicted, found.wanted)
        for what, printed, here in zip(
            ("precision", "recall", "precision of other", "recall of other"),
            ratios(published.TABLE_12[feature]),
            ratios(ours),
            strict=True,
        ):
            yield Calibrated("Table 12", f"{feature} {what}", printed, here)


def confusion(predicted: NDArray[np.bool_], wanted: NDArray[np.bool_]) -> tuple[int, int, int, int]:
    """Counts in the layout of Table 12: predicted and true, predicted and false, missed, rightly left."""
    return (
        int((predicted & wanted).sum()),
        int((predicted & ~wanted).sum()),
        int((~predicted & wanted).sum()),
        int((~predicted & ~wanted).sum()),
    )


def ratios(counts: tuple[int, int, int, int]) -> tuple[float, float, float, float]:
    """Precision and recall of the class, then of the other class."""
    hit, false, missed, left = counts
    return (
        hit / max(1, hit + false),
        hit / max(1, hit + missed),
        left / max(1, left + missed),
        left / max(1, left + false),
    )
