"""Content encodings undone with a bound on what may come out: gzip, deflate, brotli, zstd, also stacked."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Generator, Iterator
from io import BytesIO
from typing import Literal, NamedTuple

# brotlicffi, not brotli: brotlipy, which pywb brings along, hides a module of that name and cannot bound its output.
import brotlicffi
from zstandard import ZstdDecompressor, ZstdError

from phasa.web.limits import Limits

ACCEPT = "gzip, deflate, br, zstd"

_BLOCK = 64 * 1024
_FIRST_SLICE = 512
_RATIO_FROM = 1024 * 1024  # growth is judged only past this size
_LAYERS = 3

Problem = Literal["", "bomb", "too_large", "bad_encoding"]


class Inflated(NamedTuple):
    """What came out, and what was wrong with it; on a problem the body is what came out until then."""

    body: bytes
    problem: Problem


def inflate(wire: bytes, content_encoding: str, limits: Limits) -> Inflated:
    """The entity that `wire` encodes, by the value of the Content-Encoding header. Never raises.

    Output stops at `decoded_bytes`, at `decoded_ratio` times the input once it is past 1 MiB, and after
    `packed_members` streams one after another. Bytes that are not in the encoding they claim are passed on as they
    are, as browsers do for a wrong `gzip`.
    """
    layers = [name.strip().lower() for name in content_encoding.split(",") if name.strip()]
    # Servers put all kinds of words there (`identity`, `none`, `utf-8`); what names no packing is passed over.
    layers = [name for name in layers if name in _DECODERS]
    if not layers or not wire:
        return Inflated(wire, "")
    if len(layers) > _LAYERS:
        return Inflated(wire, "bad_encoding")
    body = wire
    problem: Problem = ""
    for name in reversed(layers):
        body, problem = _undo(name, body, len(wire), limits)
        if problem:
            break
    return Inflated(body, problem)


def _undo(name: str, data: bytes, wire_length: int, limits: Limits) -> Inflated:
    most = min(limits.decoded_bytes, max(_RATIO_FROM, limits.decoded_ratio * wire_length))
    out = BytesIO()  # its value is no copy
    try:
        for piece in _DECODERS[name](data, limits.packed_members):
            out.write(piece)
            if out.tell() > most:
                out.truncate(most)
                return Inflated(out.getvalue(), "too_large" if most == limits.decoded_bytes else "bomb")
    except _TooManyMembersError:
        return Inflated(out.getvalue(), "bomb")
    except (zlib.error, brotlicffi.error, ZstdError, MemoryError):
        return Inflated(out.getvalue() or data, "bad_encoding")
    return Inflated(out.getvalue(), "")


class _TooManyMembersError(Exception):
    """A body of more members than any server has a reason for."""


def _gzip(data: bytes, members: int) -> Iterator[bytes]:
    """Members one after another; what follows the last of them is padding."""
    start = 0
    for _ in range(members):
        decoder = zlib.decompressobj(zlib.MAX_WBITS | 16)
        start = yield from _zlib_stream(decoder, data, start)
        if data[start : start + 2] != b"\x1f\x8b":
            return
    raise _TooManyMembersError


def _deflate(data: bytes, members: int) -> Iterator[bytes]:
    """zlib as the standard says, or the bare stream that some servers send."""
    wrapped = len(data) > 1 and data[0] & 0x0F == 8 and (data[0] << 8 | data[1]) % 31 == 0
    yield from _zlib_stream(zlib.decompressobj(zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS), data, 0)


def _zlib_stream(decoder: zlib._Decompress, data: bytes, start: int) -> Generator[bytes, None, int]:
    """One stream that begins at `start`; gives back where it ends. The input goes in by slices that grow with the
    stream: what a decoder leaves of its input is a copy, and must not be of everything that is still to come."""
    source = memoryview(data)
    size = _FIRST_SLICE
    while start < len(data) and not decoder.eof:
        end = min(start + size, len(data))
        piece = decoder.decompress(source[start:end], _BLOCK)
        start = end - len(decoder.unused_data if decoder.eof else decoder.unconsumed_tail)
        size = min(2 * size, _BLOCK)
        if piece:
            yield piece
    while not decoder.eof and (piece := decoder.decompress(b"", _BLOCK)):
        yield piece
    return start


def _brotli(data: bytes, members: int) -> Iterator[bytes]:
    decoder = brotlicffi.Decompressor()
    piece = decoder.process(data, output_buffer_limit=_BLOCK)
    while piece:
        yield piece
        if decoder.is_finished():
            return
        piece = decoder.process(b"", output_buffer_limit=_BLOCK)


def _zstd(data: bytes, members: int) -> Iterator[bytes]:
    # RFC 9659: a decoder for the web need not take windows above 8 MiB.
    decoder = ZstdDecompressor(max_window_size=8 * 1024 * 1024)
    with decoder.stream_reader(data, read_across_frames=True) as stream:
        while piece := stream.read(_BLOCK):
            yield piece


_DECODERS: dict[str, Callable[[bytes, int], Iterator[bytes]]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
