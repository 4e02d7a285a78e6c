"""Start, status, scale and stop of a fleet: what the command `phasa fleet` does."""

from __future__ import annotations

import time
import uuid
from typing import Any

import msgspec

from phasa import __version__
from phasa.collection import Collection
from phasa.errors import CollectionError, SettingsError
from phasa.extras import needs_extra
from phasa.fleet.bundle import pack
from phasa.fleet.cluster import found_here, join, leave, start_here, stop_here
from phasa.fleet.job import Job
from phasa.fleet.supervisor import Supervisor, supervisor_name
from phasa.fleet.worker import WorkerState
from phasa.frontier.postgres.fleet_rows import FleetOrder, FleetRows, WorkerRow
from phasa.frontiers import NEEDS, place_of
from phasa.plugins import absolute


class FleetStatus(msgspec.Struct, frozen=True, kw_only=True):
    """A fleet at this moment. `workers` as the frontier knows them, `processes` as their actors do (none when the
    cluster does not answer, which `problem` says)."""

    order: FleetOrder
    left: int
    pages: int
    workers: list[WorkerRow]
    processes: list[WorkerState] = []
    problem: str = ""


def _rows(collection: Collection) -> FleetRows:
    address = collection.settings.frontier
    if not address:
        raise SettingsError(
            f"{collection.path}: a fleet needs a frontier on a server: phasa frontier move {collection.path} --to "
            "postgresql://…, or write the setting 'frontier' before the first crawl"
        )
    with needs_extra("cluster", NEEDS):
        return FleetRows(address)


def _none(collection: Collection) -> CollectionError:
    return CollectionError(f"{collection.path}: there is no fleet; start one: phasa fleet start {collection.path}")


def start(collection: Collection, *, workers: int | None = None, address: str | None = None) -> FleetStatus:
    """Start a fleet on the cluster of an address, of the settings, or of this machine alone. Raises CollectionError
    when there is one already."""
    settings = collection.settings
    with _rows(collection) as rows:
        wanted = settings.fleet.workers if workers is None else workers
        place = address if address is not None else settings.fleet.address
        order = FleetOrder(
            name=uuid.uuid4().hex[:8],
            workers=wanted,
            place=place_of(collection.path),
            phasa=__version__,
            started=time.time(),
        )
        rows.begin(order)
        try:
            cluster = place or start_here(collection.path)
            library = join(cluster)
            rows.change(cluster=cluster)
            _supervisor(library, collection, order)
        except BaseException:
            rows.change(stop=True, ended="it could not be started")
            raise
    return status(collection)


def _supervisor(library: Any, collection: Collection, order: FleetOrder) -> Any:
    settings = collection.settings
    strategy = absolute(settings.strategy, collection.path)
    job = Job(
        path=str(collection.path.resolve()),
        settings=msgspec.structs.replace(settings, strategy=strategy),
        number=-1,
        fleet=order.name,
    )
    actor = library.remote(Supervisor).options(
        name=supervisor_name(order.name),
        lifetime="detached",
        get_if_exists=True,
        max_restarts=-1,
        max_concurrency=4,
        num_cpus=0,
    )
    return actor.remote(msgspec.json.encode(job), pack(collection))


def status(collection: Collection) -> FleetStatus:
    """Raises CollectionError when there never was a fleet."""
    with _rows(collection) as rows:
        order = rows.order()
        if order is None:
            raise _none(collection)
        known = FleetStatus(order=order, left=rows.left(), pages=rows.pages(), workers=rows.workers())
        if order.ended or not order.cluster:
            return known
        try:
            library = join(order.cluster)
            packed = library.get(library.get_actor(supervisor_name(order.name)).states.remote(), timeout=20.0)
        except (CollectionError, ValueError) as problem:
            return msgspec.structs.replace(known, problem=" ".join(str(problem).split()))
        except library.exceptions.RayError as problem:
            return msgspec.structs.replace(known, problem=" ".join(str(problem).split())[:200])
        return msgspec.structs.replace(known, processes=msgspec.json.decode(packed, type=list[WorkerState]))


def scale(collection: Collection, workers: int) -> FleetOrder:
    """So many workers from now on: others start, or those with the highest numbers end in good order."""
    with _rows(collection) as rows:
        order = rows.order()
        if order is None or order.ended:
            raise _none(collection)
        return rows.change(workers=workers)


def stop(collection: Collection, *, seconds: float = 60.0) -> FleetOrder:
    """End a fleet in good order, or after so many seconds at once, and the cluster when it was started here for it."""
    with _rows(collection) as rows:
        order = rows.change(stop=True)
        until = time.monotonic() + seconds
        while rows.living() and not order.ended and time.monotonic() < until:
            time.sleep(0.3)
        if order.cluster:
            try:
                library = join(order.cluster)
                actor = library.get_actor(supervisor_name(order.name))
                library.get(actor.end.remote(), timeout=30.0)
                library.kill(actor)
            except (CollectionError, ValueError):  # the cluster is gone, or nothing of the fleet is left on it
                pass
        here = found_here(collection.path)
        if here is not None and here.address == order.cluster:
            leave()
            stop_here(collection.path)
        return rows.change(ended=order.ended or "stopped")
