"""What is fuzzed: one parser, good inputs for it, the words of its format, and the laws that hold for any input."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

SHARED = Path(__file__).parents[3] / "shared" / "data"
FINDS = Path(__file__).parent / "finds"

Check = Callable[[bytes], object]

survived: Counter[str] = Counter()
"""How the process that parses ended, in the sandbox: counted, not a find, as long as what called it goes on."""


class Target(NamedTuple):
    """`load` imports the parser and gives the check: it raises AssertionError when a law is broken, PhasaError for
    input that is refused, and nothing else. `tries` inputs are tried by the tests, `most` bytes each; `corpus` reads
    more seeds from the real data, where it is."""

    name: str
    load: Callable[[], Check]
    seeds: tuple[bytes, ...]
    tokens: tuple[bytes, ...] = ()
    tries: int = 1000
    most: int = 4000
    corpus: Callable[[], Iterable[bytes]] = lambda: ()

    def own_seeds(self) -> list[bytes]:
        """The seeds and the finds of earlier runs."""
        return [*self.seeds, *(path.read_bytes() for path in sorted((FINDS / self.name).glob("*.bin")))]


@cache
def folder() -> Path:
    """A folder of this process, in memory where there is such a place, for parsers that read files."""
    memory = Path("/dev/shm")
    return Path(tempfile.mkdtemp(prefix="phasa-fuzz-", dir=memory if memory.is_dir() else None))


def in_file(name: str, data: bytes) -> Path:
    """A file with this content."""
    path = folder() / name
    path.write_bytes(data)
    return path


def packed_files(name: str, most: int = 200) -> Callable[[], Iterable[bytes]]:
    """The files in an archive of the real data."""

    def read() -> Iterable[bytes]:
        import tarfile

        path = SHARED / name
        if not path.exists():
            return
        with tarfile.open(path) as archive:
            for number, member in enumerate(archive):
                file = archive.extractfile(member)
                if file is not None:
                    yield file.read(20_000)
                if number > most:
                    return

    return read
