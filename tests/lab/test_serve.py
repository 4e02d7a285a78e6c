"""The world over HTTP."""

from __future__ import annotations

import aiohttp
import numpy as np
import pytest

from phasa.lab.feed_posts import feeds_of
from phasa.lab.links import Flaw
from phasa.lab.markup import write_page
from phasa.lab.serve import Names, serving
from phasa.lab.world import World


async def test_pages_are_served_under_their_own_names(thai_world: World) -> None:
    async with serving(thai_world, now=lambda: 1_700_000_000.0) as (port, answers):
        connector = aiohttp.TCPConnector(resolver=Names(thai_world, port))
        async with aiohttp.ClientSession(connector=connector) as session:
            for page in (0, 1, 77, 3000, 5999):
                async with session.get(thai_world.url(page)) as answer:
                    assert answer.status == 200
                    assert await answer.read() == write_page(thai_world, page).body
            assert answers.requests == 5
            with pytest.raises(aiohttp.ClientConnectorError):
                await session.get("http://not-of-this-world.example/")


async def test_flaws_answer_as_they_should(thai_world: World) -> None:
    count = len(thai_world.pages)
    status = {Flaw.DEAD: 404, Flaw.BROKEN: 500, Flaw.MOVED: 301, Flaw.CLOSED: 200, Flaw.FILE: 200}
    async with serving(thai_world, now=lambda: 1_700_000_000.0) as (port, _):
        connector = aiohttp.TCPConnector(resolver=Names(thai_world, port))
        async with aiohttp.ClientSession(connector=connector) as session:
            for kind, expected in status.items():
                extra = int(np.flatnonzero(thai_world.extras.kind == kind)[0])
                async with session.get(thai_world.url(count + extra), allow_redirects=False) as answer:
                    assert answer.status == expected
                    if kind is Flaw.MOVED:
                        assert answer.headers["Location"] == thai_world.url(int(thai_world.extras.moved[extra]))
            home = thai_world.url(0)
            async with session.get(home + "robots.txt") as answer:
                assert "Disallow: /private/" in await answer.text()
            async with session.get(home + "no/such/page.html") as answer:
                assert answer.status == 404
            feed = f"http://{thai_world.styles[feeds_of(thai_world)[0]].host}/feed.xml"
            async with session.get(feed) as answer:
                assert answer.content_type == "application/rss+xml"
                assert (await answer.text()).startswith("<?xml")
