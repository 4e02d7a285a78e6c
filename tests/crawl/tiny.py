"""A web of a few pages in a dict and the plainest crawl over it: the oracle that strategies are tested with."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from phasa.crawl.judge import Judgement
from phasa.crawl.strategy import DROP, JudgedPage, OutLinks, Rediscovery, Seed, Strategy


@dataclass(frozen=True)
class TinyPage:
    """Γ of the page and its links as (url, anchor)."""

    similarity: float
    links: Sequence[str | tuple[str, str]] = ()

    @property
    def out(self) -> OutLinks:
        pairs = [(link, "") if isinstance(link, str) else link for link in self.links]
        return OutLinks([url for url, _ in pairs], [anchor for _, anchor in pairs])


@dataclass
class Waiting:
    order: int
    priority: float
    note: bytes
    depth: int


@dataclass
class TinyCrawl:
    """Fetch the best waiting URL, one at a time, by looking at all of them: slow and plainly right."""

    web: Mapping[str, TinyPage]
    strategy: Strategy
    threshold: float = 0.1
    fetched: list[str] = field(default_factory=list)
    waiting: dict[str, Waiting] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)

    def run(self, seeds: Sequence[str | Seed], pages: int = 10**9) -> list[str]:
        listed = [Seed(seed) if isinstance(seed, str) else seed for seed in seeds]
        offers = self.strategy.start(listed)
        for i, seed in enumerate(listed):
            self._offer(seed.url, float(offers.priorities[i]), offers.note(i), 0)
        while self.waiting and len(self.fetched) < pages:
            self.step()
        return self.fetched

    def step(self) -> None:
        url = min(self.waiting, key=lambda u: (-self.waiting[u].priority, self.waiting[u].order))
        entry = self.waiting.pop(url)
        self.seen.add(url)
        if url not in self.web:
            self.strategy.failed(url, entry.note)
            return
        self.fetched.append(url)
        page = self.web[url]
        judgement = Judgement(page.similarity >= self.threshold, page.similarity)
        offers = self.strategy.page(JudgedPage(url, judgement, page.out, entry.note, entry.depth))
        assert len(offers.priorities) == len(page.links)
        for i, target in enumerate(page.out.urls):
            self._offer(target, float(offers.priorities[i]), offers.note(i), entry.depth + 1)
        for change in self.strategy.changes():
            if change.url in self.waiting:
                self.waiting[change.url].priority = change.priority

    def _offer(self, url: str, priority: float, note: bytes, depth: int) -> None:
        if url in self.seen or priority == DROP:
            return
        old = self.waiting.get(url)
        if old is None:
            self.waiting[url] = Waiting(len(self.waiting) + 10**6 * len(self.fetched), priority, note, depth)
        elif self.strategy.rediscovery is Rediscovery.LATEST or (
            self.strategy.rediscovery is Rediscovery.HIGHER and priority > old.priority
        ):
            old.priority, old.note = priority, note


def fifo(web: Mapping[str, TinyPage], seeds: Sequence[str]) -> list[str]:
    """Breadth-first without any strategy."""
    queue, seen, order = list(enumerate(seeds)), set(seeds), []
    heapq.heapify(queue)
    found = len(queue)
    while queue:
        _, url = heapq.heappop(queue)
        if url not in web:
            continue
        order.append(url)
        for target in web[url].out.urls:
            if target not in seen:
                seen.add(target)
                heapq.heappush(queue, (found, target))
                found += 1
    return order
