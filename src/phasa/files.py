"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """An OSError of the block names the file: writing to one that is open (the disk is full) does not by itself."""
    try:
        yield
    except OSError as problem:
        if problem.filename is not None or problem.errno is None:
            raise
        raise OSError(problem.errno, problem.strerror, str(path)) from None
