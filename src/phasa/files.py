"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path


def replace_file(path: Path, content: bytes | str, *, durable: bool = False) -> None:
    """Write a file so that a reader, or a crash, sees the old content or the new one and never a part of it.

    The folder must exist. With `durable` the new content is on disk before this returns, for files that a power cut
    must not lose. Raises OSError; the old file is untouched then.
    """
    new = path.with_name(f"{path.name}.new")
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    try:
        with new.open("wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        new.replace(path)
    except OSError:
        new.unlink(missing_ok=True)
        raise
