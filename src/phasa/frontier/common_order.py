"""What the workers of one crawl tell each other, so that together they are as choosy as one (`phasa.crawl.chooser`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from phasa.frontier.protocol import ANY

Seen = tuple[float, bool]
"""A link that was asked for: its priority, and whether it brought a wanted page."""


class Report(NamedTuple):
    """What one worker says of itself."""

    seen: Sequence[Seen]
    """What came since it reported last."""
    asked: int
    """Requests that went out since then."""
    earned: float
    """Allowance that it earned since then, less what it paid."""
    out: int
    """Requests that are out and waited for."""
    best: float
    """The priority of the best link that it may ask for before long."""


class Others(NamedTuple):
    """What the other workers reported, added up."""

    seen: Sequence[Seen] = ()
    """What came to them since this worker asked last."""
    asked: int = 0
    """Requests of theirs that went out since then."""
    out: int = 0
    """Requests that they wait for."""
    best: float = ANY
    """The best of their links."""
    saved: float = 0.0
    """The allowance of all workers together, this one as well."""
    number: int = 0
    """How many they are."""


class CommonOrder(Protocol):
    """Where the workers of a crawl report to each other."""

    rest: float
    """Seconds from one report of any worker to the next, at least."""

    def report(self, mine: Report, most: float) -> Others:
        """Leave a report, and read those of the others; no more than `most` is ever saved up. A worker that was not
        heard for long is not counted."""
        ...

    def leave(self) -> None:
        """Be counted no more: this worker has ended."""
        ...


KEPT = 512
"""Links that a worker's row keeps for the others; who does not ask for longer than they last has missed some."""


class Row(NamedTuple):
    """What one worker has said in all: its requests and its answers are counted up, and the last answers kept."""

    life: str
    """A name that each life of a worker has for itself: its counts begin anew."""
    asked: int
    came: int
    seen: Sequence[Seen]
    out: int
    best: float

    def after(self, mine: Report) -> Row:
        """The row after another report."""
        seen = [*self.seen, *mine.seen][-KEPT:]
        return Row(self.life, self.asked + mine.asked, self.came + len(mine.seen), seen, mine.out, mine.best)


NO_WORDS: tuple[int, int, tuple[Seen, ...], int, float] = (0, 0, (), 0, ANY)
"""A row, but for its life, before the first report."""


class Hearing:
    """What one worker has heard of the others so far."""

    def __init__(self) -> None:
        self._heard: dict[int, tuple[str, int, int]] = {}

    def missing(self, worker: int, life: str, came: int) -> int:
        """How many of the last answers of a worker are new, when so many came to it."""
        before = self._heard.get(worker)
        return came - before[2] if before is not None and before[0] == life else came

    def hear(self, rows: Mapping[int, Row], saved: float) -> Others:
        """What is new in the rows of the others."""
        seen: list[Seen] = []
        asked = 0
        for worker, row in rows.items():
            life, requests, _ = self._heard.get(worker, (row.life, row.asked, 0))
            seen += row.seen[max(0, len(row.seen) - self.missing(worker, row.life, row.came)) :]
            asked += row.asked - requests if life == row.life else row.asked
            self._heard[worker] = row.life, row.asked, row.came
        best = max((row.best for row in rows.values()), default=ANY)
        return Others(seen, asked, sum(row.out for row in rows.values()), best, saved, len(rows))
