"""A crawl of a served world over real HTTP: the live Web, the live judge, the one loop."""

from __future__ import annotations

from collections.abc import Sequence

from phasa.crawl.answer import Answer
from phasa.crawl.clock import WallClock
from phasa.crawl.judge import Judgement, LanguageJudge
from phasa.crawl.live import LiveWeb
from phasa.crawl.loop import Crawl
from phasa.crawl.seeds import plant
from phasa.crawl.settle import Parts
from phasa.crawl.strategy import Seed, Strategy
from phasa.frontier.budgets import NO_LIMITS
from phasa.frontier.memory import MemoryFrontier
from phasa.frontier.politeness import FREE
from phasa.frontier.rules import Rules
from phasa.lab.serve import serving
from phasa.lab.world import World
from phasa.language.detect import detector
from phasa.web.fetch import Fetcher
from phasa.web.limits import Limits


class _Counted:
    """A judge that keeps its verdicts in order and ends the crawl after so many."""

    def __init__(self, inner: LanguageJudge, pages: int) -> None:
        self._inner = inner
        self._pages = pages
        self.wanted: list[bool] = []
        self.crawl: Crawl | None = None

    def judge(self, answer: Answer) -> Judgement:
        judgement = self._inner.judge(answer)
        self.wanted.append(judgement.wanted)
        if len(self.wanted) >= self._pages and self.crawl is not None:
            self.crawl.stop("all pages that were asked for are there")
        return judgement


async def crawl_live(world: World, strategy: Strategy, seeds: Sequence[Seed], pages: int) -> list[bool]:
    """Serve the world, crawl it, and say of each page in the order of its fetch whether it was in the language."""
    language = world.recipe.target
    judge = _Counted(LanguageJudge(detector("dictionary", language), language), pages)
    frontier = MemoryFrontier(Rules(strategy.rediscovery))
    plant(frontier, strategy, seeds)
    async with serving(world) as (port, _), Fetcher(Limits(), "phasa-lab", server=f"127.0.0.1:{port}") as fetcher:
        web = LiveWeb(fetcher, Limits(), agent="phasa", language=language)
        crawl = judge.crawl = Crawl(Parts(web, judge, strategy, frontier, WallClock()), manners=FREE, budgets=NO_LIMITS)
        await crawl.run()
    return judge.wanted
