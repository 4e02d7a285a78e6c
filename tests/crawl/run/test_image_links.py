"""`scope.images`: the addresses of pictures are links too, the fifth tag of the Thai thesis."""

from __future__ import annotations

from pathlib import Path

import pytest
from aiohttp import web
from tests.durability.small_web import THAI, SmallWeb, collection_for

from phasa.crawl.run.runs import run_collection
from phasa.frontier.scope import ScopeSettings


def _page(host: str, path: str) -> web.Response:
    if path == "/robots.txt":
        return web.Response(text="")
    links = '<a href="/next.html">หน้า</a> <img src="/view.html"> <img src="/photo.jpg">' if path == "/p/0.html" else ""
    return web.Response(text=f"<html><p>{THAI * 4} {path}</p>{links}</html>", content_type="text/html")


@pytest.mark.parametrize("images", [False, True])
def test_pictures_are_links_when_the_scope_says_so(tmp_path: Path, images: bool) -> None:
    small = SmallWeb(1, 1, _page)
    with small.serving():
        run_collection(collection_for(tmp_path / "c", small, scope=ScopeSettings(images=images)))
    asked = {one.path for one in small.arrivals} - {"/robots.txt"}
    assert asked == {"/p/0.html", "/next.html"} | ({"/view.html"} if images else set())
