"""The task of a lab job (phasa.service.job_process): strategies compared on a generated web, or on the graph of this
collection. The report is the file of the order and is also kept in the collection's reports."""

from __future__ import annotations

import shutil
from pathlib import Path

from phasa.collection import Collection
from phasa.lab.compare import compare
from phasa.lab.curves import MIXED, Ground, summarise
from phasa.lab.falls import comparison
from phasa.lab.from_archive import captures_of, graph_from, judge_for
from phasa.lab.report import write_files
from phasa.lab.store import write_graph
from phasa.service.job_process import Order, Tell

DRAWS = 3
"""Draws of seeds on the graph of a collection."""


def run(order: Order, tell: Tell) -> str:
    """Run the comparison. Raises PhasaError for a strategy or a world that is none."""
    collection, out = Collection.open(Path(order.collection)), Path(order.out)
    asked, code = order.options, collection.profile.code
    if asked.get("world"):
        grounds = [Ground("thai1", "th", world=asked["world"])]
    else:
        tell(0, None, "reading links")
        path = out.with_name("graph.db")
        write_graph(graph_from(captures_of([collection.path]), code, judge_for([collection.path], code)), path)
        grounds = [Ground(MIXED, code, graph=path, draw=draw + 1) for draw in range(DRAWS)]
    names = asked["strategies"].split(",")
    pages = int(asked["pages"])
    every = max(1, min(100, pages // 20))
    curves = compare(grounds, names, pages, every, 1, lambda done, of: tell(done, of, "crawling"))
    written = write_files(comparison(curves), out.with_name("report"))
    page = next(path for path in written if path.suffix == ".html")
    shutil.copyfile(page, out)
    collection.reports_folder.mkdir(exist_ok=True)
    shutil.copyfile(page, collection.reports_folder / f"comparison-{out.parent.name}.html")
    best = max(summarise(curves), key=lambda one: one.mean_harvest)
    return f"best: {best.strategy}, mean harvest {best.mean_harvest:.3f}"
