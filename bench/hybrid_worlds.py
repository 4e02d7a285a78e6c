"""hybrid beside the others on generated webs of other kinds than the published one: is it first there too?

    python bench/hybrid_worlds.py --worlds thai-rare,persian-near --seeds 6,7 --strategies hybrid,nb,lswc

Prints the mean harvest over the pages of each crawl, per world, seed and seed set.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

from msgspec.structs import replace

from phasa.crawl.strategies import Circumstances
from phasa.errors import InputError
from phasa.lab.compare import lab_strategy
from phasa.lab.knowledge import learn
from phasa.lab.lies import Lies, scaled
from phasa.lab.recipe import HostKind, Recipe, near_recipe, persian_recipe, thai_recipe
from phasa.lab.replay import replay
from phasa.lab.seeds import seeds_of
from phasa.lab.targets import target_of
from phasa.lab.world import World


def _thai(**changes: float) -> Recipe:
    """The Thai web with other shares, which need not meet the published tables."""
    recipe = thai_recipe()
    expected = recipe.expected and replace(recipe.expected, draws=1, tolerance=9.0)
    share = changes.pop("share", recipe.share)
    return replace(recipe, expected=expected, share=share, locality=replace(recipe.locality, **changes))


def _sites(recipe: Recipe, change: Callable[[HostKind], HostKind]) -> Recipe:
    return replace(recipe, hosts=tuple(change(hosts) for hosts in recipe.hosts))


WORLDS: dict[str, Callable[[], Recipe]] = {
    "thai": thai_recipe,
    "thai-rare": lambda: _thai(share=0.10),
    "thai-loose": lambda: _thai(from_target=0.40, from_other=0.02, stay=0.7),
    "thai-noisy": lambda: _thai(anchor_both=0.35, anchor_from=0.30, anchor_to=0.15, anchor_none=0.03, empty=0.3),
    "thai-large": lambda: _sites(_thai(), lambda hosts: replace(hosts, size=hosts.size * 4)),
    "thai-uncoded": lambda: replace(thai_recipe(), coded=0.0),
    "persian": persian_recipe,
    "persian-rare": lambda: replace(persian_recipe(), share=0.08),
    "persian-near": near_recipe,
    "persian-uncoded": lambda: replace(persian_recipe(), coded=0.0),
    "persian-near-uncoded": lambda: replace(near_recipe(), coded=0.0),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", default=",".join(WORLDS))
    parser.add_argument("--seeds", default="11", help="seeds of the worlds")
    parser.add_argument("--sets", default="thai1,thai2,english", help="seed sets of the crawls")
    parser.add_argument("--strategies", default="hybrid,nb,lswc,shark,a4")
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--pages", type=int, default=5_000)
    parser.add_argument("--lies", type=float, default=1.0, help="how often the webs lie; 1 as real ones do")
    parser.add_argument("--no-knowledge", action="store_true", help="without a knowledge base, which nb needs")
    chosen = parser.parse_args()
    strategies = chosen.strategies.split(",")
    print(f"{'world':<21}{'seed':>5} {'set':<9}" + "".join(f"{name:>10}" for name in strategies) + f"{'CPU s':>8}")
    for name in chosen.worlds.split(","):
        for seed in map(int, chosen.seeds.split(",")):
            world = World(replace(WORLDS[name](), lies=scaled(Lies(), chosen.lies)), seed, chosen.size)
            graph, knowledge = (world.graph, None) if chosen.no_knowledge else learn(world)
            for seeds in chosen.sets.split(","):
                start = time.process_time()
                line = ""
                try:
                    first = seeds_of(world, seeds)
                except InputError as problem:  # small webs may have no page for a seed set
                    print(f"{name:<21}{seed:>5} {seeds:<9} {problem}", flush=True)
                    continue
                for strategy in strategies:
                    ordered = lab_strategy(strategy, Circumstances(target_of(graph), seed=1, knowledge=knowledge))
                    crawl = replay(graph, ordered, first, chosen.pages)
                    line += f"{crawl.harvest(graph, 100).mean():>10.3f}"
                print(f"{name:<21}{seed:>5} {seeds:<9}{line}{time.process_time() - start:>8.1f}", flush=True)


if __name__ == "__main__":
    main()
