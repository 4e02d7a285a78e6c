"""The segments of a collection in numbers, read beside a crawl that may be running: nothing here writes.

Pages, wanted pages and waiting addresses are counted in the frontier, whatever the strategy. What only a crawl by
segments knows (its state, who recommends it) is read from what that strategy saved last.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

import msgspec

from phasa.collection import Collection
from phasa.crawl.run.status import has_begun, reading
from phasa.crawl.segments.identifier import key_of
from phasa.crawl.segments.segment import Segment
from phasa.frontier.index import ids_of_host

_WAITING, _DONE = 0, 1
_BY_SEGMENT = ("segment", "best-segment")
_ROWS = "SELECT u.url, u.state, v.wanted FROM url u LEFT JOIN visit v ON v.id = u.id"


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

    @property
    def told(self) -> str:
        """One line for people."""
        degree = "no page judged yet" if self.degree is None else f"relevance degree {self.degree:.2f}"
        return f"{self.segment}: {self.state}, {degree}, {self.pages} pages, {self.pending} waiting"


class _Count(msgspec.Struct):
    """What the frontier has of one segment."""

    pages: int = 0
    wanted: int = 0
    pending: int = 0


class _Kept(msgspec.Struct):
    """The part of a saved strategy state that is needed here."""

    segments: dict[str, Segment]


def table(collection: Collection, limit: int = 20) -> list[SegmentRow]:
    """The segments with most wanted pages first; `limit` -1 gives all."""
    if not has_begun(collection):
        return []
    with reading(collection) as db:
        rows = _rows(db.execute(_ROWS), _kept(collection))
    rows.sort(key=lambda row: (-row.wanted, -row.pages, -row.pending, row.segment))
    return rows if limit < 0 else rows[:limit]


def segment_row(collection: Collection, url: str) -> SegmentRow | None:
    """The segment of an address; None when nothing of it was ever seen."""
    key = key_of(url)
    if not key or not has_begun(collection):
        return None
    with reading(collection) as db:
        # By the index of the host; what a running crawl has not merged into it yet stands at the end of the table. The
        # addresses of a segment begin with its key, unless somebody's name and password stand in them.
        numbers = db.execute("SELECT id FROM host WHERE name = ?", (key.split("/", 3)[2],)).fetchone()
        number = int(numbers[0]) if numbers else -1
        merged = db.execute("SELECT min(value) FROM meta WHERE key LIKE 'merged %'").fetchone()[0] or 0
        known = ids_of_host(db, number)
        here = "AND (substr(u.url, 1, length(?1)) = ?1 OR instr(u.url, '@'))"
        found = db.execute(
            f"{_ROWS} WHERE u.id IN (SELECT value FROM json_each(?2)) AND u.id <= ?3 {here}"
            f" UNION ALL {_ROWS} WHERE u.id > ?3 AND u.host = ?4 {here}",
            (key, msgspec.json.encode(known).decode(), merged, number),
        )
        rows = _rows((row for row in found if key_of(row[0]) == key), _kept(collection))
    return rows[0] if rows else None


def _rows(found: Iterable[tuple[str, int, int | None]], kept: dict[str, Segment]) -> list[SegmentRow]:
    counts: dict[str, _Count] = {}
    for url, state, wanted in found:
        count = counts.setdefault(key_of(url), _Count())
        if wanted is not None and state == _DONE:
            count.pages += 1
            count.wanted += wanted
        count.pending += state == _WAITING
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
