"""A crawl of a served world over real HTTP: the live Web, the live judge, the one loop."""

from __future__ import annotations

from collections.abc import Sequence

from phasa.crawl.clock import WallClock
from phasa.crawl.judge import LanguageJudge
from phasa.crawl.live import LiveWeb
from phasa.crawl.loop import Crawl
from phasa.crawl.seeds import plant
from phasa.crawl.settle import Parts
from phasa.crawl.strategy import Seed, Strategy
from phasa.crawl.target import traces_of
from phasa.frontier.budgets import NO_LIMITS
from phasa.frontier.memory import MemoryFrontier
from phasa.frontier.politeness import FREE
from phasa.frontier.rules import Rules
from phasa.lab.record import ENOUGH, Record
from phasa.lab.serve import serving
from phasa.lab.world import World
from phasa.language.detectors import detector
from phasa.language.profile import load_profile
from phasa.sandbox.pool import Pool
from phasa.web.body import MODULES
from phasa.web.fetch import Fetcher
from phasa.web.limits import Limits


async def crawl_live(world: World, strategy: Strategy, seeds: Sequence[Seed], pages: int) -> list[bool]:
    """Serve the world, crawl it, and say of each page in the order of its fetch whether it was in the language."""
    language = world.recipe.target
    frontier = MemoryFrontier(Rules(strategy.rediscovery))
    plant(frontier, strategy, seeds)
    async with (
        serving(world) as (port, _),
        Fetcher(Limits(), "phasa-lab", server=f"127.0.0.1:{port}") as fetcher,
        Pool(modules=MODULES) as pool,
    ):
        web = LiveWeb(fetcher, pool, Limits(), agent="phasa", language=language)
        # Parents in other languages have their Γ, too: a1 of a link (§4.5).
        judge = LanguageJudge(
            detector("dictionary", language), language, traces_of(load_profile(language)), one_scale=True
        )
        wanted = Record(pages, lambda answer, judgement: judgement.wanted, lambda: crawl.stop(ENOUGH))
        parts = Parts(web, judge, strategy, frontier, WallClock(), archive=wanted)
        crawl = Crawl(parts, manners=FREE, budgets=NO_LIMITS)
        await crawl.run()
    return wanted.values
