"""What the application takes on at a time: bodies, answers, requests at work, live events; nested bodies and lists."""

from __future__ import annotations

import asyncio
import json
import tracemalloc
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send
from tests.service.conftest import client_of

from phasa.collection import Collection
from phasa.service.gate import PIECE, Gate
from phasa.service_settings import ServiceSettings


class Server:
    """A gate with an application behind it that works until it is told to go on."""

    def __init__(self, answer: bytes = b"ok", **bounds: int) -> None:
        self.go = asyncio.Event()
        self.working = self.most_working = 0
        self.answer = answer
        self.gate = Gate(self._app, msgspec.structs.replace(ServiceSettings(), **bounds))

    async def _app(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        self.working += 1
        self.most_working = max(self.most_working, self.working)
        await self.go.wait()
        self.working -= 1
        await Response(self.answer)(scope, receive, send)

    async def ask(
        self, body: bytes = b"", pieces: int = 1, taken: Callable[[], Awaitable[None]] | None = None
    ) -> list[Message]:
        """The messages of an answer; `taken` is awaited for each of them."""
        size = -(-len(body) // pieces) or 1
        coming = [body[k : k + size] for k in range(0, len(body), size)] or [b""]
        sent: list[Message] = []

        async def receive() -> Message:
            await asyncio.sleep(0)
            return {"type": "http.request", "body": coming.pop(0), "more_body": bool(coming)}

        async def send(message: Message) -> None:
            sent.append(message)
            if taken is not None:
                await taken()

        scope: dict[str, Any] = {"type": "http", "method": "POST", "path": "/api/x", "headers": []}
        await self.gate(scope, receive, send)
        return sent


def statuses(answers: list[list[Message]]) -> list[int]:
    return [answer[0]["status"] for answer in answers]


async def test_no_more_requests_are_at_work_than_the_settings_say_and_the_others_wait() -> None:
    server = Server(requests=3, waiting=10)
    asked = [asyncio.create_task(server.ask()) for _ in range(13)]
    for _ in range(50):
        await asyncio.sleep(0)
    assert server.working == 3
    server.go.set()
    assert statuses(await asyncio.gather(*asked)) == [200] * 13
    assert server.most_working == 3


async def test_when_too_many_wait_the_next_is_sent_away_and_those_that_wait_are_not() -> None:
    server = Server(requests=1, waiting=2)
    asked = [asyncio.create_task(server.ask()) for _ in range(3)]
    for _ in range(50):
        await asyncio.sleep(0)
    assert statuses([await server.ask()]) == [503]
    server.go.set()
    assert statuses(await asyncio.gather(*asked)) == [200] * 3


async def test_bodies_that_come_slowly_keep_nobody_out() -> None:
    server = Server(requests=1)
    never = asyncio.Event()

    async def receive() -> Message:
        await never.wait()
        raise AssertionError

    async def send(message: Message) -> None:
        raise AssertionError

    scope: dict[str, Any] = {"type": "http", "method": "POST", "path": "/", "headers": []}
    slow = [asyncio.create_task(server.gate(scope, receive, send)) for _ in range(5)]
    server.go.set()
    assert statuses([await server.ask()]) == [200]
    for task in slow:
        task.cancel()


async def test_bodies_in_flight_share_one_budget() -> None:
    server = Server(held_bytes=1000, body_bytes=600, requests=9)
    first = asyncio.create_task(server.ask(b"x" * 600))
    for _ in range(20):
        await asyncio.sleep(0)
    assert statuses([await server.ask(b"x" * 600, pieces=3)]) == [503]
    server.go.set()
    assert statuses([await first]) == [200]
    assert statuses([await server.ask(b"x" * 601, pieces=9)]) == [413]
    assert statuses([await server.ask(b"x" * 600)]) == [200]


async def test_an_answer_leaves_in_pieces_and_is_held_until_it_is_taken() -> None:
    server = Server(answer=b"y" * (3 * PIECE + 1), held_bytes=5 * PIECE)
    server.go.set()
    stuck = asyncio.Event()
    slow = asyncio.create_task(server.ask(taken=stuck.wait))  # type: ignore[arg-type]
    for _ in range(20):
        await asyncio.sleep(0)
    assert statuses([await server.ask()]) == [503]
    stuck.set()
    sent = await slow
    assert [len(message["body"]) for message in sent[1:]] == [PIECE, PIECE, PIECE, 1]
    assert [message["more_body"] for message in sent[1:]] == [True, True, True, False]
    assert statuses([await server.ask()]) == [200]


@pytest.mark.parametrize("body", [b"[" * 100_000, b'{"url":' * 100_000, b'{"url":' + b"[" * 900 + b"]" * 900 + b"}"])
def test_json_nested_deep_is_a_bad_question(empty: Collection, body: bytes) -> None:
    answer = client_of(empty).post("/api/feeds", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 400
    assert answer.json()["error"]


def test_a_nested_list_is_taken_in_little_memory_and_given_out_again(empty: Collection) -> None:
    levels = 12_000
    folders = "".join(f'<outline text="{k:x}"><outline xmlUrl="http://a.example/{k}"/>' for k in range(levels))
    opml = f"<opml><body>{folders}{'</outline>' * levels}</body></opml>"
    assert len(opml) > 800_000
    body = json.dumps({"opml": opml})
    with client_of(empty) as client:
        tracemalloc.start()
        try:
            answer = client.post("/api/feeds/import", content=body, headers={"content-type": "application/json"})
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert answer.status_code == 200
        assert answer.json()["added"] == levels
        assert peak < 60_000_000
        assert (empty.path / "feeds.db").stat().st_size < 10_000_000
        export = client.get("/api/feeds/opml")
        assert export.status_code == 200
        assert export.text.count("xmlUrl") == levels
        assert client.get("/feeds").status_code == 200


def test_a_store_that_an_older_version_filled_is_still_given_out(empty: Collection) -> None:
    import sqlite3

    with client_of(empty) as client:
        client.post("/api/feeds", json={"url": "http://a.example/rss"})
        with sqlite3.connect(empty.path / "feeds.db") as db:
            db.execute("UPDATE feed SET category = ?", ("/".join(["x"] * 100_000),))
        assert client.get("/api/feeds/opml").status_code == 200
        assert len(client.get("/api/feeds").content) < 10_000


def test_a_database_that_another_writes_to_is_busy_and_not_a_fault(
    empty: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sqlite3

    from phasa.feeds.store import FeedStore

    with client_of(empty) as client:
        client.post("/api/feeds", json={"url": "http://a.example/rss"})
        add = FeedStore.add

        def impatient(store: FeedStore, *given: Any, **named: Any) -> bool:
            store.db.execute("PRAGMA busy_timeout = 50")
            return add(store, *given, **named)

        monkeypatch.setattr(FeedStore, "add", impatient)
        with sqlite3.connect(empty.path / "feeds.db", isolation_level=None) as other:
            other.execute("BEGIN IMMEDIATE")
            answer = client.post("/api/feeds", json={"url": "http://b.example/rss"})
            other.execute("ROLLBACK")
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
        assert "locked" in answer.json()["error"]


def test_a_collection_has_room_for_so_many_feeds(empty: Collection) -> None:
    settings = msgspec.structs.replace(empty.settings, feeds=msgspec.structs.replace(empty.settings.feeds, feeds=3))
    outlines = "".join(f'<outline xmlUrl="http://a.example/{k}"/>' for k in range(5))
    with client_of(Collection(empty.path, settings)) as client:
        answer = client.post("/api/feeds/import", json={"opml": f"<opml>{outlines}</opml>"}).json()
        assert (answer["added"], answer["passed_over"][0][:7]) == (3, "2 feeds")
        assert len(client.get("/api/feeds").json()["feeds"]) == 3


def test_live_events_are_followed_by_so_many_only(empty: Collection) -> None:
    settings = msgspec.structs.replace(
        empty.settings, service=msgspec.structs.replace(empty.settings.service, streams=1)
    )
    client = client_of(Collection(empty.path, settings))
    client.app.state.service.streams = 1  # type: ignore[attr-defined]
    assert client.get("/api/crawl/events").status_code == 503
