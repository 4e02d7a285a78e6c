"""Fetch and read everything that a hostile server has, then say what became of it and how much memory it took.

    python -m tests.hostile.victim PORT PATH…    →  one JSON object

Runs in a process of its own, so that the server's memory is not counted.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path

from phasa.web.fetch import Fetcher
from phasa.web.html import read_page
from phasa.web.limits import Limits
from phasa.web.robots import parse as parse_robots
from phasa.web.sitemap import listed
from phasa.web.url import Url

# The default sizes; only the clocks run faster.
LIMITS = Limits(
    connect_seconds=5,
    first_byte_seconds=1,
    read_seconds=1,
    total_seconds=20,
    rate_after_seconds=1,
    bytes_per_second=50,
)


def _peak_megabytes() -> int:
    """Most memory of this program itself; getrusage would also count that of the process it was forked from."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM"))


async def main(port: int, paths: list[str]) -> None:
    outcomes: dict[str, list[object]] = {}
    async with Fetcher(LIMITS, "phasa/victim", allow_private=True) as fetcher:
        for path in paths:
            began = time.monotonic()
            address = Url(f"http://127.0.0.1:{port}{path}")
            exchange = await fetcher.fetch(address)
            page = read_page(exchange.body, exchange.final_url, limits=LIMITS)
            parse_robots(exchange.body)
            outcomes[path] = [exchange.outcome, exchange.status, len(page.links), round(time.monotonic() - began, 2)]
            listed(exchange.body, exchange.final_url, LIMITS)
    peak = _peak_megabytes()
    print(json.dumps({"outcomes": outcomes, "megabytes": peak}))


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), sys.argv[2:]))
