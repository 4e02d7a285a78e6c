"""Addresses of a web with topics: hosts, directories and files, some with a place of Thailand in them."""

from __future__ import annotations

import numpy as np

from phasa.lab.chance import generator
from phasa.lab.topical.lexicon import dialect, pick, pick_place
from phasa.lab.topical.plan import Plan
from phasa.lab.topical.recipe import Kind, TopicalRecipe

_DULL = ("pages", "info", "articles", "archive", "section", "content", "en", "site", "main", "c", "category", "topics")
_FILE_NAMED = 0.25
"""Files whose own name has a place, for one directory that has one."""
_FILE_SPOKEN = 0.5
"""Files whose name has a word of their theme."""


def make_hosts(recipe: TopicalRecipe, seed: int, plan: Plan) -> list[str]:
    """One host per site. The seed is part of the name: no two webs share an address."""
    dice = generator(seed, "topical", "hosts")
    chances = dice.random((len(plan.site_type), 4))
    words = dialect(seed, recipe.dialect, recipe.places)
    hosts = []
    for number, kind in enumerate(plan.site_type.tolist()):
        site = recipe.sites[kind]
        local, place, theme, tld = chances[number].tolist()
        themes = next(one for one in recipe.kinds if one.name == next(iter(site.kinds))).themes
        names = words["thai" if local < site.local_name else "elsewhere"]
        front = pick_place(names, place).replace("-", "") if local < max(site.local_name, 0.3) else ""
        domains = site.tlds.split()
        label = f"{front}{pick(words[themes[int(theme * 97) % len(themes)]], theme)}{number}w{seed}"
        hosts.append(f"www.{label}.{domains[int(tld**1.5 * len(domains))]}")
    return hosts


def make_paths(recipe: TopicalRecipe, seed: int, plan: Plan) -> list[str]:
    """The directory of every segment: unique within its site; '/' for a home and for all segments of a flat site."""
    dice = generator(seed, "topical", "paths")
    chances = dice.random((len(plan.kind), 5)).tolist()
    homes = set(plan.first_segment[:-1].tolist())
    flat, words = plan.flat.tolist(), dialect(seed, recipe.dialect, recipe.places)
    paths: list[str] = []
    taken: set[tuple[int, str]] = set()
    for number, (site, kind, theme) in enumerate(
        zip(plan.site.tolist(), plan.kind.tolist(), plan.theme.tolist(), strict=True)
    ):
        if number in homes or flat[site]:
            paths.append("/")
            continue
        path = _path(recipe.kinds[kind], theme, words, chances[number])
        if (site, path) in taken:
            path = f"{path[:-1]}-{number}/"
        taken.add((site, path))
        paths.append(path)
    return paths


def _path(about: Kind, theme: int, words: dict[str, list[str]], chances: list[float]) -> str:
    named, place, word, shape, spare = chances
    subject = pick(words[about.themes[theme]], word) if shape < 0.5 else _DULL[int(word * len(_DULL))]
    if named < about.address:
        name = pick_place(words["thai"], place)
        if spare < 0.2 and name != "thailand":
            return f"/thailand/{name}/"
        return f"/{name}/" if spare < 0.5 else f"/{name}/{subject}/" if spare < 0.8 else f"/{subject}/{name}/"
    if about.place == "elsewhere" and spare < 0.5:
        name = pick_place(words["elsewhere"], place)
        return f"/{name}/{subject}/" if spare < 0.3 else f"/{name}/"
    return f"/{subject}/" if spare < 0.8 else f"/{_DULL[int(place * len(_DULL))]}/{subject}/"


def make_urls(recipe: TopicalRecipe, seed: int, plan: Plan) -> list[str]:
    """The address of every page."""
    hosts, paths = make_hosts(recipe, seed, plan), make_paths(recipe, seed, plan)
    starts = [f"http://{hosts[site]}{path}" for site, path in zip(plan.site.tolist(), paths, strict=True)]
    dice = generator(seed, "topical", "files")
    chance = dice.random((len(plan.segment), 2))
    local = np.arange(len(plan.segment)) - plan.first_page[plan.segment]
    home = plan.first_segment[plan.site]
    flat = plan.flat[plan.site] & (np.arange(len(plan.kind)) != home)
    words = dialect(seed, recipe.dialect, recipe.places)
    urls = []
    for segment, kind, number, is_flat, (named, word) in zip(
        plan.segment.tolist(),
        plan.page_kind.tolist(),
        local.tolist(),
        flat[plan.segment].tolist(),
        chance.tolist(),
        strict=True,
    ):
        if number == 0 and not is_flat:
            urls.append(starts[segment])
            continue
        about = recipe.kinds[kind]
        name = pick_place(words["thai"], word) + "-" if named < about.address * _FILE_NAMED else ""
        said = pick(words[about.themes[segment % len(about.themes)]], word) if word < _FILE_SPOKEN else "page"
        mark = f"{segment}-{number}" if is_flat else str(number)
        urls.append(f"{starts[segment]}{name}{said}-{mark}.html")
    return urls
