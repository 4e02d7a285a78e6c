"""The directory of a web with topics: sites that it lists under a topic, and sites that it lists elsewhere (§4.3)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from phasa.crawl.topics.training import PAGES_PER_SITE
from phasa.lab.topical.world import TopicalWorld

# Topic → the sorts of site that a directory lists under it; dive shops are part of tourism.
_LISTED = {"tourism": ("tour-portal", "dive-shop"), "estate": ("estate-portal",), "food": ("kitchen",)}
_ABROAD = {"tourism": ("travel-abroad",), "estate": ("estate-abroad",), "food": ("cooking-abroad",)}
_UNRELATED = 0.05
"""A site that is listed elsewhere may have so large a share of pages on the topic."""
_FEWER = 6
"""Of the sites on something else, one in so many is listed: the same theme elsewhere, and Thailand on other themes, are
what a topic must be told from (A34)."""


def listed_pages(world: TopicalWorld, topic: str, most: int = PAGES_PER_SITE) -> Iterator[tuple[int, list[int], bool]]:
    """(site, its first pages breadth-first, whether the directory lists it under the topic)."""
    sorts = [site.name for site in world.recipe.sites]
    gold, near = world.gold(topic), (*_ABROAD[topic], "thai-office")
    for site, kind in enumerate(world.plan.site_type.tolist()):
        pages = site_pages(world, site)
        listed = sorts[kind] in _LISTED[topic]
        if not listed and (gold[pages].mean() > _UNRELATED or (sorts[kind] not in near and site % _FEWER)):
            continue
        yield site, pages[:most], listed


def site_pages(world: TopicalWorld, site: int) -> list[int]:
    """The pages of a site breadth-first from its home, by links within it."""
    plan, links = world.plan, world.links
    home = int(plan.first_page[plan.first_segment[site]])
    last = int(plan.first_page[plan.first_segment[site + 1]])
    found, waiting = {home: None}, deque([home])
    while waiting:
        page = waiting.popleft()
        for to in links.targets[links.offsets[page] : links.offsets[page + 1]].tolist():
            if home <= to < last and to not in found:
                found[to] = None
                waiting.append(to)
    return list(found)
