"""Webhooks under kill -9: a watch is killed at random instants, its receiver is down for a while; what arrives?

    python bench/feeds_webhook.py [--kills 50] [--down 20]

Feeds on loopback post something new at every poll; the daemon is `phasa feeds watch` with a policy that polls each of
them several times a second. Printed are posts found, posts that never arrived, arrivals out of the order of their feed,
and repetitions (at least once means that a kill may repeat the post in flight).
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
from email.utils import formatdate
from pathlib import Path

import msgspec
from aiohttp import web

from phasa.collection import Collection
from phasa.feeds.outbox import Outbox
from phasa.feeds.store import FeedStore

FEEDS = 5


def daemon(path: str, seconds: float) -> None:
    from phasa.feeds import daemon as module
    from phasa.feeds.policies import Policies
    from phasa.feeds.policy import Decision

    class Quick(Policies):
        def decide(self, feed: int, now: float) -> Decision:
            return super().decide(feed, now)._replace(at=now + 0.15)

    vars(module)["Policies"] = Quick
    duties = module.Duties(per_day=1e7, spacing=0.0, seconds=seconds, crawl=False, join=False)
    asyncio.run(module.keep_watch(Path(path), duties, lambda _: None, lambda _: None))


async def kills(folder: Path, count: int, down: float) -> None:
    made: dict[str, list[tuple[int, float]]] = {str(k): [] for k in range(FEEDS)}
    arrived: list[tuple[str, int]] = []
    up_at = float("inf")
    refused = polled = 0

    async def feed(request: web.Request) -> web.Response:
        nonlocal polled
        polled += 1
        posts = made[request.match_info["name"]]
        posts.append((len(posts), time.time()))
        items = "".join(
            f"<item><guid>{n}</guid><title>{n}</title><pubDate>{formatdate(at)}</pubDate></item>"
            for n, at in posts[-60:][::-1]
        )
        return web.Response(body=f"<rss version='2.0'><channel><title>f</title>{items}</channel></rss>".encode())

    async def take(request: web.Request) -> web.Response:
        nonlocal refused
        if time.monotonic() < up_at:
            refused += 1
            return web.Response(status=503)
        post = msgspec.json.decode(await request.read())
        arrived.append((post["feed_url"], int(post["title"])))
        # Between taking it and saying so a kill hurts most.
        await asyncio.sleep(0.01)
        return web.Response(status=204)

    app = web.Application()
    app.router.add_get("/feed/{name}", feed)
    app.router.add_post("/hook", take)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    base = f"http://127.0.0.1:{runner.addresses[0][1]}"
    collection = Collection.create(folder / "c")
    settings = folder / "c" / "collection.toml"
    settings.write_text(settings.read_text().replace("allow_private = false", "allow_private = true"))
    with FeedStore(collection.path / "feeds.db") as store:
        for name in made:
            store.add(f"{base}/feed/{name}", time.time() - 1)
        Outbox(store).add(f"{base}/hook", time.time())
    dice = random.Random(5)

    async def start(seconds: float) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            sys.executable, __file__, "--daemon", str(collection.path), "--seconds", str(seconds)
        )

    for _ in range(count):
        process = await start(600)
        seen = polled
        while polled == seen:  # noqa: ASYNC110 - a handler of this loop counts
            await asyncio.sleep(0.02)
        if up_at == float("inf"):
            up_at = time.monotonic() + down
        await asyncio.sleep(dice.uniform(0.0, 2.0))
        process.kill()
        await process.wait()
    process = await start(25)
    await process.wait()
    await runner.cleanup()
    with FeedStore(collection.path / "feeds.db") as store:
        rows = store.db.execute(
            "SELECT feed.url, post.title FROM post JOIN feed ON feed.id = post.feed WHERE NOT catalogue"
            " AND number <= (SELECT cursor FROM hook)"
        ).fetchall()
        dead = len(Outbox(store).dead_letters())
        left = store.db.execute("SELECT count(*) FROM post WHERE number > (SELECT cursor FROM hook)").fetchone()[0]
    found = {(url, int(title)) for url, title in rows}
    firsts = list(dict.fromkeys(arrived))
    disorder = 0
    last: dict[str, int] = {}
    for url, number in firsts:
        disorder += number < last.get(url, -1)
        last[url] = max(number, last.get(url, -1))
    print(f"{count} kills, receiver down for {down:g} s ({refused} refusals): {len(found)} posts found and due, "
          f"{len(found - set(arrived))} never arrived, {disorder} out of order, {len(arrived) - len(firsts)} repeated, "
          f"{dead} dead letters, {left} still to send when the last watch ended")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--down", type=float, default=20.0)
    parser.add_argument("--daemon", default="")
    parser.add_argument("--seconds", type=float, default=10.0)
    asked = parser.parse_args()
    if asked.daemon:
        daemon(asked.daemon, asked.seconds)
        return
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(kills(Path(folder), asked.kills, asked.down))


if __name__ == "__main__":
    main()
