"""The frontier on disk: offers per second with dedup, resident memory and time per lease as the queue grows.

Offers come as crawls make them: pages of 50 links, three quarters of them to the page's own host, the rest to hosts of
a long-tailed distribution; one link in five was offered before. Every 100 waiting URLs there is one more host.

    python bench/frontier.py [--urls 10000000]
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from phasa.frontier.politeness import Politeness
from phasa.frontier.protocol import Ending, Offer, State, Visit
from phasa.frontier.rules import Rules
from phasa.frontier.sqlite import SqliteFrontier
from phasa.web.url import Url

LINKS = 50
BATCH = 64
LEASES = 800  # fewer than there are hosts: each gives one at a time


def resident_megabytes() -> float:
    """Memory of this process that is in use now."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    raise SystemExit("/proc/self/status has no VmRSS: this bench needs Linux")


def pages(seed: int) -> Iterator[list[Offer]]:
    """Pages of links without end; hosts grow with what was offered."""
    chance = random.Random(seed)
    offered = 0
    while True:
        hosts = max(10, offered // 100)
        own = chance.randrange(hosts)
        links = []
        for _ in range(LINKS):
            host = own if chance.random() < 0.75 else int(hosts * chance.random() ** 3)
            # A fifth of the links point into the small part of each host that is linked to again and again.
            path = chance.randrange(20) if chance.random() < 0.2 else chance.randrange(10**12)
            links.append(Offer(Url(f"http://www.host{host}.example/section/{path}/page.html"), chance.random(), 3))
        offered += LINKS
        yield links


def fill(frontier: SqliteFrontier, source: Iterator[list[Offer]], waiting: int) -> tuple[int, float, float]:
    """Offer until so many wait: (offers, CPU seconds, wall seconds), the making of the offers left out."""
    offers, cpu, wall = 0, 0.0, 0.0
    while frontier.stats().waiting < waiting:
        for _ in range(20):
            batch = [offer for _ in range(BATCH) for offer in next(source)]
            cpu0, wall0 = time.process_time(), time.perf_counter()
            frontier.offer(batch)
            cpu += time.process_time() - cpu0
            wall += time.perf_counter() - wall0
            offers += len(batch)
    return offers, cpu, wall


def lease_time(frontier: SqliteFrontier, clock: float) -> tuple[float, float]:
    """CPU microseconds per lease and per lease with its finish, as a crawl does them."""
    leasing = all_of_it = 0.0
    given = 0
    for _ in range(LEASES // 20):
        start = time.process_time()
        leases = frontier.lease(clock, n=20)
        leasing += time.process_time() - start
        given += len(leases)
        for lease in leases:
            frontier.finish(lease, Ending(State.DONE, "200", clock, 1.0, visit=Visit(clock, 200)))
        frontier.commit()
        all_of_it += time.process_time() - start
    return leasing / given * 1e6, all_of_it / given * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--urls", type=int, default=10_000_000, help="waiting URLs at the end")
    parser.add_argument("--folder", type=Path, default=None, help="where to put the file (default: temporary)")
    arguments = parser.parse_args()
    sizes = [size for size in (100_000, 1_000_000, 3_000_000, 10_000_000, 100_000_000) if size < arguments.urls]
    head = ("waiting", "offers/CPU s", "offers/s", "RSS MB", "lease us", "+finish us", "file MB")
    print("{:>12} {:>13} {:>10} {:>8} {:>9} {:>11} {:>8}".format(*head))
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        path = Path(folder) / "frontier.db"
        frontier = SqliteFrontier(path, Rules(manners=Politeness(delay=1.0)))
        source = pages(seed=1)
        clock = 1_000_000.0
        memories: list[float] = []
        times: list[float] = []
        for size in [*sizes, arguments.urls]:
            offers, cpu, wall = fill(frontier, source, size)
            clock += 10_000.0
            lease, both = lease_time(frontier, clock)
            memory = resident_megabytes()
            memories.append(memory)
            times.append(lease)
            row = (size, offers / cpu, offers / wall, memory, lease, both, path.stat().st_size / 1e6)
            print("{:>12,} {:>13,.0f} {:>10,.0f} {:>8.1f} {:>9.1f} {:>11.1f} {:>8.0f}".format(*row), flush=True)
        growth = f"memory {memories[-1] / memories[0] - 1:+.1%}, time per lease {times[-1] / times[0]:.2f}x"
        print(f"{growth}, from {sizes[0]:,} to {arguments.urls:,} waiting URLs")
        frontier.close()


if __name__ == "__main__":
    main()
