"""A web with topics over real HTTP, and what its user would have beside it: a directory of its sites."""

from __future__ import annotations

from aiohttp import web

from phasa.lab.serve import ROBOTS
from phasa.lab.topical.listed import listed_pages
from phasa.lab.topical.world import TopicalWorld
from phasa.web.url import authority


class TopicalAnswers:
    """What the sites of a web with topics answer to a request."""

    def __init__(self, world: TopicalWorld) -> None:
        self.world = world
        self.requests = 0
        self._pages = {world.addresses.url(page): page for page in range(len(world))}

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        self.requests += 1
        if request.path == "/robots.txt":
            return web.Response(text=ROBOTS)
        host = (request.host or "").partition(":")[0]
        page = self._pages.get(f"http://{host}{request.path_qs}")
        if page is None:
            return web.Response(status=404, text="not found\n")
        return web.Response(text=self.world.html(page), content_type="text/html")


def directory(world: TopicalWorld, topic: str) -> tuple[list[str], list[str]]:
    """The home pages of sites as a directory of the web lists them: under the topic, and under others (§4.3)."""
    found: tuple[list[str], list[str]] = ([], [])
    for _, pages, listed in listed_pages(world, topic):
        home = f"http://{authority(world.addresses.url(pages[0]))}/"
        found[not listed].append(home)
    return found
