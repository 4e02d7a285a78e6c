"""What feeds, hubs and pages send is unpacked and parsed in the sandbox: what ends a process there costs one poll."""

from __future__ import annotations

import gzip
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web
from tests.feeds.paper_server import document

from phasa.feeds.document import MODULE, Document, read_by, read_document
from phasa.feeds.policy import SharedBudget
from phasa.feeds.store import FeedStore
from phasa.feeds.watch import Watcher
from phasa.sandbox.pool import Pool
from phasa.web import inflate
from phasa.web.fetch import Fetcher
from phasa.web.limits import Limits
from phasa.web.url import Url

DEADLY = b"<link rel=alternate type=application/rss+xml href=/f><a>" + b"<x>" * 506 + b"<table><td></table><x><p><a>"
"""A page that ends turbohtml 1.15 with a memory fault."""
GOOD = document([("a", 1_700_000_000.0), ("b", 1_700_000_100.0)])
BODIES = {
    "/good": (gzip.compress(GOOD), "gzip"),
    "/deadly": (gzip.compress(DEADLY), "gzip"),
    "/bomb": (gzip.compress(b"<rss>" + bytes(30_000_000)), "gzip"),
    "/page": (b"<html><link rel=alternate type=application/rss+xml href=/good>", ""),
}


@asynccontextmanager
async def served() -> AsyncIterator[str]:
    async def answer(request: web.BaseRequest) -> web.Response:
        body, packed = BODIES[request.path]
        return web.Response(body=body, headers={"Content-Encoding": packed} if packed else {})

    runner = web.ServerRunner(web.Server(answer))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


async def test_a_deadly_document_costs_its_poll_and_the_watch_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = Limits()
    async with served() as base, Fetcher(limits, allow_private=True) as fetcher, Pool(1, modules=[MODULE]) as pool:
        # Here, in the process that polls, nothing may be unpacked.
        monkeypatch.setattr(inflate, "_undo", lambda *_: pytest.fail("unpacked by the process that polls"))
        with FeedStore(tmp_path / "feeds.db") as store:
            for path in ("/deadly", "/bomb", "/page", "/good"):
                store.add(base + path, time.time())
            watcher = Watcher(store, fetcher, SharedBudget(1e6, time.time()), spacing=0.0, read=read_by(pool, limits))
            for feed in store.feeds():
                await watcher._poll(feed)
            deadly, bomb, page, good = store.feeds()
            assert "parser_crashed: SIGSEGV" in deadly.why
            assert deadly.not_feed
            assert "bomb" in bomb.why
            assert f"it is a page that announces {base}/good" in page.why
            assert (good.failures, good.title, [post.title for post in store.latest()]) == (0, "paper", ["b", "a"])
            # The same again is known by its digest, and is not parsed.
            await watcher._poll(good)
            assert store.feed(good.id).failures == 0
            assert len(store.latest()) == 2


def test_a_document_that_was_read_before_is_only_compared() -> None:
    address, limits = Url("http://a.example/f"), Limits()
    packed = gzip.compress(GOOD)
    first = read_document(packed, "gzip", "", address, None, limits, "", whole=True)
    assert len(first.feed.posts) == 2
    again = read_document(packed, "gzip", "", address, None, limits, first.digest, whole=True)
    assert again == Document(first.digest, unchanged=True)


def test_what_was_cut_is_read_as_far_as_it_goes() -> None:
    packed = gzip.compress(document([(f"p{k}", 1_700_000_000.0 + k * 977 * k) for k in range(400)]))
    arguments = ("gzip", "", Url("http://a.example/f"), None, Limits(), "")
    cut = read_document(packed[: len(packed) // 2], *arguments, whole=False)
    assert cut.problem == ""
    assert 0 < len(cut.feed.posts) < 400
    broken = bytearray(packed)
    broken[len(broken) // 2] ^= 255
    assert read_document(bytes(broken), *arguments, whole=True).problem == "bad_encoding"
    assert read_document(bytes(broken), *arguments, whole=False).feed.kind
