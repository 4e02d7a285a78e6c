"""A crawl among hostile servers: 150 hosts that misbehave, each in another way, beside 20 good ones, on the loopback.

Prints peak memory of the crawl with all its processes (PSS: what they share is counted once), the pace of the good
hosts beside that without hostile ones, and for every misbehaviour what became of it. The servers are those of
`tests/hostile` (more than 145 behaviours).

    python bench/hostile.py [--hosts 150] [--bombs] [--kind /silence] [--seconds 40] [--asks 30] [--tolerance 1]

The settings are those of a user, but for shorter clocks. By themselves they find that hostile hosts have nothing that
is wanted, and hardly ask them; `--tolerance 1` asks whatever may be asked. `--bombs` makes every hostile host send a
bomb of ten megabytes, all at once; `--kind` makes all of them misbehave in that way.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from phasa.collection import Collection

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

GOOD = 20
BOMBS = ("/gzip-bomb", "/brotli-bomb", "/zstd-bomb", "/nested-bomb", "/endless")
THAI = "ภาษา ไทย ข่าว วันนี้ ประเทศ รัฐบาล ประชาชน การศึกษา มหาวิทยาลัย นักเรียน โรงเรียน ครู หนังสือ"
WORDS = THAI.split()


def hostile_seeds(count: int, bombs: bool, port: int, kind: str = "") -> dict[str, str]:
    """Names of misbehaviours and where they are, each on a host of its own."""
    from tests.hostile import static
    from tests.hostile.server import MISDEEDS

    kinds = (kind,) if kind else BOMBS if bombs else ()
    if kinds:
        chosen = [kinds[number % len(kinds)] for number in range(count)]
        return {f"{n} {kind}": f"http://127.0.2.{n + 1}:{port}{kind}" for n, kind in enumerate(chosen)}
    paths = [path for path in sorted(MISDEEDS) if path not in ("/to", "/loop/again")]
    seeds = {path: f"http://127.0.2.{number + 1}:{port}{path}" for number, path in enumerate(paths)}
    seeds |= {f"robots {name}": f"http://127.0.3.{n + 1}:{port}/p/0" for n, name in enumerate(static.ROBOTS)}
    chosen = random.Random(1).sample(sorted(seeds), min(count, len(seeds)))
    return {name: seeds[name] for name in chosen}


async def serve(kind: str) -> None:
    """Good hosts (127.0.1.x: a page that leads to the next), or hostile ones (127.0.2.x, 127.0.3.x)."""
    from tests.hostile import server as module
    from tests.hostile import static
    from tests.hostile.server import Caller, HostileServer

    dice = random.Random(1)
    texts = ["".join(f"<p>{''.join(dice.choices(WORDS, k=40))}</p>" for _ in range(40)) for _ in range(50)]

    async def fine(caller: Caller) -> None:
        number = int(caller.target.rpartition("/")[2]) if caller.target.startswith("/p/") else 0
        page = f"<title>{number}</title>{texts[number % 50]}{'ก' * (number % 97)}<a href=/p/{number + 1}>ต่อไป</a>"
        await caller.answer(page.encode())

    if kind == "good":
        module._fine = fine
    async with HostileServer(pause=0.5, listen="0.0.0.0") as server:
        server.robots = {f"127.0.1.{number + 1}": b"" for number in range(GOOD)}
        server.robots |= {f"127.0.3.{number + 1}": rules for number, rules in enumerate(static.ROBOTS.values())}
        print(server.port, flush=True)
        await asyncio.sleep(3600)


def collection_for(
    folder: Path, port: int, hostile: dict[str, str], asks: int, delay: float = 1.0, **changes: float
) -> Collection:
    """A collection as a user makes it, but for shorter clocks and `changes`. Every hostile URL is asked for `asks`
    times, and leads nowhere else: what is measured is harm, not who has more links."""
    import msgspec

    from phasa.collection import Collection
    from phasa.frontier.budgets import Budgets
    from phasa.frontier.politeness import Politeness
    from phasa.frontier.scope import ScopeSettings
    from phasa.settings import write_settings
    from phasa.web.limits import Limits

    made = Collection.create(folder, language="th")
    good = [f"http://127.0.1.{number + 1}:{port}/p/0" for number in range(GOOD)]
    settings = msgspec.structs.replace(
        made.settings,
        allow_private=True,
        scope=ScopeSettings(patterns=(r"//127\.0\.1\.", "again=")),
        politeness=Politeness(delay=delay, address_delay=0.0, tries=2, backoff=0.5, backoff_limit=1.0),
        budgets=Budgets(free_disk_megabytes=0.0),
        limits=Limits(connect_seconds=5, first_byte_seconds=3, read_seconds=3, total_seconds=20, rate_after_seconds=2),
        **changes,
    )
    made.settings_file.write_text(write_settings(settings))
    again = [f"{url}?again={number}" for number in range(asks) for url in hostile.values()]
    (made.path / Collection.SEEDS).write_text("\n".join([*good, *again]) + "\n")
    return Collection(made.path, settings)


def crawl(port: int, hostile: dict[str, str], seconds: float, asks: int, **changes: float) -> dict[str, object]:
    """Run the command in a process of its own; its memory is looked at ten times a second."""
    with tempfile.TemporaryDirectory() as folder:
        made = collection_for(Path(folder) / "c", port, hostile, asks, **changes)
        process = subprocess.Popen(
            [sys.executable, "-m", "phasa", "crawl", str(made.path)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        peak: list[float] = []
        end = time.monotonic() + seconds
        while process.poll() is None:
            peak = max(peak, family_megabytes(process.pid), key=sum)
            time.sleep(0.1)
            if time.monotonic() > end:
                process.send_signal(signal.SIGINT)  # as a user ends a crawl; a limit of time would change its choices
                end += 3600
        errors = process.stderr.read().decode()[-500:] if process.stderr else ""
        rows = outcomes(made, hostile)
        return {
            "peak_mb": f"{sum(peak):.0f} ({' + '.join(f'{size:.0f}' for size in peak)})",
            "good_pages": good_pages(made.log_file),
            "pace": round(pace(made.log_file), 1),
            "exit": process.returncode,
            "errors": errors if process.returncode else "",
            "rows": rows,
        }


def family_megabytes(pid: int) -> list[float]:
    """Memory of a process and of each below it; what they share is counted once."""
    sizes, todo = [], [pid]
    while todo:
        one = todo.pop()
        try:
            rolled = Path(f"/proc/{one}/smaps_rollup").read_text()
            sizes.append(next(int(line.split()[1]) for line in rolled.splitlines() if line.startswith("Pss:")) / 1024)
            for task in Path(f"/proc/{one}/task").iterdir():
                todo += map(int, (task / "children").read_text().split())
        except (OSError, StopIteration):
            continue
    return sizes


def good_pages(log: Path) -> int:
    return sum("//127.0.1." in line for line in log.read_text().splitlines()) if log.exists() else 0


def pace(log: Path) -> float:
    """Pages of good hosts a second, from the first to the last of them."""
    from phasa.crawl.run.crawl_log import read_log

    rows = [row for row in read_log(log) if "//127.0.1." in row.url]
    times = [datetime.fromisoformat(row.time).timestamp() for row in rows]
    return (len(times) - 1) / (max(times) - min(times)) if len(times) > 1 else 0.0


def outcomes(collection: Collection, hostile: dict[str, str]) -> list[tuple[str, str, str, float]]:
    """Name, state, reason and bytes of each misbehaviour, as `phasa why` tells them."""
    from phasa.crawl.run.explain import explain

    rows = []
    for name, url in hostile.items():
        story = explain(collection, f"{url}?again=0")
        rows.append((name, story.state, story.why[:70], float(story.bytes or 0)))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("role", nargs="?", default="both", choices=("both", "good", "bad"))
    parser.add_argument("--hosts", type=int, default=150, help="hostile hosts")
    parser.add_argument("--seconds", type=float, default=40.0, help="length of each crawl")
    parser.add_argument("--asks", type=int, default=30, help="times that each hostile URL is asked for")
    parser.add_argument("--delay", type=float, default=1.0, help="seconds between two requests to one host")
    parser.add_argument("--tolerance", type=float, default=0.01, help="1 asks whatever may be asked")
    parser.add_argument("--kind", default="", help="one misbehaviour for all hostile hosts, by its path")
    parser.add_argument("--bombs", action="store_true", help="every hostile host sends a bomb")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if arguments.role != "both":
        asyncio.run(serve(arguments.role))
        return
    words = [sys.executable, __file__]
    servers = [
        subprocess.Popen([*words, kind], stdout=subprocess.PIPE, text=True, cwd=ROOT) for kind in ("good", "bad")
    ]
    try:
        good, bad = (int(server.stdout.readline()) for server in servers if server.stdout is not None)
        changes = {"delay": arguments.delay, "tolerance": arguments.tolerance}
        alone = crawl(good, {}, arguments.seconds / 2, 0, **changes)
        seeds = hostile_seeds(arguments.hosts, arguments.bombs, bad, arguments.kind)
        beside = crawl(good, seeds, arguments.seconds, arguments.asks, **changes)
    finally:
        for server in servers:
            server.kill()
            server.wait()
    if arguments.json:
        print(json.dumps({"alone": alone, "beside": beside}, ensure_ascii=False))
        return
    rows: list[tuple[str, str, str, float]] = beside["rows"]  # type: ignore[assignment]
    for name, state, why, size in rows:
        print(f"{name:<32} {state:<10} {size:>12,.0f}  {why}")
    print(Counter(state for _, state, _, _ in rows))
    for name, run in (("none hostile", alone), (f"{len(rows)} hostile", beside)):
        pages, second, peak = run["good_pages"], run["pace"], run["peak_mb"]
        print(f"{name:<16} good pages {pages:>6}, a second {second:>6}, peak {peak} MB, exit {run['exit']}")
    print(f"pace of the good hosts: {beside['pace'] / max(alone['pace'], 0.1):.0%}")  # type: ignore[call-overload]


if __name__ == "__main__":
    main()
