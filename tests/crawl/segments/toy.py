"""The toy web of Appendix B7: letter = segment, digit = page."""

from __future__ import annotations

from collections.abc import Callable

from phasa.crawl.answer import Answer, Kind
from phasa.crawl.clock import VirtualClock
from phasa.crawl.judge import Judgement
from phasa.crawl.loop import Crawl
from phasa.crawl.seeds import plant
from phasa.crawl.segments.features import Chance, Citation
from phasa.crawl.settle import Parts
from phasa.crawl.strategy import OutLinks, Seed, Strategy
from phasa.frontier.budgets import NO_LIMITS, Budgets
from phasa.frontier.memory import MemoryFrontier
from phasa.frontier.politeness import FREE
from phasa.frontier.protocol import Frontier, Lease
from phasa.frontier.rules import Rules

# Page → P_w and links.
PAGES: dict[str, tuple[float, str]] = {
    "A/0": (0.9, "A/1 B/0 C/0"), "A/1": (0.7, "C/1"), "B/0": (0.2, "B/1 B/2 D/0"), "B/1": (0.1, ""),
    "B/2": (0.95, ""), "C/0": (0.8, "C/2 D/0 E/0"), "C/1": (0.4, ""), "C/2": (0.6, "F/0"), "D/0": (0.3, "G/0"),
    "E/0": (0.1, "G/0"), "F/0": (0.9, ""), "G/0": (0.2, "H/0"), "H/0": (0.9, ""),
}  # fmt: skip
CHANCES = {
    "AB": 0.5, "AC": 0.9, "BD": 0.4, "CD": 0.6, "CE": 0.8, "CF": 0.7, "DG": 0.5, "EG": 0.6, "GH": 0.9,
}  # fmt: skip


def url_of(page: str) -> str:
    """All segments are directories of one host, so that nothing but priorities decides."""
    return f"http://toy.example/{page}"


def name_of(url: str) -> str:
    return url.removeprefix("http://toy.example/").replace("/", "")


def toy_chance(source: str, degree: float, destination: str, cited: Citation, locate: Callable[[str], str]) -> Chance:
    """P_E as the table gives it."""
    chance = CHANCES[name_of(source) + name_of(destination)]
    return Chance(chance, chance)


class ToyWeb:
    """Answers from a table of pages; judges with their P_w."""

    def __init__(self, pages: dict[str, tuple[float, str]] | None = None) -> None:
        self.pages = PAGES if pages is None else pages
        self.clock = VirtualClock()
        self.asked: list[str] = []

    async def address(self, lease: Lease) -> str:
        return ""

    async def get(self, lease: Lease) -> Answer:
        self.asked.append(lease.url)
        name = lease.url.removeprefix("http://toy.example/")
        if name not in self.pages:
            return Answer(Kind.OTHER, "404", 404)
        links = [url_of(link) for link in self.pages[name][1].split()]
        return Answer(Kind.PAGE, "200", 200, "text/html", size=100, links=OutLinks(links))

    def judge(self, answer: Answer) -> Judgement:
        score = self.pages[self.asked[-1].removeprefix("http://toy.example/")][0]
        return Judgement(score >= 0.5, score, "en", "toy")

    @property
    def order(self) -> str:
        return " ".join(name_of(url) for url in self.asked)


async def toy_crawl(
    strategy: Strategy,
    web: ToyWeb | None = None,
    *,
    seeds: tuple[str, ...] = ("A/0",),
    budgets: Budgets = NO_LIMITS,
    frontier: Frontier | None = None,
) -> tuple[ToyWeb, Frontier]:
    """Run a strategy over the toy web through the real loop."""
    web = web or ToyWeb()
    if frontier is None:
        frontier = MemoryFrontier(Rules(strategy.rediscovery, budgets=budgets, manners=FREE))
        plant(frontier, strategy, [Seed(url_of(seed)) for seed in seeds])
    await Crawl(Parts(web, web, strategy, frontier, web.clock), manners=FREE, budgets=budgets).run()
    return web, frontier
