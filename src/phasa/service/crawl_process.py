"""Crawls that are started from the application: processes of their own, that go on when the application is closed."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time

from phasa.collection import Collection
from phasa.crawl.run.control import give_orders
from phasa.crawl.run.status import is_running
from phasa.service.section import Conflict

OUTPUT = "crawl-output.txt"
STARTS_WITHIN = 15.0

_logger = logging.getLogger(__name__)


def start_crawl(collection: Collection, *, pages: int | None = None) -> None:
    """Start a crawl and wait until it works. Raises Conflict when one runs already, or when it cannot start."""
    if is_running(collection):
        raise Conflict("a crawl is running already")
    give_orders(collection, paused=False)
    collection.reports_folder.mkdir(exist_ok=True)
    words = [sys.executable, "-m", "phasa", "crawl", str(collection.path.resolve()), "--quiet"]
    if pages is not None:
        words += ["--pages", str(pages)]
    # The child finds the same modules as we do, however we were started.
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    with (collection.reports_folder / OUTPUT).open("wb") as output:
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )
    _logger.info("%s: crawl started as process %d", collection.path, process.pid)
    until = time.monotonic() + STARTS_WITHIN
    while time.monotonic() < until:
        if process.poll() is not None:
            if process.returncode:
                raise Conflict(f"the crawl did not start: {last_words(collection) or 'it said nothing'}")
            return
        if is_running(collection):
            _reap_later(process)
            return
        time.sleep(0.05)
    _reap_later(process)


def stop_crawl(collection: Collection) -> None:
    """End the crawl that runs, in good order. Raises Conflict when none does."""
    if not is_running(collection):
        raise Conflict("no crawl is running")
    give_orders(collection, stop=time.time())


def last_words(collection: Collection) -> str:
    """What the crawl that was started here printed last."""
    try:
        text = (collection.reports_folder / OUTPUT).read_bytes()[-4000:].decode("utf-8", "replace")
    except OSError:
        return ""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].removeprefix("phasa: ") if lines else ""


def _reap_later(process: subprocess.Popen[bytes]) -> None:
    """Nobody must remain a zombie because we were not looking."""
    threading.Thread(target=process.wait, name="crawl", daemon=True).start()
