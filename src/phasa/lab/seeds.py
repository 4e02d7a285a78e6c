"""Where the crawls of the experiments begin: the seed sets of Tables 9 and 13–17, and of the Persian note, in a world.

The pages of 2009 are gone; a set is chosen in a world by what its table says of it. The feature values are the
table's own.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from phasa.crawl.strategy import Seed
from phasa.errors import InputError
from phasa.lab.chance import generator
from phasa.lab.graph import OK, Graph
from phasa.lab.world import World

Ints = NDArray[np.int64]
_THAI1 = ((0.0, 0.0, 0.0), (0.03, 0.33, 0.0), (0.01, 0.5, 0.0))
_THAI2 = ((0.55, 1.0, 0.69), (0.43, 1.0, 0.69), (0.0, 0.0, 0.0), (0.50, 0.0, 0.69), (0.0, 0.0, 0.0))


def seeds_of(world: World, name: str) -> list[Seed]:
    """The seed set of that name in a world. Raises InputError that names the known sets."""
    if name not in SEED_SETS:
        raise InputError(f"no seed set '{name}'; known: {', '.join(SEED_SETS)}")
    found = SEED_SETS[name](world, generator(world.seed, "seeds", name))
    if not found:
        raise InputError(f"the world has no page fit for the seed set '{name}'; make it larger")
    return found


def mixed_seeds(graph: Graph, language: str, draw: int, own: int = 20, english: int = 200) -> list[Seed]:
    """Random pages of a language with at least four links out, among random English ones: for graphs without hosts."""
    if language not in graph.languages or "en" not in graph.languages:
        raise InputError(f"the graph has no pages in '{language}' or none in English to start from")
    dice = generator(draw, "mixed seeds", language)
    outward = np.diff(graph.offsets)
    readable = graph.status == OK
    of_language = np.flatnonzero(readable & (graph.language == graph.languages.index(language)) & (outward >= 4))
    of_english = np.flatnonzero(readable & (graph.language == graph.languages.index("en")))
    chosen = [
        *dice.choice(of_language, size=min(own, len(of_language)), replace=False).tolist(),
        *dice.choice(of_english, size=min(english, len(of_english)), replace=False).tolist(),
    ]
    return [Seed(graph.url(int(page))) for page in dice.permutation(chosen)]


def _kinds(world: World, *names: str) -> NDArray[np.bool_]:
    """Which sites are of one of these kinds."""
    fitting = [number for number, kind in enumerate(world.recipe.hosts) if kind.name in names]
    return np.isin(world.sites.kind, fitting)


def _first_sites(world: World) -> list[int]:
    return [int(page) for page in world.sites.first[world.sites.level == 0]]


def _table9(world: World, dice: np.random.Generator) -> list[Seed]:
    """English pages about the country that all the web of the thesis was reached from."""
    return [Seed(world.url(page)) for page in _first_sites(world)]


def _knowledge(world: World, dice: np.random.Generator) -> list[Seed]:
    """Table 13: three pages under the country's domain, two of the first pages; a4 = 1 as printed."""
    national = np.flatnonzero(_kinds(world, "national") & (world.sites.target * 10 > world.sites.pages * 7))
    large = national[np.argsort(-world.sites.pages[national], kind="stable")][:24]
    chosen = dice.choice(large, size=min(3, len(large)), replace=False)
    homes = [*world.sites.first[chosen].tolist(), *_first_sites(world)[:2]]
    return [Seed(world.url(page), distance=1.0) for page in homes]


def _thai1(world: World, dice: np.random.Generator) -> list[Seed]:
    """Pages in the language on sites that also hold many pages in other languages."""
    sites, share = world.sites, world.sites.target / world.sites.pages
    fitting = np.flatnonzero(_kinds(world, "hosting", "blog") & (share > 0.05) & (share < 0.5) & (sites.pages >= 40))
    chosen = dice.permutation(fitting)[:3]
    return [
        Seed(world.url(_one_target_page(world, int(site), dice)), parent, anchor, 0.0, distance)
        for site, (parent, anchor, distance) in zip(chosen, _THAI1, strict=False)
    ]


def _thai2(world: World, dice: np.random.Generator) -> list[Seed]:
    """Sites dense in the language: three of the largest, two of middling size."""
    sites, share = world.sites, world.sites.target / world.sites.pages
    portals = _kinds(world, "portal")
    dense = np.flatnonzero(portals & (share >= min(0.985, float(np.quantile(share[portals], 0.5)))))
    dense = dense[np.argsort(-sites.pages[dense], kind="stable")]
    chosen = [*dice.permutation(dense[:8])[:3], *dice.permutation(dense[8:40])[:2]]
    return [
        Seed(world.url(int(sites.first[site])), parent, anchor, None, distance)
        for site, (parent, anchor, distance) in zip(chosen, _THAI2, strict=False)
    ]


def _english(world: World, dice: np.random.Generator) -> list[Seed]:
    """English pages: two about the country, three that are not; at least one has a way to a page in the language."""
    about = np.flatnonzero(_kinds(world, "about") & (world.sites.target == 0) & (world.sites.pages >= 8))
    foreign = np.flatnonzero(_kinds(world, "foreign") & (world.sites.target == 0) & (world.sites.pages >= 8))
    chosen = [*dice.permutation(about)[:2], *dice.permutation(foreign)[:3]]
    return [Seed(world.url(int(world.sites.first[site]))) for site in dice.permutation(chosen)]


def _internet(world: World, dice: np.random.Generator) -> list[Seed]:
    """Table 17: five of the first pages."""
    return _table9(world, dice)[:5]


def _one_target_page(world: World, site: int, dice: np.random.Generator) -> int:
    first, count = int(world.sites.first[site]), int(world.sites.pages[site])
    own = first + np.flatnonzero(world.pages.target[first : first + count])
    return int(dice.choice(own))


def _by_language(world: World, dice: np.random.Generator, language: str, count: int, least: int = 1) -> list[int]:
    """Home pages in a language, as a directory of the web lists them."""
    homes = world.sites.first[world.sites.pages >= least]
    wanted = world.pages.languages.index(language) if language in world.pages.languages else -1
    fitting = homes[world.pages.language[homes] == wanted]
    return [int(page) for page in dice.permutation(fitting)[:count]]


def _directory(world: World, dice: np.random.Generator) -> list[Seed]:
    """Seed set 1 of the Persian note: 150 pages in each of five languages."""
    codes = ("ja", "de", "es", "en", world.recipe.target)
    pages = [page for code in codes for page in _by_language(world, dice, code, 150)]
    return [Seed(world.url(int(page))) for page in pages]


def _own_directories(world: World, dice: np.random.Generator) -> list[Seed]:
    """Seed set 2: directory pages of the language only; a directory also lists much else."""
    return [Seed(world.url(int(page))) for page in _by_language(world, dice, world.recipe.target, 60)]


def _own_and_english(world: World, dice: np.random.Generator) -> list[Seed]:
    """Seed set 3: fewer pages, the language and English, those of the language on sites with many links out."""
    own = _by_language(world, dice, world.recipe.target, 30, least=40)
    return [Seed(world.url(int(page))) for page in [*own, *_by_language(world, dice, "en", 30)]]


SEED_SETS: dict[str, Callable[[World, np.random.Generator], list[Seed]]] = {
    "thai1": _thai1,
    "thai2": _thai2,
    "english": _english,
    "internet": _internet,
    "table9": _table9,
    "knowledge": _knowledge,
    "set1": _directory,
    "set2": _own_directories,
    "set3": _own_and_english,
}
