"""`phasa feeds watch` as a process of its own, against a real server: stopped, killed, restarted; hubs, crawl."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web
from tests.feeds.loopback import Loopback, news
from tests.feeds.paper_server import sound

from phasa.collection import Collection
from phasa.feeds.store import FeedStore
from phasa.frontier.reader import FrontierReader
from phasa.web.url import Url


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    collection = Collection.create(tmp_path / "c", language="th")
    text = collection.settings_file.read_text(encoding="utf-8")
    collection.settings_file.write_text(text.replace("allow_private = false", "allow_private = true"), encoding="utf-8")
    return collection.path


def register(directory: Path, *urls: str) -> None:
    with FeedStore(directory / "feeds.db") as store:
        for url in urls:
            store.add(url, time.time())


async def start(directory: Path, *options: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "phasa", "feeds", "watch", str(directory), "--spacing", "0", *options,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip


async def until(what: object, seconds: float = 30.0) -> None:
    """Wait until the given call says yes."""
    end = time.monotonic() + seconds
    while not what():  # type: ignore[operator]
        assert time.monotonic() < end, "it did not happen in time"
        await asyncio.sleep(0.05)


async def test_sigterm_ends_it_in_good_order_and_posts_are_told(directory: Path) -> None:
    async with Loopback({"/rss": news(3, time.time() + 600)}) as server:
        register(directory, server.base + "/rss")
        process = await start(directory, "--no-crawl")
        await until(lambda: server.requests)
        await asyncio.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        out, err = await asyncio.wait_for(process.communicate(), 20)
    assert process.returncode == 0, err.decode()
    assert [line.split("\t")[1] for line in out.decode().splitlines()] == ["n2", "n1", "n0"]
    with FeedStore(directory / "feeds.db") as store:
        assert sound(directory / "feeds.db")
        assert [poll.new for poll in store.log()] == [3]


async def test_kill_9_at_any_moment_loses_no_post_asks_nothing_too_soon_and_leaves_the_store_sound(
    directory: Path,
) -> None:
    paths = [f"/{k}" for k in range(12)]
    pages = {path: news(5, time.time()).replace(b"<guid>n", f"<guid>{path}".encode()) for path in paths}
    async with Loopback(pages) as server:
        register(directory, *(server.base + path for path in paths))
        for kills in range(3):
            process = await start(directory, "--per-day", "100000", "--no-crawl")
            seen = len(server.requests)
            with_luck = seen + kills + 2
            await until(lambda border=with_luck: len(server.requests) >= min(border, 12))
            process.kill()
            await process.wait()
            with FeedStore(directory / "feeds.db") as store:
                assert sound(directory / "feeds.db")
            if len(server.requests) >= 12:
                break
        process = await start(directory, "--per-day", "100000", "--no-crawl", "--seconds", "16")
        assert await asyncio.wait_for(process.wait(), 40) == 0
    with FeedStore(directory / "feeds.db") as store:
        assert len(store.latest(1000)) == 60
        kept = {row.url: store.log(row.id) for row in store.feeds()}
    for path in paths:
        # A second request only where a kill came between the answer and the transaction: never after it was written.
        asked, polls = server.asked(path), kept[server.base + path]
        assert len(polls) == 1
        assert all(request.at <= polls[0].at for request in asked)
    assert len(server.requests) <= 12 + 3


async def test_links_of_new_posts_are_in_the_frontier_and_new_feeds_join(directory: Path) -> None:
    async with Loopback({"/rss": news(2, time.time()), "/later": news(1, time.time())}) as server:
        register(directory, server.base + "/rss")
        process = await start(directory, "--seconds", "30")
        await until(lambda: len(server.asked("/rss")) > 0)
        await asyncio.sleep(2.0)
        process.send_signal(signal.SIGINT)
        assert await asyncio.wait_for(process.wait(), 20) == 0
    with FrontierReader(directory / "frontier.db") as frontier:
        assert frontier.story(Url("http://a.example/n0")) is not None


async def test_a_hub_is_asked_verifies_and_delivers(directory: Path) -> None:
    import hashlib
    import hmac
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    forms: list[dict[str, str]] = []

    async def hub(request: web.Request) -> web.Response:
        forms.append({key: str(value) for key, value in (await request.post()).items()})
        return web.Response(status=202)

    async with Loopback({}, scripts={"/hub": hub}) as server:
        head = f"<link xmlns='http://www.w3.org/2005/Atom' rel='hub' href='{server.base}/hub'/>".encode()
        server.pages["/rss"] = news(1, time.time()).replace(b"</title>", b"</title>" + head, 1)
        register(directory, server.base + "/rss")
        address = f"http://127.0.0.1:{port}"
        process = await start(directory, "--no-crawl", "--callback", address, "--listen", f"127.0.0.1:{port}")
        try:
            # The hub is known after the first poll; hubs are looked for every minute, first after a second.
            await until(lambda: forms, 90)
            form = forms[0]
            body = news(2, time.time())
            signature = "sha256=" + hmac.new(form["hub.secret"].encode(), body, hashlib.sha256).hexdigest()
            question = {"hub.mode": "subscribe", "hub.topic": form["hub.topic"], "hub.challenge": "c"}
            async with aiohttp.ClientSession() as client:
                async with client.get(form["hub.callback"], params=question) as answer:
                    assert (answer.status, await answer.text()) == (200, "c")
                sent = {"X-Hub-Signature": signature, "Content-Type": "application/rss+xml"}
                async with client.post(form["hub.callback"], data=body, headers=sent) as answer:
                    assert answer.status == 202
        finally:
            process.send_signal(signal.SIGTERM)
            await asyncio.wait_for(process.wait(), 20)
    with FeedStore(directory / "feeds.db") as store:
        assert {shown.title for shown in store.latest()} == {"n0", "n1"}
        assert [poll.outcome for poll in store.log(1)] == ["ok", "pushed"]


async def test_without_feeds_it_says_what_to_do(directory: Path) -> None:
    process = await start(directory)
    _, err = await asyncio.wait_for(process.communicate(), 30)
    assert process.returncode == 1
    assert "phasa feeds add" in err.decode()
