"""Kills of what runs beside a crawl: the watch over feeds, and exports. What must hold after them is counted."""

from __future__ import annotations

import asyncio
import hashlib
import multiprocessing
import os
import random
import signal
import sqlite3
import time
from collections.abc import Callable
from email.utils import formatdate
from pathlib import Path
from typing import Any, NamedTuple

from aiohttp import web
from tests.durability.small_web import SmallWeb

from phasa.collection import Collection
from phasa.feeds.store import FeedStore

MODULES = [
    "phasa.feeds.daemon",
    "phasa.cli.export",
    "phasa.archive.text",
    "phasa.archive.wacz",
    "phasa.language.detectors.auto",
]
FORMATS = ("jsonl", "wacz")


def forked(target: Any, *arguments: Any) -> Any:
    """A process that has its modules already, and does what the command does."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(MODULES)
    child = context.Process(target=target, args=arguments)
    child.start()
    return child


def kill_after(child: Any, seconds: float) -> bool:
    """Whether it could be killed: it had not ended by then."""
    child.join(seconds)
    killed = child.exitcode is None
    if killed:
        os.kill(child.pid, signal.SIGKILL)
    child.join()
    return killed


# ── feeds ────────────────────────────────────────────────────────────────────────────────────────────


class FeedWeb(SmallWeb):
    """Feeds on hosts of their own, whose posts appear while time passes, until `stop`."""

    def __init__(self, feeds: int, every: float) -> None:
        super().__init__(feeds, feeds, self._feed)
        self.every = every
        self.begun = time.time()
        self.stopped = 0.0
        self.counts_answers = True

    def posts(self) -> int:
        """So many have appeared on each feed."""
        return 1 + int(((self.stopped or time.time()) - self.begun) / self.every)

    def _feed(self, host: str, path: str) -> web.Response:
        number = int(host.removeprefix("h").partition(".")[0])
        titles = [f"{number}-{k}" for k in range(self.posts())]
        items = "".join(
            f"<item><title>{title}</title><guid>{title}</guid><pubDate>{formatdate(self.begun + k)}</pubDate></item>"
            for k, title in enumerate(titles)
        )
        body = f"<rss version='2.0'><channel><title>{number}</title>{items}</channel></rss>".encode()
        return web.Response(body=body, headers={"ETag": f'"{hashlib.md5(body).hexdigest()}"'})


def watch(path: str, port: int, seconds: float) -> None:
    """`phasa feeds watch`, with a policy that polls each feed every tenth of a second."""
    from phasa.feeds import daemon
    from phasa.feeds.policy import Decision, SharedBudget

    class Quick(SharedBudget):
        def decide(self, feed: int, now: float) -> Decision:
            return super().decide(feed, now)._replace(at=now + 0.1)

    vars(daemon)["SharedBudget"] = Quick
    duties = daemon.Duties(per_day=1e7, spacing=0.0, seconds=seconds, crawl=False, join=False)
    asyncio.run(daemon.keep_watch(Path(path), duties, lambda *_: None, lambda _: None))


class FeedToll(NamedTuple):
    """What kills of the watch have cost. Everything but `asked_again` must be 0."""

    kills: int = 0
    posts: int = 0
    lost: int = 0
    twice: int = 0
    broken: int = 0
    answered: int = 0
    asked_again: int = 0

    def __add__(self, other: object) -> FeedToll:
        assert isinstance(other, FeedToll)
        return FeedToll(*(one + two for one, two in zip(self, other, strict=True)))


def feeds_life(collection: Collection, small: FeedWeb, dice: random.Random, kills: int, seconds: float) -> FeedToll:
    """Kill the watch so many times, let it go on undisturbed, and count."""
    with FeedStore(collection.path / "feeds.db") as store:
        for number in range(small.hosts):
            store.add(f"http://h{number}.example/feed", time.time())
    for _ in range(kills):
        child, before = forked(watch, str(collection.path), small.port, 600.0), len(small.answered)
        if dice.random() < 0.75:  # while it polls; else at any moment from its start on
            _until(lambda: len(small.answered) > before)  # noqa: B023 - called here and now
        assert kill_after(child, dice.uniform(0.0, seconds))
    small.stopped = time.time()
    before = len(small.answered)
    last = forked(watch, str(collection.path), small.port, 600.0)
    _until(lambda: len(small.answered) >= before + 3 * small.hosts)
    os.kill(last.pid, signal.SIGTERM)
    last.join(60.0)
    assert last.exitcode == 0
    db = sqlite3.connect(collection.path / "feeds.db")
    rows = [title for (title,) in db.execute("SELECT title FROM post")]
    polls = db.execute("SELECT count(*) FROM poll").fetchone()[0]
    broken = db.execute("PRAGMA integrity_check").fetchone()[0] != "ok"
    db.close()
    wanted = {f"{feed}-{k}" for feed in range(small.hosts) for k in range(small.posts())}
    return FeedToll(
        kills=kills,
        posts=len(wanted),
        lost=len(wanted - set(rows)),
        twice=len(rows) - len(set(rows)),
        broken=int(broken),
        answered=len(small.answered),
        asked_again=max(0, len(small.answered) - polls),
    )


def _until(ready: Callable[[], bool], seconds: float = 120.0) -> None:
    ends = time.monotonic() + seconds
    while not ready() and time.monotonic() < ends:
        time.sleep(0.02)


# ── exports ──────────────────────────────────────────────────────────────────────────────────────────


def export(path: str, to: str, out: str) -> None:
    """`phasa export`."""
    from phasa.cli.export import Format
    from phasa.cli.export import export as command

    command(Path(path), Format(to), Path(out))


def whole_content(path: Path, to: str) -> str:
    """What an export holds, by a digest; a WACZ file by its members without the time that it was made at."""
    if to == "jsonl":
        return hashlib.sha256(path.read_bytes()).hexdigest()
    import zipfile

    with zipfile.ZipFile(path) as bundle:
        assert bundle.testzip() is None
        return str(
            sorted(
                (member.filename, member.CRC) for member in bundle.infolist() if "datapackage" not in member.filename
            )
        )


class ExportToll(NamedTuple):
    """What kills of an export have cost. `partial` are files under the final name that are not whole."""

    kills: int = 0
    whole: int = 0
    partial: int = 0
    archive_changed: int = 0


def exports_killed(collection: Collection, dice: random.Random, kills: int) -> ExportToll:
    """Kill exports so many times, each at a moment of its own; then let one of each form end, and compare."""
    reference: dict[str, str] = {}
    length: dict[str, float] = {}
    folder = collection.path.parent
    for to in FORMATS:
        begun = time.monotonic()
        child = forked(export, str(collection.path), to, str(folder / f"good.{to}"))
        child.join()
        assert child.exitcode == 0
        reference[to], length[to] = whole_content(folder / f"good.{to}", to), time.monotonic() - begun
    archive = _archive(collection)
    done = whole = partial = 0
    while done < kills:
        to = dice.choice(FORMATS)
        out = folder / f"killed.{to}"
        out.unlink(missing_ok=True)
        if not kill_after(forked(export, str(collection.path), to, str(out)), dice.uniform(0.05, 1.0) * length[to]):
            continue
        done += 1
        if out.exists():
            try:
                good = whole_content(out, to) == reference[to]
            except Exception:  # noqa: BLE001 - a file that cannot be read is not whole
                good = False
            whole, partial = whole + good, partial + (not good)
    for to in FORMATS:
        child = forked(export, str(collection.path), to, str(folder / f"after.{to}"))
        child.join()
        assert whole_content(folder / f"after.{to}", to) == reference[to]
    return ExportToll(done, whole, partial, int(_archive(collection) != archive))


def _archive(collection: Collection) -> dict[str, str]:
    files = sorted(collection.archive_folder.glob("*.warc.gz")) + sorted(collection.archive_folder.glob("*.cdxj"))
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
