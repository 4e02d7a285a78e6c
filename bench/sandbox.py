"""What the sandbox costs a crawl: processor time of the crawl with all its processes, beside the same crawl that reads
pages in its own process, in alternating runs on the web of `bench/crawl.py`.

    python bench/sandbox.py [--pages 2000] [--pairs 3] [--strategy hybrid]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import ParamSpec, TypeVar

sys.path.insert(0, str(Path(__file__).parent))

P = ParamSpec("P")
T = TypeVar("T")


class Here:
    """In place of the pool: every call is made in this process."""

    async def __aenter__(self) -> Here:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None

    async def call_for(self, host: str, function: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        return function(*args, **options)

    def cost(self, host: str) -> float:
        return 0.0


def run_here(pages: int, port: int, strategy: str) -> dict[str, float]:
    import crawl  # type: ignore[import-not-found, unused-ignore]
    from phasa.crawl.run import process

    process.pool_of = lambda settings: Here()  # type: ignore[assignment, attr-defined, return-value]
    found: dict[str, float] = crawl.run_phasa(pages, port, strategy, profile=False)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--strategy", default="hybrid")
    parser.add_argument("--here", type=int, default=0, metavar="PORT", help="crawl without the sandbox (for itself)")
    arguments = parser.parse_args()
    if arguments.here:
        print(json.dumps(run_here(arguments.pages, arguments.here, arguments.strategy)))
        return
    import crawl  # type: ignore[import-not-found, unused-ignore]

    pages = ["--pages", str(arguments.pages)]
    script = crawl.__file__
    server = subprocess.Popen([sys.executable, script, "serve", *pages], stdout=subprocess.PIPE, text=True)
    costs: dict[str, list[float]] = {"sandbox": [], "in process": []}
    try:
        assert server.stdout is not None
        port = server.stdout.readline().strip()
        more = [*pages, "--strategy", arguments.strategy]
        words = {"sandbox": [script, "phasa", "--port", port, *more], "in process": [__file__, "--here", port, *more]}
        for _ in range(arguments.pairs):
            for name, command in words.items():
                done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=True)
                row = json.loads(done.stdout.splitlines()[-1])
                costs[name].append(1000 * row["cpu"] / row["pages"])
                print(
                    f"{name:<12} {row['pages']:>7,.0f} pages {row['cpu']:>7.2f} CPU s {row['wall']:>7.2f} s", flush=True
                )
    finally:
        server.terminate()
        server.wait()
    ours, theirs = median(costs["sandbox"]), median(costs["in process"])
    print(f"CPU ms a page: {ours:.2f} in the sandbox, {theirs:.2f} in process: {ours / theirs - 1:+.1%}")


if __name__ == "__main__":
    main()
