"""Batch work on a Ray cluster: one file or one world a task, the same functions as on one machine.

A task whose process or machine dies is done again elsewhere; tasks commit what they write by a rename, so that twice is
as good as once. No page goes through Ray: tasks read files that every machine sees (a shared disk, or storage) and
write to a folder that every machine sees.
"""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from phasa import __version__
from phasa.errors import PhasaError
from phasa.fleet.cluster import ray as load_ray

T = TypeVar("T")
R = TypeVar("R")
RETRIES = 3
"""How often a task is done again whose process died."""
_CONNECT_SECONDS = 10.0
_OBJECTS = 100_000_000  # bytes of shared memory of a cluster that is started here; tasks return little


class ClusterError(PhasaError):
    """A cluster that cannot be reached, or that has other programs than this machine."""


class Cluster:
    """A Ray cluster that is ready for tasks."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self.cores = max(1, int(ray.cluster_resources().get("CPU", 1)))

    def each(self, job: Callable[[T], R], items: Sequence[T], workers: int = 0) -> Iterator[tuple[T, R]]:
        """Do the job for each item; items with their results, as they are done. `workers`: tasks at a time, 0: as
        many as the cluster has cores. Raises what a job raises; ClusterError when tasks die again and again."""
        for place, result in self._each(job, items, workers):
            yield items[place], result

    def in_order(self, job: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
        """The results of the same in the order of the items."""
        early: dict[int, R] = {}
        following = 0
        for place, result in self._each(job, items, 0):
            early[place] = result
            while following in early:
                yield early.pop(following)
                following += 1

    def _each(self, job: Callable[[T], R], items: Sequence[T], workers: int) -> Iterator[tuple[int, R]]:
        task = self._ray.remote(max_retries=RETRIES)(_do)
        rest = iter(enumerate(items))
        under_way: dict[Any, int] = {}
        try:
            while True:
                for place, item in rest:
                    under_way[task.remote(job, item, __version__)] = place
                    if len(under_way) >= (workers or 2 * self.cores):  # some more than can run, so that none waits
                        break
                if not under_way:
                    return
                ready, _ = self._ray.wait(list(under_way), num_returns=1)
                for one in ready:
                    yield under_way.pop(one), self._result(one)
        finally:
            for left in under_way:
                self._ray.cancel(left, force=True)

    def _result(self, reference: Any) -> Any:
        errors = self._ray.exceptions
        try:
            return self._ray.get(reference)
        except errors.RayTaskError as problem:
            cause = getattr(problem, "cause", None)
            raise (cause if isinstance(cause, Exception) else problem) from None
        except errors.RayError as problem:
            said = " ".join(str(problem).split())[:200]
            raise ClusterError(
                f"a task died {RETRIES + 1} times, perhaps for want of memory ({said}); give the same command again"
            ) from None


def _do(job: Callable[[Any], Any], item: Any, version: str) -> Any:
    """What a task does, on whichever machine."""
    if __version__ != version:
        raise ClusterError(f"a machine of the cluster has phasa {__version__}, this one {version}; make them the same")
    logging.getLogger("phasa").setLevel(logging.ERROR)  # what is passed over is told once, by the driver
    return job(item)


@contextmanager
def cluster(workers: int = 0) -> Iterator[Cluster]:
    """The cluster that RAY_ADDRESS names, or one that is started here, with so many cores (0: all), and ends with the
    block. Raises ClusterError when it cannot be reached, ExtraError without Ray."""
    ray = load_ray("--cluster")
    address = os.environ.get("RAY_ADDRESS", "")
    here: dict[str, Any] = {
        "num_cpus": workers or os.cpu_count() or 1, "object_store_memory": _OBJECTS, "include_dashboard": False
    }  # fmt: skip
    ours = not ray.is_initialized()
    if ours:
        _refuse_unreachable(address)
        try:
            quiet: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
            ray.init(address=address or "local", **quiet, **({} if address else here))
        except (ConnectionError, RuntimeError, ValueError, OSError) as problem:
            said = " ".join(str(problem).split())[:200]
            raise ClusterError(f"no Ray cluster at {address or 'this machine'}: {said}") from None
    try:
        yield Cluster(ray)
    finally:
        if ours:
            ray.shutdown()


def _refuse_unreachable(address: str) -> None:
    """Ray waits for minutes, and says much, when nobody listens. Raises ClusterError."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not port.isdecimal():  # none, `auto` or `local`: Ray looks for itself
        return
    try:
        socket.create_connection((host, int(port)), _CONNECT_SECONDS).close()
    except (OSError, OverflowError) as problem:
        raise ClusterError(f"no Ray cluster at {address} (RAY_ADDRESS): {problem}") from None
