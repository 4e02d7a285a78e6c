"""Webhooks: signed, in order, at least once; a receiver that is down gets everything later, or it is a dead letter."""

from __future__ import annotations

import asyncio
import hmac
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web
from tests.feeds.test_shelf import poll

from phasa.feeds.outbox import Hook, Outbox
from phasa.feeds.rows import ShownPost
from phasa.feeds.store import FeedStore
from phasa.feeds.webhook import LONGEST_PAUSE, hand_over, sender

NOW = 1_700_000_000.0


class Receiver:
    """Takes posts while it is up; what it was sent and when."""

    def __init__(self) -> None:
        self.now, self.up = NOW, True
        self.taken: list[str] = []
        self.tries = 0

    def moment(self) -> float:
        return self.now

    async def send(self, hook: Hook, post: ShownPost) -> str:
        self.tries += 1
        if not self.up:
            return "status 503"
        self.taken.append(post.title)
        return ""


@pytest.fixture
def store(tmp_path: Path) -> FeedStore:
    made = FeedStore(tmp_path / "feeds.db")
    made.add("http://a.example/rss", NOW - 100, category="News")
    made.add("http://b.example/rss", NOW - 100, category="Sport")
    poll(made, 1, NOW, ("before the hook", "", NOW - 1))
    return made


async def test_only_new_posts_are_sent_once_each_in_order(store: FeedStore) -> None:
    outbox, receiver = Outbox(store), Receiver()
    assert outbox.add("http://desk.example/", NOW)
    assert outbox.add("http://desk.example/", NOW) == ""
    assert outbox.add("http://sport.example/", NOW, category="Sport")
    poll(store, 1, NOW + 9, ("two", "", NOW + 2), ("one", "", NOW + 1))
    poll(store, 2, NOW + 10, ("goal", "", NOW + 3))
    assert await hand_over(outbox, receiver.send, receiver.moment, 24.0) == 4
    assert sorted(receiver.taken) == ["goal", "goal", "one", "two"]
    assert [title for title in receiver.taken if title != "goal"] == ["one", "two"]
    assert await hand_over(outbox, receiver.send, receiver.moment, 24.0) == 0


async def test_a_receiver_that_is_down_for_an_hour_gets_everything_in_order(store: FeedStore) -> None:
    outbox, receiver = Outbox(store), Receiver()
    outbox.add("http://desk.example/", NOW)
    receiver.up = False
    for minute in range(60):
        receiver.now = NOW + 60 * minute
        poll(store, 1, receiver.now + 1, (f"m{minute}", "", receiver.now))
        await hand_over(outbox, receiver.send, receiver.moment, 24.0)
    assert receiver.tries < 30
    assert outbox.hooks()[0].note == "status 503"
    receiver.up = True
    for _ in range(5):
        receiver.now += LONGEST_PAUSE
        await hand_over(outbox, receiver.send, receiver.moment, 24.0)
    assert receiver.taken == [f"m{minute}" for minute in range(60)]
    assert outbox.dead_letters() == []


async def test_what_is_never_taken_is_a_dead_letter_and_the_rest_goes_on(store: FeedStore) -> None:
    outbox, receiver = Outbox(store), Receiver()
    outbox.add("http://desk.example/", NOW)
    poll(store, 1, NOW + 2, ("poison", "", NOW + 1))
    receiver.up = False
    for hour in range(4):
        receiver.now = NOW + hour * 3600
        await hand_over(outbox, receiver.send, receiver.moment, 2.0)
    (letter,) = outbox.dead_letters()
    assert (letter.url, letter.why) == ("http://desk.example/", "status 503")
    receiver.up, receiver.now = True, NOW + 9 * 3600
    poll(store, 1, receiver.now, ("after", "", receiver.now - 1))
    await hand_over(outbox, receiver.send, receiver.moment, 2.0)
    assert receiver.taken == ["after"]
    assert outbox.revive() == 1
    await hand_over(outbox, receiver.send, receiver.moment, 2.0)
    assert receiver.taken == ["after", "poison", "after"]
    assert outbox.remove("http://desk.example/")
    assert not outbox.remove("http://desk.example/")


async def test_deliveries_are_signed_over_http(store: FeedStore) -> None:
    outbox = Outbox(store)
    sent: list[tuple[str, str, bytes]] = []

    async def take(request: web.Request) -> web.Response:
        sent.append((request.headers["X-Phasa-Signature"], request.headers["X-Phasa-Post"], await request.read()))
        return web.Response(status=204 if len(sent) > 1 else 500)

    app = web.Application()
    app.router.add_post("/", take)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    outbox.add(f"http://127.0.0.1:{runner.addresses[0][1]}/", NOW, secret="s3cret")
    poll(store, 1, NOW + 2, ("signed", "", NOW + 1))
    async with aiohttp.ClientSession() as session:
        for later in (0.0, 2.0):
            await hand_over(outbox, sender(session, "phasa"), lambda later=later: NOW + later, 24.0)  # type: ignore[misc]
    await runner.cleanup()
    await asyncio.sleep(0)
    assert len(sent) == 2
    for signed, number, body in sent:
        assert signed == "sha256=" + hmac.new(b"s3cret", body, "sha256").hexdigest()
        assert number == "2"
        assert b'"title":"signed"' in body
