"""Crawls on a web that stands still."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
import pytest
from tests.lab.plain_replay import plain_replay

from phasa.crawl.strategies import Circumstances, make_strategy
from phasa.crawl.strategy import Change, JudgedPage, Offers, Plain, Rediscovery, Seed, same_priority
from phasa.lab.compare import lab_strategy
from phasa.lab.graph import OK, AddressList, Graph
from phasa.lab.replay import LabError, replay
from phasa.lab.seeds import seeds_of
from phasa.lab.targets import target_of
from phasa.lab.world import World


def graph_from(links: dict[str, str], wanted: str, status: dict[str, int] | None = None) -> Graph:
    """A graph of one-letter pages: {'a': 'bc'} means that a links to b and c."""
    names = sorted(set(links) | set("".join(links.values())))
    rows = [[names.index(target) for target in links.get(name, "")] for name in names]
    count = len(names)
    return Graph(
        target="th",
        addresses=AddressList([f"http://{name}.th/" for name in names]),
        offsets=np.cumsum([0, *map(len, rows)]),
        targets=np.array([target for row in rows for target in row], dtype=np.int32),
        language=np.array([name in wanted for name in names], dtype=np.uint8),
        languages=("en", "th"),
        similarity=np.array([float(name in wanted) for name in names], dtype=np.float32),
        status=np.array([(status or {}).get(name, OK) for name in names], dtype=np.uint16),
        moved=np.full(count, -1, np.int32),
        charset=np.zeros(count, np.uint8),
        charsets=("utf-8",),
    )


def fetched(graph: Graph, strategy: object, seeds: str = "a", pages: int = 99) -> str:
    crawl = replay(graph, strategy, [Seed(f"http://{name}.th/") for name in seeds], pages)  # type: ignore[arg-type]
    return "".join(graph.url(int(page))[7] for page in crawl.pages)


class Alphabetical(Plain):
    """Later letters first; the second letter changes its mind when asked."""

    name = "alphabetical"

    def __init__(self, rediscovery: Rediscovery = Rediscovery.HIGHER, change: Sequence[Change] = ()) -> None:
        self.rediscovery = rediscovery
        self._change = list(change)

    def start(self, seeds: Sequence[Seed]) -> Offers:
        return same_priority(0.0, len(seeds))

    def page(self, page: JudgedPage) -> Offers:
        return Offers(np.array([float(ord(url[7])) for url in page.links.urls]))

    def changes(self) -> Sequence[Change]:
        return [self._change.pop()] if self._change else ()


def test_the_best_is_fetched_first_and_ties_in_order_of_discovery() -> None:
    graph = graph_from({"a": "bdc", "d": "e"}, "e")
    assert fetched(graph, Alphabetical()) == "adecb"
    assert fetched(graph, make_strategy("bfs", Circumstances(target_of(graph)))) == "abdce"


def test_a_change_of_mind_is_heard() -> None:
    graph = graph_from({"a": "bdc"}, "")
    assert fetched(graph, Alphabetical(change=[Change("http://b.th/", 999.0)])) == "abdc"


def test_pages_that_fail_are_not_counted_and_heard_of() -> None:
    graph = graph_from({"a": "bcd"}, "", {"c": 404})
    heard: list[str] = []
    strategy = Alphabetical()
    strategy.failed = lambda url, note: heard.append(url)  # type: ignore[method-assign]
    assert fetched(graph, strategy) == "adb"
    assert heard == ["http://c.th/"]


def test_breadth_first_replay_equals_breadth_first_over_the_link_table(thai_world: World) -> None:
    graph = thai_world.graph
    seeds = seeds_of(thai_world, "table9")
    queue = deque(graph.find(seed.url) for seed in seeds)
    known = set(queue)
    order: list[int] = []
    while queue and len(order) < 2000:
        page = queue.popleft()
        if graph.status[page] == OK:
            order.append(page)
            targets = graph.targets[graph.links(page)].tolist()
        else:
            targets = [int(graph.moved[page])] if graph.moved[page] >= 0 else []
        queue.extend(target for target in dict.fromkeys(targets) if target not in known)
        known.update(targets)
    crawl = replay(graph, make_strategy("bfs", Circumstances(target_of(graph))), seeds, 2000)
    assert crawl.pages.tolist() == order


@pytest.mark.parametrize("name", ["bfs", "lswc", "best-first", "a2", "handmade"])
def test_the_loop_crawls_as_the_plain_form_does(thai_world: World, name: str) -> None:
    graph, seeds = thai_world.graph, seeds_of(thai_world, "thai1")
    around = Circumstances(target_of(graph))
    plain = plain_replay(graph, lab_strategy(name, around), seeds, 150)
    assert replay(graph, lab_strategy(name, around), seeds, 150).pages.tolist() == plain


def test_a_strategy_that_raises_is_not_passed_over_in_silence() -> None:
    class Broken(Alphabetical):
        def page(self, page: JudgedPage) -> Offers:
            raise ValueError("no idea")

    with pytest.raises(LabError, match="no idea"):
        fetched(graph_from({"a": "b"}, ""), Broken())


def test_curves_count_what_was_found() -> None:
    graph = graph_from({"a": "bcd"}, "ac")
    crawl = replay(graph, make_strategy("bfs", Circumstances(target_of(graph))), [Seed("http://a.th/")], 10)
    assert crawl.harvest(graph, 1).tolist() == pytest.approx([1, 1 / 2, 2 / 3, 1 / 2])
    assert crawl.recent(graph, 2).tolist() == [0.5, 0.5]
    assert crawl.coverage(graph, 1).tolist() == [0.5, 0.5, 1, 1]


def test_a_strategy_sees_nothing_of_the_page_behind_a_link(thai_world: World) -> None:
    """The links of a page are the same whatever their targets are like (DESIGN §3.7)."""
    from dataclasses import replace

    from phasa.lab.replay import ReplayWeb

    graph = thai_world.graph
    blind = replace(
        graph, similarity=np.zeros_like(graph.similarity), language=np.zeros_like(graph.language),
        charset=np.zeros_like(graph.charset), country=None,
    )  # fmt: skip
    for page in range(0, 6000, 501):
        ours, theirs = ReplayWeb(graph).out_links(page), ReplayWeb(blind).out_links(page)
        assert list(ours.urls) == list(theirs.urls)
        assert list(ours.anchors) == list(theirs.anchors)
        assert list(ours.hints) == list(theirs.hints)


def test_trained_pages_are_passed_through_but_not_counted() -> None:
    from dataclasses import replace

    graph = graph_from({"a": "b", "b": "c"}, "abc")
    graph = replace(graph, trained=np.array([False, True, False]))
    crawl = replay(graph, make_strategy("bfs", Circumstances(target_of(graph))), [Seed("http://a.th/")], 10)
    assert crawl.pages.tolist() == [0, 2]
    assert crawl.coverage(graph, 1).tolist() == [0.5, 1.0]
