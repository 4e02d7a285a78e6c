"""Hands new posts to webhooks: signed, in order, at least once, again and again until the receiver takes them.

A delivery is a POST of the post as JSON with the headers `X-Phasa-Post` (its number: a receiver that has seen it passes
it over) and `X-Phasa-Signature: sha256=HMAC` of the body under the hook's secret. Any 2xx is taken for received.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
from collections.abc import Awaitable, Callable

import aiohttp
import msgspec

from phasa.feeds.outbox import Hook, Outbox
from phasa.feeds.rhythm import HOUR
from phasa.feeds.rows import ShownPost

log = logging.getLogger(__name__)

# Seconds between two tries: the first, doubled each time up to the longest.
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 300.0
AT_ONCE = 50
TIMEOUT = 20.0

Send = Callable[[Hook, ShownPost], Awaitable[str]]
"""Sends a post to a hook; "" when it was taken, else what went wrong."""


def signature(secret: str, body: bytes) -> str:
    """What a receiver computes itself to know that the post comes from here."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def sender(session: aiohttp.ClientSession, user_agent: str) -> Send:
    """Sends over HTTP. The owner of the collection chose the address, so it may be a private one."""

    async def send(hook: Hook, post: ShownPost) -> str:
        body = msgspec.json.encode(post)
        headers = {
            "User-Agent": user_agent, "Content-Type": "application/json", "X-Phasa-Post": str(post.number),
            "X-Phasa-Signature": signature(hook.secret, body),
        }  # fmt: skip
        try:
            async with asyncio.timeout(TIMEOUT), session.post(hook.url, data=body, headers=headers) as answer:
                return "" if 200 <= answer.status < 300 else f"status {answer.status}"
        except TimeoutError:
            return "no answer in time"
        except (aiohttp.ClientError, OSError, ValueError) as problem:
            return f"no answer: {problem}"[:200]

    return send


async def hand_over(outbox: Outbox, send: Send, now: Callable[[], float], patience_hours: float) -> int:
    """Send what is due to every hook, each in its order; how many posts were taken."""
    return sum(await asyncio.gather(*(_serve(outbox, hook, send, now, patience_hours) for hook in outbox.hooks())))


async def _serve(outbox: Outbox, hook: Hook, send: Send, now: Callable[[], float], patience_hours: float) -> int:
    taken = 0
    if hook.next_try > now():
        return taken
    for post in outbox.following(hook, AT_ONCE):
        trouble = await send(hook, post)
        if not trouble:
            outbox.delivered(hook, post.number)
            hook = msgspec.structs.replace(hook, attempts=0, first_try=0.0)
            taken += 1
        elif hook.first_try and now() - hook.first_try > patience_hours * HOUR:
            log.warning("%s: post %d given up after %d tries: %s", hook.url, post.number, hook.attempts + 1, trouble)
            outbox.bury(hook, post.number, now(), trouble)
            hook = msgspec.structs.replace(hook, attempts=0, first_try=0.0)
        else:
            pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(hook.attempts, 30))
            outbox.failed(hook, now(), now() + pause, trouble)
            log.info("%s: post %d not taken (%s), again in %.0f s", hook.url, post.number, trouble, pause)
            break
    return taken
