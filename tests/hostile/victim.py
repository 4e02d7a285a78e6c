"""Fetch and read everything that a hostile server has, then say what became of it and how much memory it took.

    python -m tests.hostile.victim PORT PATH…    →  one JSON object

Runs in a process of its own, so that the server's memory is not counted.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import time

from phasa.web.fetch import Fetcher
from phasa.web.html import read_page
from phasa.web.limits import Limits
from phasa.web.robots import parse as parse_robots
from phasa.web.sitemap import walk
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
        start = Url(f"http://127.0.0.1:{port}/sitemap.xml")
        entries = [entry async for entry in walk([start], fetcher.fetch, files=50)]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({"outcomes": outcomes, "entries": len(entries), "megabytes": peak}))


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), sys.argv[2:]))
