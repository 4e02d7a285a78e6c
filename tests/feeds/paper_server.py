"""A server of paper and a clock that only moves when somebody waits: the daemon's whole world in tests."""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from email.utils import formatdate
from pathlib import Path

from phasa.feeds.clock import Clock
from phasa.feeds.policies import Policies
from phasa.feeds.policy import Rules
from phasa.feeds.store import FeedStore
from phasa.feeds.watch import Watcher
from phasa.web.exchange import Exchange, Hop
from phasa.web.url import Url


class VirtualClock(Clock):
    longest = 86400.0

    def __init__(self, now: float) -> None:
        self.moment = now

    def now(self) -> float:
        return self.moment

    async def wait(self, seconds: float, stop: asyncio.Event) -> None:
        self.moment += max(seconds, 0.001)


@dataclass(frozen=True)
class Request:
    url: str
    at: float
    etag: str | None
    modified: str | None


@dataclass
class PaperServer:
    """Answers by address: a document (with an ETag, so 304 when it is asked for), a status, or a whole Exchange."""

    pages: dict[str, bytes | int | Exchange] = field(default_factory=dict)
    headers: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    redirects: dict[str, tuple[int, str]] = field(default_factory=dict)
    clock: Clock | None = None
    requests: list[Request] = field(default_factory=list)

    async def fetch(
        self,
        address: Url,
        etag: str | None = None,
        modified: str | None = None,
        *,
        validated: Url | None = None,
        inflated: bool = True,
    ) -> Exchange:
        now = self.clock.now() if self.clock else 0.0
        self.requests.append(Request(str(address), now, etag, modified))
        hops: list[Hop] = []
        target = str(address)
        while target in self.redirects:
            status, following = self.redirects[target]
            hops.append(Hop(url=Url(target), status=status))
            target = following
        page = self.pages[target]
        extra = self.headers.get(target, ())
        if isinstance(page, Exchange):
            return page
        if isinstance(page, int):
            return Exchange(url=address, final_url=Url(target), status=page, outcome="ok", headers=extra)
        tag = f'"{hashlib.sha256(page).hexdigest()[:8]}"'
        if etag == tag and target == (validated or address):
            return Exchange(
                url=address, final_url=Url(target), status=304, outcome="not_modified", headers=(("ETag", tag), *extra),
                redirects=tuple(hops),
            )  # fmt: skip
        return Exchange(
            url=address, final_url=Url(target), status=200, outcome="ok", headers=(("ETag", tag), *extra), body=page,
            redirects=tuple(hops),
        )  # fmt: skip


def document(posts: list[tuple[str, float]], channel: str = "") -> bytes:
    """An RSS document of posts (title, Unix time)."""
    items = "".join(
        f"<item><title>{title}</title><link>http://a.example/{title.replace(' ', '-')}</link><guid>{title}</guid>"
        f"<description>about it</description><pubDate>{formatdate(at, usegmt=True)}</pubDate></item>"
        for title, at in posts
    )
    return f"<rss version='2.0'><channel><title>paper</title>{channel}{items}</channel></rss>".encode()


def watcher(store: FeedStore, server: PaperServer, clock: VirtualClock, per_day: float) -> Watcher:
    server.clock = clock
    return Watcher(store, server, Policies(Rules(per_day), clock.now(), store), clock=clock, at_once=1, spacing=0.0)


def sound(path: Path) -> bool:
    """Whether a database is intact."""
    with closing(sqlite3.connect(path)) as db:
        return bool(db.execute("PRAGMA integrity_check").fetchone()[0] == "ok")
