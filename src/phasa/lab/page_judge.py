"""A generated web as a crawl finds it: each page is written as it is served and read as a crawl reads it, so that a
crawl in the lab knows what the same crawl knows over HTTP, and harvest means the same in both.

A web that lies has pages of two languages, and pages in an encoding that is not the one they declare: what the web says
of such a page and what a crawl finds when it reads it are not always the same. Nor are the links: of an anchor in two
languages a dictionary knows some words, around a picture stands whatever is next to it, and which link comes first is
seen on the page alone.
"""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
from numpy.typing import NDArray

from phasa.crawl.answer import Answer, Kind
from phasa.crawl.judge import Judgement
from phasa.crawl.live import out_links
from phasa.lab.from_archive import new_judge
from phasa.lab.graph import OK, Graph
from phasa.lab.markup import write_page
from phasa.lab.replay import GraphAnswer, ReplayWeb, page_of
from phasa.lab.world import World
from phasa.web.html import PAGE_TAGS, Page, read_page
from phasa.web.url import Url


class ReadWeb(ReplayWeb):
    """The web of a graph, with pages and links as they are read on the pages of its world. Servers have no country, as
    on a machine that serves the world."""

    def __init__(self, graph: Graph, world: World) -> None:
        super().__init__(graph)
        self._world = world

    def page(self, page: int) -> GraphAnswer:
        read = _read(self._world, page)
        return GraphAnswer(Kind.PAGE, "", status=OK, page=read, links=out_links(read), number=page)


def _read(world: World, page: int) -> Page:
    body = write_page(world, page).body
    return read_page(body, Url(world.url(page)), header="text/html", hint=world.graph.target, tags=PAGE_TAGS)


class PageJudge:
    """Judges the pages of a world as a new collection of its language would; each page is judged once.

    With `one_scale` the score of every page is Γ, as for strategies that are published so.
    """

    def __init__(self, world: World, *, one_scale: bool = False) -> None:
        self._world = world
        self._judge = new_judge(world.graph.target, one_scale=one_scale)
        self._known: dict[int, Judgement] = {}

    def judge(self, answer: Answer) -> Judgement:
        number = page_of(answer)
        if (known := self._known.get(number)) is None:
            page = answer.page or _read(self._world, number)
            known = self._known[number] = self._judge.judge(msgspec.structs.replace(answer, page=page))
        return known

    def labelled(self, graph: Graph, pages: NDArray[np.int64]) -> Graph:
        """The graph with what was found on these pages, all of which were judged, in place of what the web says."""
        labels = graph.wanted.copy()
        labels[pages] = [self._known[page].wanted for page in pages.tolist()]
        return replace(graph, labels=labels)
