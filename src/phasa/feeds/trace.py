"""Posting traces: when each of several feeds posted. TSV `feed_id <tab> unix_time`, plain or gzip."""

from __future__ import annotations

import datetime as dt
import gzip
import zlib
from array import array
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from phasa.errors import InputError

Times = NDArray[np.int64]

MEGABYTES = 256
"""What the posts of one trace may take in memory unless the caller says otherwise."""
LATEST = 7_258_118_400
"""Posts are later than 1970 and earlier than 2200; milliseconds, for one, are not."""
_LONGEST_LINE = 65_536
_PER_FEED = 500  # bytes that a feed with one post takes, its name not counted
_TIMES_MEMORY = 20  # a file may unpack to so many times the memory that its posts may take


@dataclass(frozen=True)
class Trace:
    """The posts of one feed: whole Unix seconds, ascending."""

    feed: str
    times: Times
    bad: frozenset[dt.date] = frozenset()
    """Days (UTC) whose posts may be incomplete, where that is known."""

    def whole(self) -> Trace:
        """The posts of the other days: what was lost on a bad one must neither teach nor test (spec §11 row 12)."""
        if not self.bad:
            return self
        kept = [at for at in self.times.tolist() if dt.datetime.fromtimestamp(at, dt.UTC).date() not in self.bad]
        return Trace(self.feed, np.array(kept, dtype=np.int64))

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
    """The feeds of a trace that is in memory already (see `read_traces`)."""
    return read_traces(BytesIO(content), name)


def read_traces(file: IO[bytes], name: str = "trace", megabytes: float = MEGABYTES) -> list[Trace]:
    """The feeds of a trace file in order of first appearance; further columns and blank lines are ignored.

    Read and unpacked line by line: memory is that of the posts, at most `megabytes`. Raises InputError that names the
    file and the line.
    """
    most = int(megabytes * 1_000_000)
    posts: dict[str, array[int]] = {}
    used = read = 0
    for number, line in enumerate(_lines(file, name), start=1):
        read += len(line)
        if line.strip():
            feed, when = _post(line, f"{name}, line {number}")
            times = posts.get(feed)
            if times is None:
                times = posts[feed] = array("q")
                used += _PER_FEED + 4 * len(feed)
            times.append(when)
            used += 8
        if used > most or read > most * _TIMES_MEMORY:
            raise InputError(
                f"{name}, line {number}: more than {megabytes:g} MB of posts; split the trace, or allow it more memory "
                "(--megabytes)"
            )
    if not posts:
        raise InputError(f"{name}: no posts in it; a trace has one line 'feed_id <tab> unix_time' per post")
    return [Trace(feed, _sorted(times)) for feed, times in posts.items()]


def _sorted(times: array[int]) -> Times:
    made = np.frombuffer(times, dtype=np.int64)
    made.sort()
    return made


def _post(line: bytes, where: str) -> tuple[str, int]:
    """Feed and moment of a line."""
    fields = line.rstrip(b"\r\n").split(b"\t", 2)
    with suppress(IndexError, ValueError, OverflowError):
        when = int(float(fields[1]))
        if 0 <= when < LATEST:
            return fields[0].decode("utf-8", "surrogateescape"), when
        raise InputError(f"{where}: {fields[1][:30].decode(errors='replace')} is no Unix time between 1970 and 2200")
    raise InputError(f"{where}: expected 'feed_id <tab> unix_time', found {line[:60].decode(errors='replace')!r}")


def _lines(file: IO[bytes], name: str) -> Iterator[bytes]:
    """The lines of a file, unpacked where it is gzip. Raises InputError for a damaged one and for endless lines."""
    whole = BufferedReader(file)  # type: ignore[type-var]  # which can look ahead, whatever it is given
    packed = whole.peek(2)[:2] == b"\x1f\x8b"
    source = BufferedReader(gzip.GzipFile(fileobj=whole)) if packed else whole
    number = 0
    try:
        while line := source.readline(_LONGEST_LINE):
            number += 1
            if len(line) == _LONGEST_LINE:
                raise InputError(f"{name}, line {number}: longer than {_LONGEST_LINE:,} bytes; not a trace")
            yield line
    except (EOFError, zlib.error, gzip.BadGzipFile) as problem:
        raise InputError(f"{name}: damaged gzip file ({problem})") from None


def write_traces(traces: Sequence[Trace], out: Path | IO[bytes]) -> None:
    """Write traces as they are read; a file whose name ends in .gz is packed."""
    if isinstance(out, Path):
        plain = BytesIO()
        write_traces(traces, plain)
        out.write_bytes(gzip.compress(plain.getvalue()) if out.suffix == ".gz" else plain.getvalue())
        return
    for trace in traces:
        # A tab or a line end in a name would make two fields of it.
        name = " ".join(trace.feed.split())
        out.write("".join(f"{name}\t{at}\n" for at in trace.times.tolist()).encode("utf-8", "surrogateescape"))
