"""Posting traces: when each of several feeds posted. TSV `feed_id <tab> unix_time`, plain or gzip."""

from __future__ import annotations

import gzip
import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phasa.errors import InputError

Times = NDArray[np.int64]


@dataclass(frozen=True)
class Trace:
    """The posts of one feed: whole Unix seconds, ascending."""

    feed: str
    times: Times

    def split(self, share: float) -> tuple[Trace, Trace]:
        """The posts before and after the given share of this feed's own time span."""
        if len(self.times) == 0:
            return self, self
        first, last = int(self.times[0]), int(self.times[-1])
        return self.cut(first + round((last - first) * share))

    def cut(self, at: float) -> tuple[Trace, Trace]:
        """The posts before the moment `at`, and from it on."""
        place = int(np.searchsorted(self.times, at, side="left"))
        return Trace(self.feed, self.times[:place]), Trace(self.feed, self.times[place:])


def parse_traces(content: bytes, name: str = "trace") -> list[Trace]:
    """The feeds of a trace file in order of first appearance; further columns and blank lines are ignored.

    Raises InputError that names the file and the line.
    """
    if content[:2] == b"\x1f\x8b":
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error) as problem:
            raise InputError(f"{name}: damaged gzip file ({problem})") from None
    posts: dict[str, list[int]] = {}
    for number, line in enumerate(content.decode("utf-8", "surrogateescape").splitlines(), start=1):
        if not line.strip():
            continue
        fields = line.split("\t")
        try:
            posts.setdefault(fields[0], []).append(int(float(fields[1])))
        except (IndexError, ValueError, OverflowError):
            raise InputError(
                f"{name}, line {number}: expected 'feed_id <tab> unix_time', found {line[:60]!r}"
            ) from None
    if not posts:
        raise InputError(f"{name}: no posts in it; a trace has one line 'feed_id <tab> unix_time' per post")
    return [Trace(feed, np.sort(np.array(times, dtype=np.int64))) for feed, times in posts.items()]
