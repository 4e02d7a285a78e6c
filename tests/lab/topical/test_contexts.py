"""What the lab shows a strategy of a link is what a live crawl reads of the same page."""

from __future__ import annotations

import numpy as np

from phasa.crawl.live import out_links
from phasa.lab.replay import ReplayWeb
from phasa.lab.topical.world import TopicalWorld
from phasa.web.html import read_page
from phasa.web.url import Url


def test_links_anchors_and_surroundings_are_those_that_a_crawl_reads_from_the_page() -> None:
    world = TopicalWorld(21, 3000)
    graph = world.graph(np.zeros(len(world)))
    web, repeated = ReplayWeb(graph), 0
    for page in range(0, len(world), 30):
        read = out_links(read_page(world.html(page).encode(), Url(graph.url(page)), header="text/html", hint="en"))
        shown = web.out_links(page)
        assert list(shown.urls) == list(read.urls)
        assert list(shown.anchors) == list(read.anchors)
        assert list(shown.contexts) == list(read.contexts)
        repeated += len(shown.urls) < len(range(graph.offsets[page], graph.offsets[page + 1]))
    assert repeated  # pages that link twice to the same address are among them
