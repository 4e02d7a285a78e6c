"""A long crawl against a served world: memory, open files, disk and pace over time, as a table and a picture.

    python bench/soak.py [--pages 1000000] [--world 1:1300000] [--strategy hybrid] [--every 10]
                         [--folder DIR] [--csv FILE] [--picture FILE.svg]

The server and `phasa crawl` are processes of their own; the crawl has the settings of a new collection for a server on
this machine. Memory is the proportional set size of the crawl with all its processes; the pace is pages per second, and
per second of processor time of the crawl, which other work on the machine disturbs less.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, fields
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Sample:
    seconds: float
    pages: int
    cpu: float
    memory_mb: float
    files: int
    frontier_mb: float
    archive_mb: float


def family(pid: int) -> list[int]:
    """A process and all that descend from it."""
    found = [pid]
    for one in found:
        try:
            for task in Path(f"/proc/{one}/task").iterdir():
                found += map(int, (task / "children").read_text().split())
        except OSError:  # ended meanwhile
            continue
    return found


def memory(pids: list[int]) -> float:
    total = 0
    for pid in pids:
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
    return total / 1024


def cpu_seconds(pids: list[int]) -> float:
    """Of these, and of their children that have ended."""
    total = 0
    for pid in pids:
        try:
            after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(map(int, after_name[11:15]))
    return total / TICKS


def open_files(pid: int) -> int:
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return 0


def size(*paths: Path) -> float:
    total = 0
    for path in paths:
        for file in path.rglob("*") if path.is_dir() else [path]:
            try:
                total += file.stat().st_size
            except OSError:
                continue
    return total / MEGABYTE


class LogCount:
    """Pages in crawl.log, read on from where the last look ended."""

    def __init__(self, file: Path) -> None:
        self._file, self._at, self._rest, self.pages = file, 0, b"", 0

    def look(self) -> int:
        if self._file.exists():
            with self._file.open("rb") as log:
                log.seek(self._at)
                while block := log.read(MEGABYTE):
                    self._at += len(block)
                    *lines, self._rest = (self._rest + block).split(b"\n")
                    self.pages += sum(line.split(b" ", 2)[1:2] == [b"200"] for line in lines)
        return self.pages


def watch(crawl: subprocess.Popen[str], folder: Path, every: float) -> list[Sample]:
    samples: list[Sample] = []
    log, begun = LogCount(folder / "crawl.log"), time.monotonic()
    while True:
        try:
            crawl.wait(every)
        except subprocess.TimeoutExpired:
            pids = family(crawl.pid)
            frontier = size(*folder.glob("frontier*"))
            samples.append(
                Sample(
                    time.monotonic() - begun,
                    log.look(),
                    cpu_seconds(pids),
                    memory(pids),
                    open_files(crawl.pid),
                    frontier,
                    size(folder / "archive"),
                )
            )
            now = samples[-1]
            if len(samples) % 6 == 0:
                print(
                    f"{now.seconds:7.0f} s {now.pages:9,} pages {now.pages / (now.seconds or 1):6.0f}/s "
                    f"{now.pages / (now.cpu or 1):6.0f}/CPU s {now.memory_mb:6.0f} MB {now.files:5} files "
                    f"frontier {now.frontier_mb:7.0f} MB archive {now.archive_mb:7.0f} MB",
                    flush=True,
                )
            continue
        return samples


def picture(samples: list[Sample]) -> str:
    """Memory and pace over pages, one chart below the other."""
    from phasa.lab.chart import Chart, Series, draw

    pages = [sample.pages for sample in samples]
    span = max(1, len(samples) // 60)
    paced = [
        (later.pages, (later.pages - earlier.pages) / max(0.01, later.cpu - earlier.cpu))
        for earlier, later in zip(samples[::span], samples[span::span], strict=False)
    ]
    whole = Series("all processes", pages, [sample.memory_mb for sample in samples])
    charts = (
        Chart("Memory of a long crawl", "pages", "MB", [whole]),
        Chart(
            "Pace of a long crawl", "pages", "pages per CPU second",
            [Series("pages per CPU second", [x for x, _ in paced], [y for _, y in paced])],
        ),
    )  # fmt: skip
    height = 266
    placed = [
        draw(chart).replace("<svg ", f'<svg y="{height * place}" width="360" height="{height}" ', 1)
        for place, chart in enumerate(charts)
    ]
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 360 {height * len(charts)}" width="720">'
    return "\n".join([opening, *placed, "</svg>"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--world", default="", metavar="SEED:PAGES", help="default: 1.3 times the pages")
    parser.add_argument("--lang", default="th")
    parser.add_argument("--strategy", default="hybrid")
    parser.add_argument("--every", type=float, default=10.0, metavar="SECONDS")
    parser.add_argument("--folder", type=Path, help="where the collection is made and stays")
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    world = options.world or f"1:{int(options.pages * 1.3)}"
    phasa = [sys.executable, "-m", "phasa"]
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        seeds, made = folder / "seeds.txt", folder / "collection"
        folder.mkdir(parents=True, exist_ok=True)
        server = subprocess.Popen(
            [*phasa, "lab", "serve", world, "--lang", options.lang, "--port", "0", "--seeds", str(seeds)],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            assert server.stdout is not None
            address = server.stdout.readline().strip().rpartition("http://")[2].rstrip("/")
            init = [*phasa, "init", str(made), "--lang", options.lang, "--seeds", str(seeds), "--server", address]
            subprocess.run(init, check=True, stdout=subprocess.DEVNULL)
            words = ["--pages", str(options.pages), "--strategy", options.strategy, "-q", "--json"]
            crawl = subprocess.Popen([*phasa, "crawl", str(made), *words], stdout=subprocess.PIPE, text=True)
            samples = watch(crawl, made, options.every)
            assert crawl.stdout is not None
            told = crawl.stdout.read()
        finally:
            server.terminate()
            server.wait()
        print(told)
        if crawl.returncode or not samples:
            raise SystemExit(f"the crawl ended with exit code {crawl.returncode}")
        status = subprocess.run([*phasa, "status", str(made), "--json"], capture_output=True, text=True, check=False)
        print(json.dumps(json.loads(status.stdout))[:1500] if status.returncode == 0 else status.stderr)
    if options.csv:
        with options.csv.open("w", newline="") as file:
            writer = csv.DictWriter(file, [field.name for field in fields(Sample)])
            writer.writeheader()
            writer.writerows(asdict(sample) for sample in samples)
    if options.picture:
        options.picture.write_text(picture(samples), encoding="utf-8")
    last = samples[-1]
    print(
        f"{last.pages:,} pages in {last.seconds:,.0f} s, {last.cpu:,.0f} CPU s; memory at most "
        f"{max(sample.memory_mb for sample in samples):,.0f} MB, at the end {last.memory_mb:,.0f} MB; "
        f"files at most {max(sample.files for sample in samples):,}"
    )


if __name__ == "__main__":
    main()
