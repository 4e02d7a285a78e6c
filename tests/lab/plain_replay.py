"""The crawl of a graph in its plainest form: the oracle of the loop's replay."""

from __future__ import annotations

from collections.abc import Sequence

from phasa.crawl.judge import Judgement
from phasa.crawl.strategy import DROP, JudgedPage, Rediscovery, Seed, Strategy
from phasa.lab.graph import OK, Graph
from phasa.lab.replay import ReplayWeb


def plain_replay(graph: Graph, strategy: Strategy, seeds: Sequence[Seed], pages: int) -> list[int]:
    """Pages in the order of their fetch: always the best that waits, the first found among equals."""
    web = ReplayWeb(graph)
    waiting: dict[str, tuple[float, bytes, int]] = {}
    places: dict[str, int] = {}
    gone: set[str] = set()

    def offer(urls: Sequence[str], priorities: Sequence[float], notes: Sequence[bytes], depth: int) -> None:
        for number, url in enumerate(urls):
            note = notes[number] if notes else b""
            if url in gone or priorities[number] == DROP:
                continue
            places.setdefault(url, len(places))
            if url not in waiting or strategy.rediscovery is Rediscovery.LATEST:
                waiting[url] = (priorities[number], note, depth if url not in waiting else waiting[url][2])
            elif strategy.rediscovery is Rediscovery.HIGHER and priorities[number] > waiting[url][0]:
                waiting[url] = (priorities[number], note, waiting[url][2])

    first = strategy.start(seeds)
    offer([seed.url for seed in seeds], first.priorities.tolist(), first.notes, 0)
    fetched: list[int] = []
    while waiting and len(fetched) < pages:
        url = min(waiting, key=lambda one: (-waiting[one][0], places[one]))
        priority, note, depth = waiting.pop(url)
        gone.add(url)
        page = graph.find(url)
        if page < 0 or (graph.status[page] != OK and graph.moved[page] < 0):
            strategy.failed(url, note)
            continue
        if graph.status[page] != OK:
            offer([graph.url(int(graph.moved[page]))], [priority], [note], depth)
            continue
        fetched.append(page)
        judgement = Judgement(bool(graph.wanted[page]), float(graph.similarity[page]))
        links = web.out_links(page)
        found = strategy.page(JudgedPage(url, judgement, links, note, depth))
        offer(links.urls, found.priorities.tolist(), found.notes, depth + 1)
        for change in strategy.changes():
            if change.url in waiting:
                waiting[change.url] = (change.priority, *waiting[change.url][1:])
    return fetched
