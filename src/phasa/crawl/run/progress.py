"""The progress of a crawl on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType

from rich.console import Console, RenderableType
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars
from rich.text import Text

from phasa.crawl.meter import Metrics

PAUSED = "the crawl is paused: nothing is fetched until you resume it (phasa crawl DIR --resume, or in phasa serve DIR)"


class _Lines(Bars):
    """The bar with the numbers below it: in one line they would be cut off on a terminal of 80 columns."""

    def get_renderables(self) -> Iterator[RenderableType]:
        yield from super().get_renderables()
        yield from (Text(task.fields["line"], style="bold") for task in self.tasks)


class Progress:
    """A bar on standard error while the block runs; `show` gives it new numbers."""

    def __init__(self, *, shown: bool, limit: int = 0) -> None:
        self._bars = _Lines(
            BarColumn(bar_width=20),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
            console=Console(stderr=True),
            disable=not shown,
            transient=True,
        )
        self._paused = False
        self._task = self._bars.add_task("", total=limit or None, line="starting", left="")

    def __enter__(self) -> Progress:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def show(self, metrics: Metrics) -> None:
        if metrics.paused != self._paused:
            self._paused = metrics.paused
            self._bars.console.print(PAUSED if metrics.paused else "the crawl goes on", highlight=False)
        left = "" if metrics.seconds_left is None else f"about {clock_face(metrics.seconds_left)} left"
        self._bars.update(self._task, completed=metrics.done, line=line(metrics), left=left)


def line(metrics: Metrics) -> str:
    """The numbers that matter while one waits."""
    m = metrics
    paused = "PAUSED  " if m.paused else ""
    return (
        f"{paused}{m.done:,} done  {m.pages_per_second or 0.0:.1f}/s  "
        f"harvest {m.harvest or 0.0:.1%} (last 100: {m.harvest_last_100 or 0.0:.0%})  "
        f"{m.words_per_megabyte or 0.0:,.0f} words/MB  {m.waiting:,} waiting  hosts {m.ready_hosts or 0:,} ready"
        f" {m.resting_hosts or 0:,} resting"
    )


def clock_face(seconds: float) -> str:
    """Seconds as h:mm:ss."""
    whole = max(0, round(seconds))
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"
