"""Which frontier a collection has: frontier.db in its folder, or a PostgreSQL server that the settings name.

The one door to both. PostgreSQL's parts are imported only when a collection names a server.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from phasa.collection import Collection
from phasa.errors import InputError
from phasa.extras import needs_extra
from phasa.frontier.outbox import Journal
from phasa.frontier.reader import FrontierReader
from phasa.frontier.rules import Rules
from phasa.frontier.sqlite import ALONE, Partition, SqliteFrontier
from phasa.frontier.stored import StoredFrontier, nothing
from phasa.settings import write_setting

NEEDS = "a frontier in PostgreSQL"


class Membership(NamedTuple):
    """Which worker opens a frontier. `epoch`: the process that started it, whose frontier it is; None when it is this
    one's own. `fleet`: one of a fleet, whose other workers come and go; `lifetime`: seconds without a sign of life
    after which they take it for lost."""

    partition: Partition = ALONE
    epoch: int | None = None
    fleet: bool = False
    lifetime: float = 30.0


def is_served(collection: Collection) -> bool:
    """Whether the frontier is on a server."""
    return bool(collection.settings.frontier)


def is_begun(collection: Collection) -> bool:
    """Whether the collection was ever crawled, as far as is known without a look at it."""
    return is_served(collection) or collection.frontier_file.exists()


def frontier_name(collection: Collection) -> str:
    """What the frontier is called in messages."""
    if not is_served(collection):
        return str(collection.frontier_file)
    with needs_extra("cluster", NEEDS):
        from phasa.frontier.postgres.address import parse_address
    return parse_address(collection.settings.frontier).shown


def read_frontier(collection: Collection) -> FrontierReader:
    """For questions from outside the crawl. Raises CollectionError when it cannot be read."""
    if not is_served(collection):
        return FrontierReader(collection.frontier_file)
    with needs_extra("cluster", NEEDS):
        from phasa.frontier.postgres.reader import PostgresReader
    return PostgresReader(collection.settings.frontier)


def open_frontier(
    collection: Collection,
    rules: Rules,
    member: Membership | None = None,
    *,
    before_commit: Callable[[], None] = nothing,
    journal: Journal | None = None,
) -> StoredFrontier:
    """For a crawl, or to change something. Raises CollectionError when it cannot be used."""
    member = member or Membership()
    if not is_served(collection):
        return SqliteFrontier(
            collection.frontier_file,
            rules,
            partition=member.partition,
            before_commit=before_commit,
            journal=journal,
            epoch=member.epoch,
        )
    with needs_extra("cluster", NEEDS):
        from phasa.frontier.postgres.frontier import Member, PostgresFrontier
    return PostgresFrontier(
        collection.settings.frontier,
        rules,
        member=Member(
            place_of(collection.path, fleet=member.fleet),
            member.partition.worker,
            member.partition.workers,
            shared=member.fleet or member.epoch is not None,
            lifetime=member.lifetime,
        ),
        before_commit=before_commit,
        journal=journal,
    )


def place_of(folder: Path, *, fleet: bool = False) -> str:
    """The name of a folder on this machine among the workers: two lives at one place come one after the other."""
    from phasa.frontier.postgres.members import place_of

    return place_of(folder) + (" (fleet)" if fleet else "")


def move_frontier(
    collection: Collection, to: str, *, drop: bool = False, show: Callable[[float, float | None], None]
) -> int:
    """Move the frontier to the server of an address, or with `sqlite` into frontier.db, and change the settings; how
    many URLs. The caller holds the lock. Raises CollectionError, with nothing changed, when it cannot be moved."""
    with needs_extra("cluster", NEEDS):
        from phasa.frontier.postgres.move import drop_moved, move_to_file, move_to_server
    file, place = collection.frontier_file, place_of(collection.path)
    if to == "sqlite":
        address = collection.settings.frontier
        if not address:
            raise InputError(f"{collection.path}: the frontier is in {file} already")
        urls = move_to_file(address, file, place, show)
        write_setting(collection.settings_file, "frontier", "")
        if drop:
            drop_moved(address)
        return urls
    if is_served(collection):
        raise InputError(f"{collection.path}: the frontier is on a server already; move it to sqlite first")
    if not file.exists():
        raise InputError(f'{collection.path}: nothing to move; write the setting frontier = "{to}" and crawl')
    urls = move_to_server(file, to, place, show)
    write_setting(collection.settings_file, "frontier", to)
    file.replace(file.with_name(f"{file.name}.moved"))
    for left in (f"{file.name}-wal", f"{file.name}-shm", f"{file.name}.seal"):
        file.with_name(left).unlink(missing_ok=True)
    return urls
