"""How close a generated Persian web is to the note: every printed share next to the share in the world."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from phasa.lab.world import World
from phasa.papers.calibration import Calibrated, tld_of_pages
from phasa.papers.persian_crawling import published


def calibrate(world: World) -> list[Calibrated]:
    """The published shares next to those of a world."""
    return list(_rows(world))


def _rows(world: World) -> Iterator[Calibrated]:
    target = world.pages.target
    tld = tld_of_pages(world)
    for name, share in published.DOMAINS.items():
        yield Calibrated("audit", f"Persian pages under .{name}", share, float((tld[target] == name).mean()))
    table = published.TABLE_5
    copies = float((world.copy_of >= 0).mean())
    yield Calibrated("Table 5", "duplicate pages", table["duplicate"] / table["processed"], copies)
    static = float(static_pages(world).mean())
    yield Calibrated("Table 5", "static pages", table["static"] / table["processed"], static)
    yield Calibrated("Table 5", "dynamic pages", table["dynamic"] / table["processed"], 1 - static)


def static_pages(world: World) -> NDArray[np.bool_]:
    """Pages whose address does not end like that of a program."""
    static = np.array([style.extension in (".html", ".htm", "/") for style in world.styles])
    return np.asarray(static[world.pages.site])
