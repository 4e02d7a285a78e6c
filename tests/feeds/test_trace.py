"""Trace files: plain, compressed, damaged."""

from __future__ import annotations

import gzip
import io
import tracemalloc
from typing import Any

import pytest

from phasa.errors import InputError
from phasa.feeds.trace import parse_traces, read_traces

TEXT = b"b\t30\na\t10\nb\t20.7\textra\n\na\t40\n"


@pytest.mark.parametrize("content", [TEXT, gzip.compress(TEXT)], ids=["plain", "gzip"])
def test_posts_are_sorted_per_feed_in_order_of_appearance(content: bytes) -> None:
    assert [(t.feed, t.times.tolist()) for t in parse_traces(content)] == [("b", [20, 30]), ("a", [10, 40])]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"a\tnoon\n", "line 1"),
        (b"a\t1\nb\n", "line 2"),
        (b"", "no posts"),
        (b"\x1f\x8bxx", "gzip"),
        (b"a\tinf", "line 1"),
    ],
)
def test_what_is_wrong_is_named(content: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words):
        parse_traces(content, "posts.tsv")


def test_a_split_is_by_time_not_by_posts() -> None:
    (trace,) = parse_traces(b"".join(b"a\t%d\n" % t for t in (0, 1, 2, 3, 60, 100)))
    before, after = trace.split(0.5)
    assert (before.times.tolist(), after.times.tolist()) == ([0, 1, 2, 3], [60, 100])


@pytest.mark.parametrize("when", ["1e19", "-1e19", "1700000000000", "-1", "nan", "1e400"])
def test_a_time_that_is_none_is_named(when: str) -> None:
    with pytest.raises(InputError, match="line 2"):
        parse_traces(f"a\t5\na\t{when}\n".encode(), "posts.tsv")


class _Counted(io.BytesIO):
    """Counts the bytes that are taken from it."""

    taken = 0

    def read(self, size: int | None = -1, /) -> bytes:
        found = super().read(size)
        self.taken += len(found)
        return found

    def readinto(self, buffer: Any, /) -> int:
        found = super().readinto(buffer)
        self.taken += found
        return found


BOMBS = {
    "posts": b"a\t5\n" * 1_000_000,
    "feeds": b"".join(b"%d\t5\n" % k for k in range(100_000)),
    "blank": b"\n" * 25_000_000,
    "line": b"a" * 25_000_000,
}


@pytest.mark.parametrize("kind", BOMBS)
def test_a_packed_trace_is_unpacked_only_as_far_as_memory_is_allowed(kind: str) -> None:
    packed = gzip.compress(BOMBS[kind])
    file = _Counted(packed)
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=r"more than 1 MB of posts|longer than"):
            read_traces(file, "posts.tsv.gz", megabytes=1)
        assert tracemalloc.get_traced_memory()[1] < 3_000_000
        assert file.taken <= len(packed)
    finally:
        tracemalloc.stop()


def test_a_trace_may_take_what_it_is_allowed() -> None:
    content = gzip.compress(b"a\t5\n" * 200_000)
    assert len(read_traces(io.BytesIO(content), megabytes=2)[0].times) == 200_000
