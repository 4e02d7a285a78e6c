"""WebSub: subscribe, be asked back, be told; forged deliveries are thrown away, leases renewed."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from tests.feeds.paper_server import PaperServer, VirtualClock, document, watcher

from phasa.errors import InputError
from phasa.feeds.callback import Callback, parse_listen
from phasa.feeds.parse import linked_in_header
from phasa.feeds.rhythm import DAY, HOUR
from phasa.feeds.store import FeedStore
from phasa.feeds.websub import Subscriber, signed_by

NOW = 1_700_000_000.0
URL, HUB = "http://a.example/feed", "http://hub.example/"
HEAD = f"<link rel='hub' href='{HUB}' xmlns='http://www.w3.org/2005/Atom'/>"


class Hub:
    """A hub on paper: remembers the forms, says what it is told to say."""

    def __init__(self, status: int = 202) -> None:
        self.status = status
        self.forms: list[dict[str, str]] = []

    async def post(self, url: str, form: Mapping[str, str]) -> int:
        assert url == HUB
        self.forms.append(dict(form))
        return self.status


@pytest.fixture
def store(tmp_path: Path) -> FeedStore:
    made = FeedStore(tmp_path / "feeds.db")
    made.add(URL, NOW)
    return made


async def polled(store: FeedStore, clock: VirtualClock) -> PaperServer:
    server = PaperServer({URL: document([("a", NOW)], HEAD)})
    await watcher(store, server, clock, 1000.0).run(until=clock.now() + 60)
    return server


def question(form: dict[str, str], **others: str) -> dict[str, str]:
    asked = {"hub.mode": "subscribe", "hub.topic": form["hub.topic"], "hub.challenge": "xyz"}
    return {**asked, "hub.lease_seconds": str(5 * DAY), **{k.replace("_", ".", 1): v for k, v in others.items()}}


async def test_a_feed_with_a_hub_is_subscribed_verified_and_then_polled_once_a_day(store: FeedStore) -> None:
    clock, hub = VirtualClock(NOW), Hub()
    await polled(store, clock)
    assert store.feed(1).hub == HUB
    subscriber = Subscriber(store, "https://me.example/hook/", hub.post)
    assert await subscriber.renew(NOW) == 1
    (form,) = hub.forms
    token = form["hub.callback"].rpartition("/")[2]
    assert form["hub.callback"] == f"https://me.example/hook/{token}"
    assert form["hub.topic"] == URL
    assert subscriber.verify(token, question(form), NOW) == (200, "xyz", None)
    lease = store.subscription(1)
    assert lease is not None
    assert (lease.state, lease.expires) == ("active", NOW + 5 * DAY)
    # No second question while the lease lasts; polls are a day apart now, two hours before.
    assert await subscriber.renew(NOW + DAY) == 0
    server = PaperServer({URL: document([("b", NOW)], HEAD)})
    clock.moment = NOW + 3 * HOUR
    await watcher(store, server, clock, 1000.0).run(until=NOW + 3 * DAY)
    assert 2 <= len(server.requests) <= 4


async def test_a_delivery_is_read_when_its_signature_fits_and_costs_no_poll(store: FeedStore) -> None:
    clock, hub = VirtualClock(NOW), Hub()
    await polled(store, clock)
    subscriber = Subscriber(store, "https://me.example", hub.post)
    await subscriber.renew(NOW)
    form = hub.forms[0]
    token = form["hub.callback"].rpartition("/")[2]
    subscriber.verify(token, question(form), NOW)
    body = document([("pushed", NOW + 100), ("a", NOW)])
    good = "sha256=" + hmac.new(form["hub.secret"].encode(), body, hashlib.sha256).hexdigest()
    before = store.polls_since(0.0)
    daemon = watcher(store, PaperServer({}), clock, 10.0)
    for signature, feed in ((None, None), ("sha256=00", None), ("md5=00", None), (good, 1)):
        reply = subscriber.deliver(token, signature, body, NOW + 120)
        assert (reply.status, reply.feed) == (202, feed)
        if reply.feed is not None:
            await daemon.delivered(reply.feed, body, "application/rss+xml")
    assert [shown.title for shown in store.latest()] == ["pushed", "a"]
    assert store.polls_since(0.0) == before
    assert store.feed(1).etag  # the validator of the last poll is still of use
    assert subscriber.deliver("nobody", good, body, NOW).status == 404
    assert subscriber.deliver(token, good, body, NOW + 6 * DAY).status == 410


async def test_what_we_did_not_ask_for_is_not_confirmed(store: FeedStore) -> None:
    hub = Hub()
    await polled(store, VirtualClock(NOW))
    subscriber = Subscriber(store, "https://me.example", hub.post)
    await subscriber.renew(NOW)
    form = hub.forms[0]
    token = form["hub.callback"].rpartition("/")[2]
    assert subscriber.verify("other", question(form), NOW).status == 404
    assert subscriber.verify(token, question(form, hub_topic="http://b.example/"), NOW).status == 404
    assert subscriber.verify(token, question(form, hub_mode="unsubscribe"), NOW).status == 404
    assert subscriber.verify(token, question(form, hub_mode="denied", hub_reason="no"), NOW).status == 200
    lease = store.subscription(1)
    assert lease is not None
    assert (lease.state, lease.note) == ("refused", "no")
    assert subscriber.verify(token, question(form), NOW).status == 404
    assert await subscriber.renew(NOW + DAY) == 0
    assert await subscriber.renew(NOW + 8 * DAY) == 1


async def test_leases_are_renewed_before_they_end_with_the_same_callback(store: FeedStore) -> None:
    hub = Hub()
    await polled(store, VirtualClock(NOW))
    subscriber = Subscriber(store, "https://me.example", hub.post)
    await subscriber.renew(NOW)
    token = hub.forms[0]["hub.callback"].rpartition("/")[2]
    subscriber.verify(token, question(hub.forms[0]), NOW)
    assert await subscriber.renew(NOW + 3.9 * DAY) == 0
    assert await subscriber.renew(NOW + 4.1 * DAY) == 1
    assert hub.forms[1] == hub.forms[0]
    # Deliveries are taken until the old lease ends, whatever the hub says to the renewal.
    lease = store.subscription(1)
    assert lease is not None
    assert lease.expires == NOW + 5 * DAY


async def test_a_hub_that_fails_leaves_the_feed_to_polling(store: FeedStore) -> None:
    hub = Hub(500)
    await polled(store, VirtualClock(NOW))
    await Subscriber(store, "https://me.example", hub.post).renew(NOW)
    lease = store.subscription(1)
    assert lease is not None
    assert (lease.state, lease.note) == ("refused", "the hub said 500")


async def test_the_callback_speaks_http(store: FeedStore) -> None:
    hub = Hub()
    await polled(store, VirtualClock(NOW))
    subscriber = Subscriber(store, "https://me.example", hub.post)
    await subscriber.renew(NOW)
    form = hub.forms[0]
    token = form["hub.callback"].rpartition("/")[2]
    told: list[Any] = []

    async def tell(*what: Any) -> None:
        told.append(what)

    ear = Callback(subscriber, lambda: NOW, tell)
    port = await ear.start("127.0.0.1", 0)
    body = document([("x", NOW)])
    signature = "sha1=" + hmac.new(form["hub.secret"].encode(), body, hashlib.sha1).hexdigest()
    try:
        async with aiohttp.ClientSession(f"http://127.0.0.1:{port}") as client:
            async with client.get(f"/hook/{token}", params=question(form)) as answer:
                assert (answer.status, await answer.text()) == (200, "xyz")
            headers = {"Content-Type": "application/rss+xml", "X-Hub-Signature": signature}
            async with client.post(f"/hook/{token}", data=body, headers=headers) as answer:
                assert answer.status == 202
            async with client.post(f"/hook/{token}", data=body + b" ", headers=headers) as answer:
                assert answer.status == 202
            async with client.get("/hook/none") as answer:
                assert answer.status == 404
        with pytest.raises(InputError, match="cannot listen"):
            await Callback(subscriber, lambda: NOW, tell).start("127.0.0.1", port)
    finally:
        await ear.stop()
    assert told == [(1, body, "application/rss+xml")]


def test_signatures_and_link_headers() -> None:
    made = hmac.new(b"s", b"body", hashlib.sha512).hexdigest()
    assert signed_by("s", b"body", f"sha512={made}")
    assert not signed_by("t", b"body", f"sha512={made}")
    assert linked_in_header('<http://h.example/>; rel="hub", <http://a.example/f>; rel=self') == (
        "http://h.example/",
        "http://a.example/f",
    )
    assert linked_in_header(None) == ("", "")


@pytest.mark.parametrize("text", ["", "8090", "host:", "host:99999", ":80"])
def test_an_address_to_listen_at_needs_host_and_port(text: str) -> None:
    with pytest.raises(InputError):
        parse_listen(text)
