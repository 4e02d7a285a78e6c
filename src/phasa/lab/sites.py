"""The sites of a world: how many pages each has, in what languages, under which name and in which encoding."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from phasa.errors import SettingsError
from phasa.lab.chance import generator
from phasa.lab.quota import shared_out, spread_within
from phasa.lab.recipe import HostKind, Recipe

Ints = NDArray[np.int64]
SECTION_PAGES = 24
MOST_SECTIONS = 48


@dataclass(frozen=True)
class Sites:
    """One row per site; pages of site `s` have the numbers `first[s]` to `first[s] + pages[s] - 1`, home page first."""

    kind: Ints
    """Index into `Recipe.hosts`."""
    tld: Ints
    """Index into `tlds`."""
    tlds: tuple[str, ...]
    first: Ints
    pages: Ints
    target: Ints
    """Pages in the target language."""
    level: Ints
    """Sites between the first sites and this one."""
    popularity: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.kind)

    def of_page(self) -> Ints:
        """The site of every page."""
        return np.repeat(np.arange(len(self)), self.pages)


def plan_sites(recipe: Recipe, seed: int, pages: int) -> Sites:
    """The sites of a world of so many pages. Raises SettingsError when there are too few pages for all kinds."""
    if pages < 40 * len(recipe.hosts):
        raise SettingsError(f"a world of {pages} pages is too small; make it at least {40 * len(recipe.hosts)}")
    wanted = round(pages * recipe.share)
    targets = shared_out(wanted, np.array([kind.target for kind in recipe.hosts]))
    others = shared_out(pages - wanted, np.array([kind.other for kind in recipe.hosts]))
    names = tuple(dict.fromkeys(tld for kind in recipe.hosts for tld in kind.tld.split()))
    columns: list[tuple[Ints, Ints, Ints, Ints, Ints, NDArray[np.float64]]] = []
    for number, kind in enumerate(recipe.hosts):
        dice = generator(seed, "sites", number)
        sizes, target = _sizes(kind, int(targets[number]), int(others[number]), dice)
        count = len(sizes)
        choices = np.array([names.index(tld) for tld in kind.tld.split()], dtype=np.int64)
        level = _levels(kind, sizes, dice)
        popularity = sizes * dice.lognormal(0.0, 1.0, count)
        columns.append(
            (np.full(count, number), choices[dice.integers(len(choices), size=count)], sizes, target, level, popularity)
        )
    kind_of, tld, sizes, target, level, popularity = (np.concatenate(column) for column in zip(*columns, strict=True))
    level = _with_first_sites(recipe, kind_of, sizes, level)
    return Sites(kind_of, tld, names, np.cumsum(sizes) - sizes, sizes, target, level, popularity)


def _sizes(kind: HostKind, target: int, other: int, dice: np.random.Generator) -> tuple[Ints, Ints]:
    """Pages and target pages of each site of a kind: few large, many small; the mix differs as `alike` says."""
    pages = target + other
    if pages == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    count = max(1, round(pages / min(kind.size, max(4.0, pages / 3))))
    weights = np.arange(1, count + 1, dtype=np.float64) ** -0.8 * dice.lognormal(0.0, 0.3, count)
    sizes = shared_out(pages, weights, least=1)
    mean = np.clip(target / pages, 1e-6, 1 - 1e-6)
    shares = dice.beta(kind.alike * mean, kind.alike * (1 - mean), count)
    return sizes, spread_within(target, shares, sizes)


def _levels(kind: HostKind, sizes: Ints, dice: np.random.Generator) -> Ints:
    """Levels around the kind's mean. The pages, not the sites, are spread normally, so that one large site that falls
    early or late does not make another web of it."""
    order = dice.permutation(len(sizes))
    mass = np.cumsum(sizes[order]) - sizes[order] / 2
    quantile = NormalDist(kind.level, kind.spread).inv_cdf
    level = np.zeros(len(sizes), dtype=np.int64)
    level[order] = [max(0, round(quantile(float(place)))) for place in mass / sizes.sum()]
    return level


def _with_first_sites(recipe: Recipe, kind: Ints, sizes: Ints, level: Ints) -> Ints:
    """Levels without holes: ten 'about' sites (or the first kind's) are level 0, all others at least 1."""
    names = [host.name for host in recipe.hosts]
    about = np.isin(kind, [number for number, name in enumerate(names) if name == "about"])
    pool = np.flatnonzero(about) if about.any() else np.arange(len(kind))
    middling = pool[np.argsort(np.abs(np.log(sizes[pool] / np.median(sizes[pool]))), kind="stable")]
    level = np.maximum(level, 1)
    level[middling[:10]] = 0
    present = np.unique(level)
    return np.searchsorted(present, level).astype(np.int64)


@dataclass(frozen=True)
class Pages:
    """What is planned for every page, before any link is drawn."""

    site: NDArray[np.int32]
    section: NDArray[np.int8]
    target: NDArray[np.bool_]
    language: NDArray[np.uint8]
    """Index into `languages`."""
    languages: tuple[str, ...]
    charset: NDArray[np.uint8]
    """Index into `charsets`."""
    charsets: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.site)


def plan_pages(recipe: Recipe, seed: int, sites: Sites) -> Pages:
    """The language, section and encoding of every page."""
    site = sites.of_page()
    local = np.arange(len(site)) - sites.first[site]
    target = _target_pages(recipe, seed, sites, site, local)
    sections = np.clip(sites.pages // SECTION_PAGES, 1, MOST_SECTIONS)
    section = local * sections[site] // sites.pages[site]
    languages = tuple(dict.fromkeys([recipe.target, "en", *(code for kind in recipe.hosts for code in kind.languages)]))
    language = _languages(recipe, seed, sites, site, section, target, languages)
    charsets = tuple(dict.fromkeys([*recipe.target_charsets, *recipe.other_charsets]))
    charset = _charsets(recipe, seed, sites, site, target, charsets)
    return Pages(
        site.astype(np.int32),
        section.astype(np.int8),
        target,
        language.astype(np.uint8),
        languages,
        charset.astype(np.uint8),
        charsets,
    )


def _target_pages(recipe: Recipe, seed: int, sites: Sites, site: Ints, local: Ints) -> NDArray[np.bool_]:
    """Which pages are in the target language: each site's number exactly, by section except for the mingled ones."""
    dice = generator(seed, "pages")
    majority = sites.target * 2 > sites.pages
    mingled = np.array([kind.mingled for kind in recipe.hosts])[sites.kind]
    # The pages of the site's main language come first, the others are the last sections; mingled pages stand anywhere.
    place = local / sites.pages[site]
    place = np.where(majority[site], place, 1 - place)
    place = np.where(dice.random(len(site)) < mingled[site], dice.random(len(site)), place)
    place[sites.first] = np.where(majority, -1.0, 2.0)
    order = np.lexsort((place, site))
    rank = np.empty(len(site), dtype=np.int64)
    rank[order] = np.arange(len(site)) - sites.first[site[order]]
    return np.asarray(rank < sites.target[site])


def _languages(
    recipe: Recipe,
    seed: int,
    sites: Sites,
    site: Ints,
    section: Ints,
    target: NDArray[np.bool_],
    names: tuple[str, ...],
) -> Ints:
    """A site has one other language; one page in twelve sections or so is in a further one."""
    dice = generator(seed, "languages")
    main = np.zeros(len(sites), dtype=np.int64)
    further = np.zeros(len(site), dtype=np.int64)
    for number, kind in enumerate(recipe.hosts):
        codes = np.array([names.index(code) for code in kind.languages], dtype=np.int64)
        weights = np.array(list(kind.languages.values()))
        here = sites.kind == number
        main[here] = dice.choice(codes, size=int(here.sum()), p=weights / weights.sum())
        pages_here = here[site]
        further[pages_here] = dice.choice(codes, size=int(pages_here.sum()), p=weights / weights.sum())
    language = np.where(dice.random(len(site)) < 0.04, further, main[site])
    return np.where(target, names.index(recipe.target), language)


def _charsets(
    recipe: Recipe, seed: int, sites: Sites, site: Ints, target: NDArray[np.bool_], names: tuple[str, ...]
) -> Ints:
    """Encodings by exact quota, a site at a time, so that the pages of a site mostly share one."""
    dice = generator(seed, "charsets")
    chosen = np.zeros(len(site), dtype=np.int64)
    home_charset = np.full(len(sites), -1)
    mostly = sites.target / sites.pages
    for of_target, weights in ((True, recipe.target_charsets), (False, recipe.other_charsets)):
        left = np.zeros(len(names), dtype=np.int64)
        pages_of = np.flatnonzero(target == of_target)
        quota = shared_out(len(pages_of), np.array([weights.get(name, 0.0) for name in names]))
        left[:] = quota
        # Sites full of the target language choose first when its own encodings are dealt to pages in other languages.
        counts = np.bincount(site[pages_of], minlength=len(sites))
        order = np.argsort(dice.random(len(sites)) - (0 if of_target else 1) * (mostly > 0.3), kind="stable")
        starts = np.concatenate([[0], np.cumsum(counts)])
        local = np.array([name in recipe.local_charsets for name in names])
        for one in order:
            need, at = int(counts[one]), int(starts[one])
            while need:
                liking = left.astype(np.float64)
                if not of_target:
                    liking = liking * np.where(local, 6.0 if mostly[one] > 0.3 else 0.2, 1.0)
                pick = home_charset[one]
                if pick < 0 or left[pick] == 0 or (not of_target and dice.random() < 0.5):
                    pick = int(dice.choice(len(names), p=liking / liking.sum()))
                home_charset[one] = pick if home_charset[one] < 0 else home_charset[one]
                take = min(need, int(left[pick]))
                chosen[pages_of[at : at + take]] = pick
                left[pick] -= take
                need -= take
                at += take
    return chosen
