"""How a crawl goes, in numbers: what the progress bar, metrics.json and the Prometheus file show."""

from __future__ import annotations

from collections import Counter, deque
from pathlib import Path

import msgspec

from phasa.frontier.protocol import Stats


class Metrics(msgspec.Struct, frozen=True, kw_only=True):
    """One reading. Totals are over all runs of the collection, rates over this run."""

    time: float
    seconds: float
    fetches: int
    pages: int
    wanted: int
    harvest: float
    """Share of all judged pages that are wanted (specs/language-specific-crawling.md Eq. 16)."""
    harvest_last_100: float
    pages_per_second: float
    words_per_megabyte: float
    megabytes: float
    queue: int
    leased: int
    done: int
    dropped: int
    quarantined: int
    hosts: int
    ready_hosts: int
    resting_hosts: int
    seconds_left: float | None
    """Until the page limit, at the present rate; absent without a limit."""
    outcomes: dict[str, int]
    paused: bool = False
    """Nothing is leased until somebody says so (crawl/run/control.py)."""
    coverage: None = None
    """Not measurable on the live web, where nobody knows how many wanted pages there are."""


class Meter:
    """Counts what one run does."""

    def __init__(self, started: float, limit: int = 0) -> None:
        self.started = started
        self.limit = limit
        self.paused = False
        self.fetches = 0
        self.pages = 0
        self.wanted = 0
        self.bytes = 0
        self.outcomes: Counter[str] = Counter()
        self._last: deque[bool] = deque(maxlen=100)

    def fetched(self, outcome: str, size: int) -> None:
        self.fetches += 1
        self.bytes += size
        self.outcomes[outcome] += 1

    def judged(self, wanted: bool) -> None:
        self.pages += 1
        self.wanted += wanted
        self._last.append(wanted)

    def read(self, now: float, stats: Stats) -> Metrics:
        """The numbers of this moment."""
        seconds = max(1e-9, now - self.started)
        rate = self.fetches / seconds
        left = (self.limit - stats.done) / rate if self.limit and self.fetches else None
        return Metrics(
            time=round(now, 3),
            seconds=round(seconds, 3),
            fetches=self.fetches,
            pages=stats.judged,
            wanted=stats.wanted,
            harvest=stats.wanted / stats.judged if stats.judged else 0.0,
            harvest_last_100=sum(self._last) / len(self._last) if self._last else 0.0,
            pages_per_second=rate,
            words_per_megabyte=stats.words / (stats.bytes / 1e6) if stats.bytes else 0.0,
            megabytes=stats.bytes / 1e6,
            queue=stats.waiting,
            leased=stats.leased,
            done=stats.done,
            dropped=stats.dropped,
            quarantined=stats.quarantined,
            hosts=stats.hosts,
            ready_hosts=stats.ready_hosts,
            resting_hosts=stats.resting_hosts,
            seconds_left=left,
            outcomes=dict(self.outcomes.most_common()),
            paused=self.paused,
        )


def write_metrics(metrics: Metrics, folder: Path) -> None:
    """metrics.json and metrics.prom (Prometheus text format) in a folder; each is replaced as a whole."""
    _replace(folder / "metrics.json", msgspec.json.format(msgspec.json.encode(metrics), indent=2) + b"\n")
    _replace(folder / "metrics.prom", prometheus(metrics).encode())


def prometheus(metrics: Metrics) -> str:
    """The numbers in the Prometheus text format, for a node exporter's textfile collector."""
    lines = []
    for name, value in msgspec.structs.asdict(metrics).items():
        if isinstance(value, (int, float)):
            kind = "counter" if name in ("fetches", "pages", "wanted", "done", "dropped") else "gauge"
            lines += [f"# TYPE phasa_{name} {kind}", f"phasa_{name} {+value}"]
    lines.append("# TYPE phasa_outcomes counter")
    lines += [f'phasa_outcomes{{outcome="{_label(name)}"}} {count}' for name, count in metrics.outcomes.items()]
    return "\n".join(lines) + "\n"


def _label(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _replace(path: Path, content: bytes) -> None:
    beside = path.with_name(path.name + ".new")
    beside.write_bytes(content)
    beside.replace(path)
