"""What the workers of one machine learn, while they crawl: a file of each in a folder, in place of a server's table.

It lasts for one run: the state of the first worker, which has heard of all, is what is kept (`models/NAME-00.state`).
"""

from __future__ import annotations

import shutil
import struct
from pathlib import Path

from phasa.files import replace_file

_VERSION = struct.Struct("<q")


class LearnedFolder:
    """See `phasa.crawl.run.sharing.LearnedStore`; one object for each worker."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._version = 0

    def clear(self) -> None:
        """Begin a run: what an earlier one left is in the state that all begin with."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def published(self, name: str, worker: int) -> bytes | None:
        file = self._file(name, worker)
        return file.read_bytes()[_VERSION.size :] if file.is_file() else None

    def publish(self, name: str, worker: int, content: bytes) -> None:
        self._version += 1
        self._folder.mkdir(parents=True, exist_ok=True)
        replace_file(self._file(name, worker), _VERSION.pack(self._version) + content)

    def learned(self, name: str, worker: int, after: dict[int, int]) -> dict[int, tuple[int, bytes]]:
        found: dict[int, tuple[int, bytes]] = {}
        own = self._file(name, worker)
        for file in self._folder.glob(f"{own.stem.rpartition('-')[0]}-*{own.suffix}"):
            other = int(file.stem.rpartition("-")[2])
            with file.open("rb") as opened:
                (version,) = _VERSION.unpack(opened.read(_VERSION.size))
                if other != worker and version > after.get(other, 0):
                    found[other] = version, opened.read()
        return found

    def _file(self, name: str, worker: int) -> Path:
        plain = "".join(letter if letter.isalnum() else "-" for letter in name)
        return self._folder / f"{plain}-{worker:02d}.sums"
