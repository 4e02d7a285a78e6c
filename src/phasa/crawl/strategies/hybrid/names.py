"""Names as numbers: the parts of an address, hashed, and the pieces of its name that a model can learn from."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple
from zlib import crc32

from phasa.crawl.addresses import host_of, tld_of
from phasa.web.url import private_suffix

HOST_PIECES = 14
PATH_PIECES = 4
PIECES = HOST_PIECES + PATH_PIECES
SPACE = 1 << 16
"""Pieces are hashed into 1..SPACE-1; 0 stands for 'no piece'."""

_WORDS = re.compile(r"[a-z]+|[^\x00-\x7f]+|%[0-9a-f]{2}", re.IGNORECASE)


class HostName(NamedTuple):
    """A host by its numbers."""

    host: int
    site: int
    tld: int
    national: bool
    """Whether the top-level domain is one of the language."""
    pieces: tuple[int, ...]


class Address(NamedTuple):
    """A URL by its numbers."""

    host: HostName
    segment: int
    pieces: tuple[int, ...]


class Names:
    """Reads addresses, with a memory of the hosts met lately."""

    def __init__(self, tlds: frozenset[str]) -> None:
        self._tlds = tlds
        self.host = lru_cache(maxsize=65536)(self._host)

    def address(self, url: str) -> Address:
        """The numbers of a URL."""
        name = host_of(url)
        start = url.find(name) + len(name)
        path = url[start:]
        cut = path.rfind("/")
        segment = crc32(url[: start + cut + 1].encode())
        pieces = [crc32(word.lower().encode()) % (SPACE - 1) + 1 for word in _WORDS.findall(path)[:PATH_PIECES]]
        return Address(self.host(name), segment, tuple(pieces) + (0,) * (PATH_PIECES - len(pieces)))

    def _host(self, name: str) -> HostName:
        tld = tld_of(name)
        site = private_suffix(name.partition(":")[0]) or name
        return HostName(
            crc32(name.encode()), crc32(site.encode()), crc32(tld.encode()), tld in self._tlds, _pieces(name)
        )


def _pieces(name: str) -> tuple[int, ...]:
    """Runs of three and four letters of the name without its last label, at most `HOST_PIECES`, in a fixed order."""
    text = "^" + name.removeprefix("www.").rpartition(".")[0] + "$"
    runs = {text[i : i + n] for n in (3, 4) for i in range(len(text) - n + 1)}
    numbers = [crc32(b"h" + run.encode()) % (SPACE - 1) + 1 for run in sorted(runs)][:HOST_PIECES]
    return tuple(numbers) + (0,) * (HOST_PIECES - len(numbers))
