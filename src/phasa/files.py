"""Files that are there whole or not at all, and packed ones that cannot unpack to more than is good."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MOST_UNPACKED = 1_000_000_000
"""The largest model, dictionary or lexicon that is unpacked, in bytes."""
_PIECE = 1024  # packed bytes at a time, which become 32 MB at the most


def replace_file(path: Path, content: bytes | str, *, durable: bool = False) -> None:
    """Write a file so that a reader, or a crash, sees the old content or the new one and never a part of it.

    The folder must exist. With `durable` the new content is on disk before this returns, for files that a power cut
    must not lose. Raises OSError; the old file is untouched then.
    """
    new = path.with_name(f"{path.name}.new")
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    try:
        with naming(path), new.open("wb") as file:
            file.write(data)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        new.replace(path)
    except OSError:
        new.unlink(missing_ok=True)
        raise


def unpacked(packed: bytes, most: int = MOST_UNPACKED) -> bytes:
    """What was packed with zstd. Raises ValueError when it is damaged, not whole, or larger than `most`.

    Unpacked piece by piece: what a damaged head says of the size is not believed.
    """
    import zstandard

    decoder = zstandard.ZstdDecompressor(max_window_size=1 << 27).decompressobj()
    parts: list[bytes] = []
    size = 0
    try:
        for start in range(0, len(packed), _PIECE):
            parts.append(decoder.decompress(packed[start : start + _PIECE]))
            size += len(parts[-1])
            if size > most:
                raise ValueError(f"unpacks to more than {most:,} bytes")
            if decoder.eof:
                break
    except zstandard.ZstdError as problem:
        raise ValueError(f"damaged: {problem}") from None
    if not decoder.eof:
        raise ValueError("damaged: it is not whole")
    return b"".join(parts)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """An OSError of the block names the file: writing to one that is open (the disk is full) does not by itself."""
    try:
        yield
    except OSError as problem:
        if problem.filename is not None or problem.errno is None:
            raise
        raise OSError(problem.errno, problem.strerror, str(path)) from None


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A file to write piece by piece (`NAME.part`), which becomes `path` when the block ends well: whoever finds `path`
    finds all of it. A stream (/dev/stdout) is given as it is. An OSError names the file; the old one is untouched."""
    if path.exists() and not path.is_file():
        yield path
        return
    part = path.with_name(path.name + ".part")
    try:
        with naming(part):
            yield part
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
