"""How many of the addresses that wait are wanted: an estimate from some of them, drawn by chance and fetched first.

What a crawl fetched says little about what it has left for later, because it took the best first. So some addresses are
drawn among all that wait (sample.json); a crawl fetches them next, like any others, and writes down what came
(reports/estimate.json). Each was as likely to be drawn as any, so the share of them that is wanted is that of all.
"""

from __future__ import annotations

import logging
import math
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta

from phasa.collection import Collection
from phasa.errors import InputError
from phasa.files import replace_file
from phasa.frontier.protocol import Frontier, State, Story
from phasa.frontiers import read_frontier
from phasa.web.url import Url

SAMPLE = "sample.json"
ESTIMATE = "estimate.json"
USUAL = 200
MOST = 5_000
_SURE = 1.96  # standard deviations: 95 % sure

T = TypeVar("T")
_logger = logging.getLogger(__name__)


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """Addresses drawn among all that waited at a moment and had never been fetched."""

    drawn: float
    waiting: int
    urls: Annotated[list[str], Meta(max_length=MOST)]


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """What a sample says of all that waited when it was drawn. Bounds are 95 % sure; addresses of the sample that were
    not fetched yet count as not wanted in the lower one and as wanted in the upper one."""

    drawn: float
    waiting: int
    """Addresses that waited then."""
    asked: int
    """Addresses of the sample."""
    open: int
    """Those of them that still wait."""
    wanted: int
    """Those of them that were wanted pages."""
    share: float
    """Wanted ones among those that were fetched."""
    pages: int
    """Wanted pages among all that waited."""
    at_least: int
    at_most: int


def draw_sample(collection: Collection, size: int = USUAL) -> Sample:
    """Draw anew; a running crawl fetches them within a minute or so, the next run otherwise. Raises InputError when
    nothing waits, or for a size that cannot be."""
    if not 1 <= size <= MOST:
        raise InputError(f"a sample has 1 to {MOST:,} addresses, not {size:,}")
    chance = random.SystemRandom()
    with read_frontier(collection) as frontier:
        waiting = frontier.totals().waiting
        # More than are asked for, of which as many are taken: chance may bring a few less than expected.
        part = min(1.0, (3 * size + 100) / max(waiting, 1))
        found = frontier.some_waiting(part, chance.randrange(1 << 32))
    if not found:
        raise InputError(f"{collection.path}: nothing waits that was not fetched before")
    urls = chance.sample(found, min(size, len(found)))
    sample = Sample(drawn=time.time(), waiting=len(found) if part == 1.0 else waiting, urls=urls)
    replace_file(collection.path / SAMPLE, msgspec.json.encode(sample))
    _write(collection, _estimate(sample, 0, len(urls)))
    return sample


def read_estimate(collection: Collection) -> Estimate | None:
    """The estimate as it stands; None when nothing was drawn."""
    return _read(collection.reports_folder / ESTIMATE, Estimate)


class Sampling:
    """The sample of a running crawl: sees to it that its addresses come next, and writes down what came of them.
    `writes`: this process does (one of several workers)."""

    def __init__(self, collection: Collection, *, writes: bool = True) -> None:
        self._collection = collection
        self._writes = writes
        self._sample: Sample | None = None
        self._open: list[Url] = []
        self._wanted = 0

    def heard(self) -> None:
        """A sample was drawn."""
        self._sample = _read(self._collection.path / SAMPLE, Sample)
        self._open = [Url(url) for url in self._sample.urls] if self._sample is not None else []
        self._wanted = 0

    def look(self, frontier: Frontier) -> None:
        """Let those come next that still wait, and count those that came."""
        if self._sample is None or not self._open:
            return
        states = frontier.states(self._open)
        waits = [url for url, state in zip(self._open, states, strict=True) if state is State.WAITING]
        out = [url for url, state in zip(self._open, states, strict=True) if state is State.LEASED]
        # Before all others, and by no more: a strategy may pass by whatever is far below the best.
        # While every host is being asked nothing can be leased, and there is no best: they stay where they are.
        if math.isfinite(best := frontier.best(math.inf)):
            first = math.nextafter(best, math.inf)
            frontier.reprioritise([(url, first) for url in waits])
        if len(waits) + len(out) == len(self._open):
            return
        still = {*waits, *out}
        self._wanted += _wanted_of(frontier.story, [url for url in self._open if url not in still])
        self._open = [url for url in self._open if url in still]
        if self._writes:
            _write(self._collection, _estimate(self._sample, self._wanted, len(self._open)))


def _wanted_of(story: Callable[[Url], Story | None], urls: Sequence[Url]) -> int:
    visits = [told.visit for url in urls if (told := story(url)) is not None]
    return sum(visit is not None and bool(visit.wanted) for visit in visits)


def _estimate(sample: Sample, wanted: int, still: int) -> Estimate:
    asked, waiting = len(sample.urls), sample.waiting
    if asked == waiting:  # nothing is left to chance
        low, high = wanted / asked, (wanted + still) / asked
    else:
        low, high = _bounds(wanted, asked)[0], _bounds(wanted + still, asked)[1]
    share = wanted / (asked - still) if asked > still else 0.0
    return Estimate(
        drawn=sample.drawn,
        waiting=waiting,
        asked=asked,
        open=still,
        wanted=wanted,
        share=share,
        pages=round(share * waiting),
        at_least=max(wanted, math.floor(low * waiting)),
        at_most=min(waiting, math.ceil(high * waiting)),
    )


def _bounds(hits: int, of: int) -> tuple[float, float]:
    """Wilson's interval for a share."""
    share, square = hits / of, _SURE**2
    middle = share + square / (2 * of)
    half = _SURE * math.sqrt(share * (1 - share) / of + square / (4 * of * of))
    return max(0.0, (middle - half) / (1 + square / of)), min(1.0, (middle + half) / (1 + square / of))


def _write(collection: Collection, estimate: Estimate) -> None:
    collection.reports_folder.mkdir(exist_ok=True)
    replace_file(collection.reports_folder / ESTIMATE, msgspec.json.encode(estimate))


def _read(path: Path, kind: type[T]) -> T | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError) as problem:
        _logger.warning("%s: cannot be used (%s); draw again: phasa estimate --draw", path, problem)
        return None
