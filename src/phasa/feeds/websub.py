"""WebSub: hubs tell us of new posts, so that a feed need not be asked (W3C Recommendation of 2018).

When a feed names a hub and the user gave a public address for callbacks, we subscribe: the hub is asked with a form,
asks back at the callback to be sure that we meant it, and from then on posts the document there whenever it changes,
signed with a secret that only the two of us know. Leases end and are renewed in time. A feed with a lease is polled
only once in a while, to be safe. What is here decides and speaks no HTTP: `callback` listens, a given function posts.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple

from phasa.feeds.rhythm import DAY, HOUR
from phasa.feeds.rows import FeedRow, Lease, Subscription
from phasa.feeds.store import FeedStore
from phasa.web.url import Url, parse

LEASE = 10 * DAY
# A lease is renewed when so much of it is left, and a request without an answer is repeated after so long.
RENEW_BEFORE = DAY
ASK_AGAIN = 6 * HOUR
# A hub that said no is asked again after so long.
SULK = 7 * DAY
# How often a feed with a lease is polled all the same.
SAFETY_GAP = DAY
LONGEST_LEASE = 365 * DAY

_METHODS = ("sha1", "sha256", "sha384", "sha512")

Poster = Callable[[str, Mapping[str, str]], Awaitable[int]]


class Reply(NamedTuple):
    """What the callback answers, and the feed whose document was delivered, if one was."""

    status: int
    text: str = ""
    feed: int | None = None


def signed_by(secret: str, body: bytes, header: str | None) -> bool:
    """Whether X-Hub-Signature (`method=hex`) fits the body. An unknown method or none at all does not."""
    method, _, claimed = (header or "").strip().partition("=")
    if method.lower() not in _METHODS:
        return False
    made = hmac.new(secret.encode(), body, method.lower()).hexdigest()
    return hmac.compare_digest(made.encode(), claimed.strip().lower().encode("utf-8", "surrogatepass"))


class Subscriber:
    """Subscriptions of one store. `base` is the public address under which the callback is reached."""

    def __init__(self, store: FeedStore, base: str, post: Poster) -> None:
        self._store = store
        self._base = base.rstrip("/")
        self._post = post

    async def renew(self, now: float) -> int:
        """Subscribe to what names a hub and has no lease, or one that ends soon; how many hubs were asked."""
        asked = 0
        for feed in self._store.feeds():
            if feed.retired or not feed.hub or parse(feed.hub) is None:
                continue
            known = self._store.subscription(feed.id)
            if known is not None and now < _ask_at(known, feed):
                continue
            await self._ask(feed, known, now)
            asked += 1
        return asked

    async def _ask(self, feed: FeedRow, known: Subscription | None, now: float) -> None:
        same = known is not None and known.hub == feed.hub and known.topic == (feed.topic or feed.url)
        token = known.token if known is not None and same else secrets.token_urlsafe(24)
        secret = known.secret if known is not None and same else secrets.token_urlsafe(32)
        expires = known.expires if known is not None and same else 0.0
        topic = feed.topic or feed.url
        # Written down before the hub is asked: it may ask back before its answer is here.
        wish = Subscription(feed.id, feed.hub, topic, token, secret, Lease.ASKED, now, expires, "")
        self._store.subscribe(wish)
        form = {
            "hub.mode": "subscribe", "hub.topic": topic, "hub.callback": f"{self._base}/{token}",
            "hub.secret": secret, "hub.lease_seconds": str(LEASE),
        }  # fmt: skip
        status = await self._post(str(Url(feed.hub)), form)
        if not 200 <= status < 300:
            current = self._store.subscription(feed.id)
            if current is not None and current.state is Lease.ASKED:
                said = f"the hub said {status}" if status else "no answer from the hub"
                self._store.subscribe(current.with_state(Lease.REFUSED, current.expires, said))

    def verify(self, token: str, asked: Mapping[str, str], now: float) -> Reply:
        """The hub asks whether we meant it (GET): its challenge back when we did, else 404."""
        known = self._store.subscription_of(token)
        if known is None or asked.get("hub.topic") != known.topic:
            return Reply(404)
        mode = asked.get("hub.mode", "")
        if mode == "denied":
            self._store.subscribe(known.with_state(Lease.REFUSED, 0.0, asked.get("hub.reason", "denied")[:200]))
            return Reply(200)
        challenge = asked.get("hub.challenge", "")
        if mode != "subscribe" or not challenge or known.state is Lease.REFUSED:
            return Reply(404)
        given = asked.get("hub.lease_seconds", "")
        lease = min(float(given[:12]), float(LONGEST_LEASE)) if given.isascii() and given.isdigit() else float(LEASE)
        self._store.subscribe(known.with_state(Lease.ACTIVE, now + lease, f"lease of {lease / DAY:.1f} days"))
        return Reply(200, challenge)

    def deliver(self, token: str, signature: str | None, body: bytes, now: float) -> Reply:
        """The hub posts the document. One with a wrong signature is thrown away, without telling (§8 of the text)."""
        known = self._store.subscription_of(token)
        if known is None:
            return Reply(404)
        if known.expires < now:
            return Reply(410)
        return Reply(202, feed=known.feed if signed_by(known.secret, body, signature) else None)


def _ask_at(known: Subscription, feed: FeedRow) -> float:
    """The moment from which the hub is to be asked (again)."""
    if known.hub != feed.hub or known.topic != (feed.topic or feed.url):
        return 0.0
    if known.state is Lease.REFUSED:
        return known.asked + SULK
    if known.state is Lease.ASKED:
        return known.asked + ASK_AGAIN
    lease = known.expires - known.asked
    return known.expires - min(float(RENEW_BEFORE), lease / 4.0)
