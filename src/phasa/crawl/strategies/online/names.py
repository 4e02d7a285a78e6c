"""Names as numbers: the parts of an address, hashed, and the pieces of its name that a model can learn from."""

from __future__ import annotations

import re
from array import array
from functools import lru_cache
from typing import NamedTuple
from zlib import crc32

from phasa.web.url import authority, private_suffix, tld_of

HOST_PIECES = 14
PATH_PIECES = 4
PIECES = HOST_PIECES + PATH_PIECES
SPACE = 1 << 16
"""Pieces are hashed into 1..SPACE-1; 0 stands for 'no piece'."""

_CODES = """
    ar az be bg bn bs ca ckb cs cy da de el en es et eu fa fi fr ga gl gu he hi hr hu hy ja ka kk km kn ko ku ky lo lt
    lv mk ml mn mr nb ne nl pa pl ps pt ro ru sd si sk sl sq sr sv sw ta tg th tk tl tr uk ur uz vi zh
"""
CODES = frozenset(_CODES.split())
"""Codes of languages as they stand in addresses, without those that are mostly something else there (id, it, my …)."""

_KEPT = 4_096
"""Hosts, and directories, that are remembered: some 300 bytes each."""
_WORDS = re.compile(r"[a-z]+|[^\x00-\x7f]+|%[0-9a-f]{2}", re.IGNORECASE)
_IN_FILE = re.compile(
    r"\.([a-z]{2,3}(?:[-_][a-z]+)?)\.x?html?$|\.x?html?\.([a-z]{2,3}(?:[-_][a-z]+)?)$"
    r"|[?&](?:lang|language|locale|hl)=([a-z]{2,3}(?:[-_][a-z]+)?)(?:&|$)",
    re.IGNORECASE,
)
"""Where the name of a file says its language: 'index.de.html', 'index.html.de', 'page?lang=de'."""


class HostName(NamedTuple):
    """A host by its numbers."""

    host: int
    site: int
    tld: int
    national: bool
    """Whether the top-level domain is one of the language."""
    told: float
    """1 when the name begins with the code of the language (th.example.org), −1 with that of another, else 0."""
    pieces: array[int]


class Address(NamedTuple):
    """A URL by its numbers."""

    host: HostName
    segment: int
    told: float
    """What the address says of the page's language: 1 for the language (/th/…), −1 for another, else 0."""
    pieces: array[int]


class Folder(NamedTuple):
    """What the addresses of one directory have in common."""

    host: HostName
    segment: int
    told: float
    words: list[int]


class Names:
    """Reads addresses, with a memory of the hosts and directories met lately."""

    def __init__(self, tlds: frozenset[str], language: str = "") -> None:
        self._tlds = tlds
        self._language = language
        self.host = lru_cache(maxsize=_KEPT)(self._host)
        self._folder = lru_cache(maxsize=_KEPT)(self._read_folder)

    def address(self, url: str) -> Address:
        """The numbers of a URL."""
        cut = url.rfind("/") + 1
        folder = self._folder(url[:cut])
        words = list(folder.words)
        if cut < len(url) and len(words) < PATH_PIECES:
            words += [_number(word) for word in _WORDS.findall(url, cut)][: PATH_PIECES - len(words)]
        words += [0] * (PATH_PIECES - len(words))
        told = folder.told
        if (url.count(".", cut) > 1 or "=" in url) and (found := _IN_FILE.search(url, cut)):
            told = self._tells(found[1] or found[2] or found[3]) or told
        return Address(folder.host, folder.segment, told, array("H", words))

    def _read_folder(self, start: str) -> Folder:
        name = authority(start)
        path = start[start.find(name) + len(name) :]
        words = [_number(word) for word in _WORDS.findall(path)[:PATH_PIECES]]
        host = self.host(name)
        told = next((told for part in path.split("/") if (told := self._tells(part))), host.told)
        return Folder(host, crc32(start.encode()), told, words)

    def _tells(self, part: str) -> float:
        """What a part of an address says when it is the code of a language: 'fa', 'en-US', 'pt_br'."""
        code = part[:3].rstrip("-_").lower() if len(part) <= 3 or part[2:3] in "-_" else ""
        return 1.0 if code and code == self._language else -1.0 if code in CODES else 0.0

    def _host(self, name: str) -> HostName:
        tld = tld_of(name)
        site = private_suffix(name.partition(":")[0]) or name
        return HostName(
            crc32(name.encode()),
            crc32(site.encode()),
            crc32(tld.encode()),
            tld in self._tlds,
            self._tells(name.partition(".")[0]),
            _pieces(name),
        )


def piece_number(piece: bytes) -> int:
    """The number of a piece of a name or of a word."""
    return crc32(piece) % (SPACE - 1) + 1


def _number(word: str) -> int:
    return piece_number(word.lower().encode())


def _pieces(name: str) -> array[int]:
    """Runs of three and four letters of the name without its last label, at most `HOST_PIECES`, in a fixed order."""
    text = "^" + name.removeprefix("www.").rpartition(".")[0] + "$"
    runs = {text[i : i + n] for n in (3, 4) for i in range(len(text) - n + 1)}
    numbers = [piece_number(b"h" + run.encode()) for run in sorted(runs)[:HOST_PIECES]]
    return array("H", numbers + [0] * (HOST_PIECES - len(numbers)))
