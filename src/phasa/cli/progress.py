"""Progress bars of long work, on standard error and only when somebody looks at it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


def counted(items: Iterable[T], total: int | None, label: str) -> Iterator[T]:
    """The items unchanged, with a bar that counts them."""
    with bar(label, total) as show:
        for done, item in enumerate(items, 1):
            yield item
            show(done, total)


@contextmanager
def bar(label: str, total: float | None = None) -> Iterator[Callable[[float, float | None], None]]:
    """A bar while the block runs; it is given a function that takes how much is done, of how much (None: not known)."""
    if not sys.stderr.isatty():
        yield lambda done, of: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(label, total=total)
        yield lambda done, of: progress.update(task, completed=done, total=of)
