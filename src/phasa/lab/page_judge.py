"""The judge of a crawl on a generated web: it reads each page as it is served, so that harvest means the same in both.

A web that lies has pages of two languages, and pages in an encoding that is not the one they declare: what the web says
of such a page and what a crawl finds when it reads it are not always the same.
"""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
from numpy.typing import NDArray

from phasa.crawl.answer import Answer
from phasa.crawl.judge import Judgement
from phasa.lab.from_archive import new_judge
from phasa.lab.graph import Graph
from phasa.lab.markup import write_page
from phasa.lab.replay import page_of
from phasa.lab.world import World
from phasa.web.html import read_page
from phasa.web.url import Url


class PageJudge:
    """Judges the pages of a world as a new collection of its language would; each page is read once.

    With `one_scale` the score of every page is Γ, as for strategies that are published so.
    """

    def __init__(self, world: World, *, one_scale: bool = False) -> None:
        self._world = world
        self._language = world.graph.target
        self._judge = new_judge(self._language, one_scale=one_scale)
        self._known: dict[int, Judgement] = {}

    def judge(self, answer: Answer) -> Judgement:
        number = page_of(answer)
        if (known := self._known.get(number)) is None:
            written = write_page(self._world, number)
            read = read_page(written.body, Url(self._world.url(number)), header="text/html", hint=self._language)
            known = self._known[number] = self._judge.judge(msgspec.structs.replace(answer, page=read))
        return known

    def labelled(self, graph: Graph, pages: NDArray[np.int64]) -> Graph:
        """The graph with what was found on these pages, all of which were judged, in place of what the web says."""
        labels = graph.wanted.copy()
        labels[pages] = [self._known[page].wanted for page in pages.tolist()]
        return replace(graph, labels=labels)
