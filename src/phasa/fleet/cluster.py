"""Joins a running Ray cluster, or starts one on this machine that outlives the command which started it."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec

from phasa.errors import CollectionError, PhasaError
from phasa.extras import needs_extra
from phasa.files import replace_file
from phasa.processes import is_alive

NAMESPACE = "phasa"
FILE = "fleet.json"
_START_SECONDS = 90.0


class Here(msgspec.Struct, frozen=True):
    """The cluster of this machine that a collection started: its address, and the process that keeps it."""

    address: str
    process: int


def ray(feature: str = "a fleet") -> Any:
    """The library, imported when the first command needs it; `feature` is what needs it. Raises ExtraError without."""
    os.environ.setdefault("RAY_DEDUP_LOGS", "1")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # nothing is told to anybody
    if _has_token():
        # Ray turns its tokens on by itself when it starts a cluster and one is there, but not when it joins one.
        os.environ.setdefault("RAY_AUTH_MODE", "token")
    with needs_extra("cluster", feature):
        import ray as library
    return library


def join(address: str) -> Any:
    """Connect this process to a cluster; the library. Raises CollectionError when there is none."""
    library = ray()
    if library.is_initialized():
        return library
    try:
        library.init(
            address=address,
            namespace=NAMESPACE,
            log_to_driver=False,
            logging_level=logging.ERROR,
            configure_logging=False,
        )
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as problem:
        why = " ".join(str(problem).split())[:200]
        raise CollectionError(
            f"{address}: no Ray cluster answers ({why}); start it with: ray start --head, or leave out the address"
        ) from None
    return library


def leave() -> None:
    library = ray()
    if library.is_initialized():
        library.shutdown()


def start_here(folder: Path) -> str:
    """A cluster of this machine alone for a collection, started when it does not run; its address."""
    if (running := found_here(folder)) is not None:
        return running.address
    _make_token()
    port = _free_port()
    log = (folder / "fleet.log").open("ab")
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--block", f"--port={port}"),
            *("--include-dashboard=false", "--disable-usage-stats", "--object-store-memory=100000000"),
            f"--num-cpus={max(os.cpu_count() or 1, 1)}",
        ],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        env={**os.environ, "RAY_USAGE_STATS_ENABLED": "0"},
    )
    # Ray knows a machine by its own address, never by that of the loopback.
    address = f"{ray().util.get_node_ip_address()}:{port}"
    until = time.monotonic() + _START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            join(address)
        except PhasaError:
            time.sleep(0.5)
            continue
        replace_file(folder / FILE, msgspec.json.encode(Here(address, process.pid)))
        return address
    process.terminate()
    raise CollectionError(f"{folder}: Ray did not start on this machine; {folder / 'fleet.log'} says why")


def found_here(folder: Path) -> Here | None:
    """The cluster that a collection started on this machine, while it runs."""
    try:
        here = msgspec.json.decode((folder / FILE).read_bytes(), type=Here)
    except (OSError, msgspec.DecodeError):
        return None
    return here if is_alive(here.process) else None


def stop_here(folder: Path) -> None:
    """End the cluster that a collection started on this machine."""
    here = found_here(folder)
    if here is not None:
        os.kill(here.process, signal.SIGTERM)
        until = time.monotonic() + 20.0
        while is_alive(here.process) and time.monotonic() < until:
            time.sleep(0.2)
    (folder / FILE).unlink(missing_ok=True)


def _has_token() -> bool:
    """Whether this user has a token for Ray: without it nobody on the network can use a cluster."""
    given = os.environ.get("RAY_AUTH_TOKEN") or os.environ.get("RAY_AUTH_TOKEN_PATH")
    return bool(given) or (Path.home() / ".ray" / "auth_token").is_file()


def _make_token() -> None:
    """A token of this user, when there is none and Ray was not told to do without."""
    if not _has_token() and os.environ.get("RAY_AUTH_MODE", "token") == "token":
        words = [sys.executable, "-m", "ray.scripts.scripts", "get-auth-token", "--generate"]
        subprocess.run(words, check=False, capture_output=True, timeout=_START_SECONDS)


def _free_port() -> int:
    import socket

    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
