"""Damaged inputs made from good ones: the same random numbers make the same inputs."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

NUMBERS = (
    b"0", b"-1", b"1e19", b"1e400", b"nan", b"inf", b"-inf", b"9" * 20, b"9" * 400, b"4294967296", b"2147483648",
    b"-9223372036854775809", b"18446744073709551616", b"00", b"0x10", b"1_0", b"\xd9\xa1", b"1.5.5",
)  # fmt: skip
"""What a field for a number may hold."""
BYTES = (
    b"\0", b"\xff", b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80",
    b"\r", b"\n", b"\r\n", b"\t", b"\x1b", b"\x7f", b"\xe2\x80\xae", b"\xe2\x80\xa8", b"\xc2\x85", b"\xcc\x81" * 9,
    b"%00", b"%ff", b"%u0e01", b"&#0;", b"&#x110000;", b"\\u0000", b"\\ud800", "กำ".encode(), "ﷺ".encode(),
    b"\xf0\x9f\x98\x80",
)  # fmt: skip
"""Bytes that text handling stumbles over."""

Change = Callable[[random.Random, bytearray, Sequence[bytes], Sequence[bytes]], None]


def _place(rng: random.Random, data: bytearray) -> tuple[int, int]:
    """A random stretch, short ones more often."""
    if not data:
        return 0, 0
    start = int(rng.random() * len(data))
    return start, min(len(data), start + 1 + int(2 ** (rng.random() * 9)))


def _flip(rng: random.Random, data: bytearray, tokens: Sequence[bytes], seeds: Sequence[bytes]) -> None:
    if data:
        data[int(rng.random() * len(data))] ^= 1 << int(rng.random() * 8)


def _set(rng: random.Random, data: bytearray, tokens: Sequence[bytes], seeds: Sequence[bytes]) -> None:
    if data:
        data[int(rng.random() * len(data))] = int(rng.random() * 256)


def _drop(rng: random.Random, data: bytearray, tokens: Sequence[bytes], seeds: Sequence[bytes]) -> None:
    start, end = _place(rng, data)
    del data[start:end]


def _double(rng: random.Random, data: bytearray, tokens: Sequence[bytes], seeds: Sequence[bytes]) -> None:
    start, end = _place(rng, data)
    data[start:start] = data[start:end]


def _repeat(rng: random.Random, data: bytearray, tokens: Sequence[bytes], seeds: Sequence[bytes]) -> None:
    """The same again and again: nests, long lines, many rules."""
    start, end = _place(rng, data)
    piece = bytes(data[start : min(end, start + 32)])
    data[start:start] = piece * int(2 ** (rng.random() * 10))


def _token(rng: random.Random, data: bytearray, tokens: Sequence[bytes], seeds: Sequence[bytes]) -> None:
    start, end = _place(rng, data)
    data[start : end if rng.random() < 0.5 else start] = tokens[int(rng.random() * len(tokens))]


def _odd(rng: random.Random, data: bytearray, tokens: Sequence[bytes], seeds: Sequence[bytes]) -> None:
    start, end = _place(rng, data)
    pool = BYTES if rng.random() < 0.7 else NUMBERS
    data[start : end if rng.random() < 0.5 else start] = pool[int(rng.random() * len(pool))]


def _splice(rng: random.Random, data: bytearray, tokens: Sequence[bytes], seeds: Sequence[bytes]) -> None:
    other = seeds[int(rng.random() * len(seeds))]
    start = int(rng.random() * (len(other) + 1))
    data[_place(rng, data)[0] :] = other[start:]


def _cut(rng: random.Random, data: bytearray, tokens: Sequence[bytes], seeds: Sequence[bytes]) -> None:
    del data[_place(rng, data)[0] :]


def _swap(rng: random.Random, data: bytearray, tokens: Sequence[bytes], seeds: Sequence[bytes]) -> None:
    (a, b), (c, d) = sorted((_place(rng, data), _place(rng, data)))
    if b <= c:
        data[a:d] = data[c:d] + data[b:c] + data[a:b]


CHANGES: tuple[Change, ...] = (
    _flip, _set, _drop, _double, _repeat, _token, _token, _odd, _odd, _splice, _cut, _swap,
)  # fmt: skip


_REMEMBERED = 1 << 20
_OWN = 0.25  # of the inputs are made from the seeds of the first kind, however many there are of the second


class Mutator:
    """Inputs without end from seeds, none of them blank and none twice: `tokens` are words of the format, `most` the
    longest input in bytes. `more` are seeds in number: `seeds`, few and often tiny, do not outweigh them."""

    def __init__(
        self, seeds: Sequence[bytes], tokens: Sequence[bytes], most: int, seed: int, more: Sequence[bytes] = ()
    ) -> None:
        self._seeds = [seed[:most] for seed in seeds] or [b""]
        self._more = [seed[:most] for seed in more if seed] or self._seeds
        self._all = [*self._seeds, *self._more]
        self._tokens = list(tokens) or [b"\0"]
        self._most = most
        self._rng = random.Random(seed)
        self._seen: set[int] = set()

    def next(self) -> bytes:
        """The next input."""
        while True:
            data = self._changed()
            sign = hash(data)
            # What is blank tells nothing, nor what was tried: neither is counted as an input.
            if data.strip() and sign not in self._seen:
                if len(self._seen) < _REMEMBERED:
                    self._seen.add(sign)
                return data

    def _changed(self) -> bytes:
        rng = self._rng
        seeds = self._seeds if rng.random() < _OWN else self._more
        data = bytearray(seeds[int(rng.random() * len(seeds))])
        for _ in range(1 + int(rng.random() ** 2 * 8)):
            CHANGES[int(rng.random() * len(CHANGES))](rng, data, self._tokens, self._all)
        return bytes(data[: self._most])
