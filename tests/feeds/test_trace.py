"""Trace files: plain, compressed, damaged."""

from __future__ import annotations

import gzip

import pytest

from phasa.errors import InputError
from phasa.feeds.trace import parse_traces

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
