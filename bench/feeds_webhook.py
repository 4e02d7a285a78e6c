"""Webhooks under kill -9: a watch is killed at random instants, its receiver is down for a while; what arrives?

    python bench/feeds_webhook.py [--kills 50] [--down 20] [--life 2] [--every 0.15]
    python bench/feeds_webhook.py --down 3600 --life 150 --every 8      an hour, 50 kills in the course of it

Feeds on loopback post something new at every poll; the daemon is `phasa feeds watch` with a policy that polls each of
them every so many seconds, killed after 0 to `--life` seconds. The receiver is up until it got posts, then down for
`--down` seconds: half of them nobody listens at its port, half of them it answers 503; then it is up again. Kills go on
until there were enough and the receiver was up again. Printed are posts found, posts that never arrived, arrivals out
of the order of their feed, and repetitions (at least once means that a kill may repeat the post in flight). Exit 1 when
a post is missing or out of order, or when the receiver was never asked while it was down.
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
# Seconds after the last kill in which all must have arrived; the longest pause between two tries is five minutes.
PATIENCE = 900.0


def daemon(path: str, seconds: float, every: float) -> None:
    from phasa.feeds import daemon as module
    from phasa.feeds.policies import Policies
    from phasa.feeds.policy import Decision

    class Quick(Policies):
        def decide(self, feed: int, now: float) -> Decision:
            return super().decide(feed, now)._replace(at=now + every)

    vars(module)["Policies"] = Quick
    duties = module.Duties(per_day=1e7, spacing=0.0, seconds=seconds, crawl=False, join=False)
    asyncio.run(module.keep_watch(Path(path), duties, lambda _: None, lambda _: None))


class Receiver:
    """Takes posts while it is up; down it refuses connections, later answers 503."""

    def __init__(self) -> None:
        self.arrived: list[tuple[str, int]] = []
        self.refused, self.unheard, self.up = 0, 0, True
        self._runner: web.AppRunner | None = None
        self.port = 0

    async def take(self, request: web.Request) -> web.Response:
        if not self.up:
            self.refused += 1
            return web.Response(status=503)
        post = msgspec.json.decode(await request.read())
        self.arrived.append((post["feed_url"], int(post["title"])))
        # Between taking it and saying so a kill hurts most.
        await asyncio.sleep(0.01)
        return web.Response(status=204)

    async def listen(self) -> None:
        app = web.Application()
        app.router.add_post("/hook", self.take)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port, reuse_address=True).start()
        self.port = self._runner.addresses[0][1]

    async def close(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def outage(self, seconds: float, store: FeedStore) -> None:
        """Down for so long, once some posts have arrived."""
        while len(self.arrived) < FEEDS:  # noqa: ASYNC110 - a handler of this loop counts
            await asyncio.sleep(0.05)
        self.up = False
        await self.close()
        await asyncio.sleep(seconds / 2)
        self.unheard = Outbox(store).hooks()[0].attempts
        await self.listen()
        await asyncio.sleep(seconds / 2)
        self.up = True


async def kills(folder: Path, count: int, down: float, life: float, every: float) -> bool:
    made: dict[str, list[tuple[int, float]]] = {str(k): [] for k in range(FEEDS)}
    polled = 0

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

    app = web.Application()
    app.router.add_get("/feed/{name}", feed)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    receiver = Receiver()
    await receiver.listen()
    base = f"http://127.0.0.1:{runner.addresses[0][1]}"
    collection = Collection.create(folder / "c")
    settings = folder / "c" / "collection.toml"
    settings.write_text(settings.read_text().replace("allow_private = false", "allow_private = true"))
    store = FeedStore(collection.path / "feeds.db")
    for name in made:
        store.add(f"{base}/feed/{name}", time.time() - 1)
    Outbox(store).add(f"http://127.0.0.1:{receiver.port}/hook", time.time())
    dice = random.Random(5)

    async def start(seconds: float) -> asyncio.subprocess.Process:
        options = ("--daemon", str(collection.path), "--seconds", str(seconds), "--every", str(every))
        return await asyncio.create_subprocess_exec(sys.executable, __file__, *options)

    begun = time.monotonic()
    outage = asyncio.create_task(receiver.outage(down, store))
    killed = in_outage = 0
    while killed < count or not outage.done():
        process = await start(7200)
        seen = polled
        while polled == seen:  # noqa: ASYNC110 - a handler of this loop counts
            await asyncio.sleep(0.02)
        await asyncio.sleep(dice.uniform(0.0, life))
        process.kill()
        await process.wait()
        killed += 1
        in_outage += not receiver.up
    await outage
    process, restored = await start(7200), time.monotonic()
    while Outbox(store).following(Outbox(store).hooks()[0], 1):
        await asyncio.sleep(0.2)
        if time.monotonic() - restored > PATIENCE:
            break
    process.kill()
    await process.wait()
    await runner.cleanup()
    await receiver.close()
    rows = store.db.execute(
        "SELECT feed.url, post.title FROM post JOIN feed ON feed.id = post.feed WHERE NOT catalogue"
        " AND number <= (SELECT cursor FROM hook)"
    ).fetchall()
    dead = len(Outbox(store).dead_letters())
    left = store.db.execute("SELECT count(*) FROM post WHERE number > (SELECT cursor FROM hook)").fetchone()[0]
    store.close()
    found = {(url, int(title)) for url, title in rows}
    firsts = list(dict.fromkeys(receiver.arrived))
    disorder = 0
    last: dict[str, int] = {}
    for url, number in firsts:
        disorder += number < last.get(url, -1)
        last[url] = max(number, last.get(url, -1))
    missing = len(found - set(firsts))
    print(f"{killed} kills in {time.monotonic() - begun:.0f} s, {in_outage} of them while the receiver was down; down "
          f"for {down:g} s ({receiver.unheard} tries without a listener, {receiver.refused} answered 503): "
          f"{len(found)} posts found and due, {missing} never arrived, {disorder} out of order, "
          f"{len(receiver.arrived) - len(firsts)} repeated, {dead} dead letters, {left} still to send")  # fmt: skip
    return not missing and not disorder and not dead and bool(receiver.refused) and bool(receiver.unheard)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--down", type=float, default=20.0)
    parser.add_argument("--life", type=float, default=2.0, help="a watch lives for 0 to so many seconds")
    parser.add_argument("--every", type=float, default=0.15, help="seconds between polls of a feed")
    parser.add_argument("--daemon", default="")
    parser.add_argument("--seconds", type=float, default=10.0)
    asked = parser.parse_args()
    if asked.daemon:
        daemon(asked.daemon, asked.seconds, asked.every)
        return
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(not asyncio.run(kills(Path(folder), asked.kills, asked.down, asked.life, asked.every)))


if __name__ == "__main__":
    main()
