"""The segments of a collection in numbers, read beside a crawl that may be running: nothing here writes.

Pages, wanted pages and waiting addresses are counted in the frontier, whatever the strategy. What only a crawl by
segments knows (its state, who recommends it) is read from what that strategy saved last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import islice

import msgspec

from phasa.collection import Collection
from phasa.crawl.segments.identifier import key_by
from phasa.crawl.segments.segment import Segment
from phasa.frontier.protocol import State
from phasa.frontier.reader import FrontierReader, SeenUrl
from phasa.frontiers import read_frontier

_BY_SEGMENT = ("segment", "best-segment")
MOST_READ = 500
"""Addresses that one row is counted from: a directory may hold a million, and who looks at it must not wait."""


class SegmentRow(msgspec.Struct, frozen=True, kw_only=True):
    """One segment."""

    segment: str
    state: str
    """As the strategy has it (queued, crawling, done, abandoned by rule S, discarded by rule D); 'open' or 'done' by
    whether something waits when the strategy keeps no segments."""
    degree: float | None
    """Relevance degree: wanted pages ÷ judged pages; None before the first."""
    pages: int
    wanted: int
    pending: int
    score: float | None = None
    """score(y) of Eq. 8, where the strategy has one."""
    run: int | None = None
    """Irrelevant segments in a row up to and with this one (rule D)."""
    part: bool = False
    """Whether it was counted from a part of the segment, as it is large."""

    @property
    def summary(self) -> str:
        """One line for people."""
        degree = "no page judged yet" if self.degree is None else f"relevance degree {self.degree:.2f}"
        counted = f" among its first {MOST_READ:,} addresses" if self.part else ""
        return f"{self.segment}: {self.state}, {degree}, {self.pages} pages, {self.pending} waiting{counted}"


class _Count(msgspec.Struct):
    """What the frontier has of one segment."""

    pages: int = 0
    wanted: int = 0
    pending: int = 0


class _Kept(msgspec.Struct):
    """The part of a saved strategy state that is needed here."""

    segments: dict[str, Segment]


def segment_table(collection: Collection, limit: int = 20) -> list[SegmentRow]:
    """The segments with most wanted pages first; `limit` -1 gives all."""
    key_of = key_by(collection.settings.strategies.segment.directories)
    with read_frontier(collection) as frontier:
        rows = _rows(frontier.seen_urls(), _kept(collection), key_of)
    rows.sort(key=lambda row: (-row.wanted, -row.pages, -row.pending, row.segment))
    return rows if limit < 0 else rows[:limit]


def segment_row(collection: Collection, url: str, frontier: FrontierReader | None = None) -> SegmentRow | None:
    """The segment of an address; None when nothing of it was ever seen. `frontier`: a reader that is open already.
    Counted from the first `MOST_READ` addresses that begin like it; None, too, when none of those is in it."""
    key_of = key_by(collection.settings.strategies.segment.directories)
    key = key_of(url)
    if not key:
        return None
    if frontier is None:
        with read_frontier(collection) as opened:
            return segment_row(collection, url, opened)
    # The prefix says too much: what lies below the segment, too, and all URLs of the host with a user name in them.
    read = list(islice(frontier.seen_urls_under(key.rstrip("/")), MOST_READ + 1))
    part = len(read) > MOST_READ
    found = [seen for seen in read[:MOST_READ] if key_of(seen.url) == key]
    rows = _rows(found, _kept(collection), key_of)
    return msgspec.structs.replace(rows[0], part=part) if rows else None


def _rows(found: Iterable[SeenUrl], kept: dict[str, Segment], key_of: Callable[[str], str]) -> list[SegmentRow]:
    counts: dict[str, _Count] = {}
    for url, state, wanted in found:
        count = counts.setdefault(key_of(url), _Count())
        if wanted is not None and state is State.DONE:
            count.pages += 1
            count.wanted += wanted
        count.pending += state is State.WAITING
    return [_row(key, count, kept.get(key)) for key, count in counts.items() if key]


def _row(key: str, count: _Count, known: Segment | None) -> SegmentRow:
    state = known.phase.value if known is not None else "open" if count.pending else "done"
    return SegmentRow(
        segment=key,
        state=state,
        degree=count.wanted / count.pages if count.pages else None,
        pages=count.pages,
        wanted=count.wanted,
        pending=count.pending,
        score=known.score if known is not None and known.sources else None,
        run=known.run if known is not None and known.closed else None,
    )


def _kept(collection: Collection) -> dict[str, Segment]:
    """What strategies by segment saved, the latest last; empty when none ran or nothing was saved yet."""
    found: dict[str, Segment] = {}
    files = [path for name in _BY_SEGMENT for path in collection.models_folder.glob(f"{name}*.state")]
    with suppress(OSError):
        files.sort(key=lambda path: path.stat().st_mtime)
    for path in files:
        with suppress(OSError, msgspec.MsgspecError):
            found.update(msgspec.msgpack.decode(path.read_bytes(), type=_Kept).segments)
    return found
