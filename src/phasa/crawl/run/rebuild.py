"""The frontier made again from the archive, when it is damaged or lost.

The stored answers are settled again in the order of their time, as if they came now: judged, their links scored and
offered. What only the frontier knew is lost: URLs that were dropped without an answer (robots.txt, no such host) wait
again, priorities that were learned later are as the strategy gives them now, and what feeds or people offered is known
only when it was fetched, or is in seeds.txt.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from phasa.archive.capture import ArchiveError
from phasa.archive.damage import noted
from phasa.archive.reader import positions
from phasa.archive.shelf import warc_files
from phasa.collection import Collection
from phasa.crawl.answer import Answer
from phasa.crawl.judge import Judgement
from phasa.crawl.live import LiveWeb
from phasa.crawl.meter import Meter
from phasa.crawl.run.assembly import judge_of, pool_of, requisites_of, rules_of, strategy_of, word_counter
from phasa.crawl.run.control import plant_fresh
from phasa.crawl.run.recall import Recalled, RecallFetcher
from phasa.crawl.seeds import read_seeds
from phasa.crawl.settle import Parts, Settler
from phasa.errors import BrokenPartError, CollectionError
from phasa.frontier.outbox import Unsettled
from phasa.frontier.protocol import Lease, Offer
from phasa.frontier.sqlite import SqliteFrontier
from phasa.frontiers import frontier_name, is_served
from phasa.web.url import parse
from phasa.web.url import path as url_path


class _RecordClock:
    """Stands at the time of the record that is being read."""

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        return self.time

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        raise AssertionError("nothing waits while a frontier is made again")


class _Kept:
    """The archive of a rebuild: what is settled stands there already."""

    record = ""

    def keep(self, answer: Answer, judgement: Judgement | None) -> str:
        return self.record


def rebuild_frontier(collection: Collection) -> int:
    """Make frontier.db again; the old one is kept as frontier.db.damaged. How many URLs are done. Raises
    CollectionError when there is no archive to make it from."""
    if is_served(collection):
        raise CollectionError(
            f"{frontier_name(collection)}: a frontier on a server comes back from a backup of the server; to begin "
            "again from the archive, leave out the setting 'frontier', repair, and move it: phasa frontier move"
        )
    folder = collection.archive_folder
    if not any(warc_files(folder)):
        raise CollectionError(f"{folder}: no WARC file to make a frontier from; begin anew with: phasa crawl")
    file = collection.frontier_file
    if file.is_dir():
        raise CollectionError(f"{file}: is a folder; move it away first")
    fresh = file.with_name(f"{file.name}.new")
    _remove(fresh)
    done = asyncio.run(_fill(collection, fresh))
    if file.exists():
        file.replace(file.with_name(f"{file.name}.damaged"))
    _remove(file)
    fresh.replace(file)
    return done


def _give_up(why: str) -> None:
    raise BrokenPartError(why)


async def _fill(collection: Collection, file: Path) -> int:
    settings, folder = collection.settings, collection.archive_folder
    profile = collection.profile
    strategy, clock, archive = strategy_of(collection, profile), _RecordClock(), _Kept()
    frontier = SqliteFrontier(file, rules_of(collection, strategy))
    try:
        plant_fresh(frontier, strategy, read_seeds(collection.path / collection.SEEDS).seeds)
        fetcher = _Records(settings.limits)
        async with pool_of(settings) as pool:
            web = LiveWeb(
                fetcher,
                pool,
                settings.limits,
                agent="",
                language=profile.code,
                scope=settings.scope,
                requisites=settings.archive.requisites,
            )
            judge, requisites = judge_of(collection, profile), requisites_of(collection, frontier, 1)
            parts = Parts(web, judge, strategy, frontier, clock, archive, requisites=requisites)
            words = word_counter(profile)
            settler = Settler(
                parts, Meter(0.0), lambda priority, wanted: None, settings.politeness, words, stop=_give_up
            )
            with noted():  # told by who looks through the archive
                for path in warc_files(folder):
                    for offset, _, stored in positions(path):
                        archive.record, clock.time = f"{path.name}:{offset}", stored.time.timestamp()
                        if (lease := _lease(frontier, stored.url, clock.time)) is None:
                            continue
                        fetcher.recalled = Recalled(folder, [Unsettled(lease.url, archive.record)])
                        try:
                            settler.settle([(lease, await web.get(lease))])
                        except ArchiveError:  # a body that is damaged, or was cut when it came: asked for again
                            frontier.hold(lease, 0.0)
        frontier.commit()
        return frontier.stats().done
    finally:
        frontier.close()


class _Records(RecallFetcher):
    """Answers from records and nothing else. Raises ArchiveError for what cannot be had from one."""

    only_recalled = True


def _lease(frontier: SqliteFrontier, address: str, now: float) -> Lease | None:
    """The lease of a URL that was fetched once; None when it is settled, or was fetched for another one's sake."""
    url = parse(address)
    if url is None or url_path(url) == "/robots.txt":
        return None
    if frontier.states([url])[0] is None:
        frontier.commit()  # it may be a link of the last pages
        if frontier.states([url])[0] is None:
            frontier.offer([Offer(url)])
    return frontier.lease_url(url, now)


def _remove(file: Path) -> None:
    for name in (file.name, f"{file.name}-wal", f"{file.name}-shm", f"{file.name}.seal"):
        (file.parent / name).unlink(missing_ok=True)
