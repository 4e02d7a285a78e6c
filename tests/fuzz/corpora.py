"""Good inputs for the fuzzed parsers: from the real data beside the checkout, where it is, and what phasa ships."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from tests.fuzz.target import in_file, packed_files

SHIPPED = Path(__file__).parents[2] / "src" / "phasa"
WINDOW = 3000
_DATE = re.compile(rb"<(?:pubDate|updated|published|dc:date|lastBuildDate)[^>]*>([^<]{6,60})<")


def pages(most: int = 200) -> Callable[[], Iterable[bytes]]:
    """Real pages: their beginning, and pieces from further on, where the tables, lists and forms are."""

    def read() -> Iterator[bytes]:
        for page in packed_files("pages-homepages2018/pages.tar.xz", most)():
            for part in (0, 0.25, 0.5, 0.75):
                start = page.find(b"<", int(len(page) * part))
                yield page[max(0, start) : max(0, start) + WINDOW]

    return read


def packed_bodies() -> Iterator[bytes]:
    """Bodies in every content coding: the number of the coding (see the check of `inflate`), then the bytes."""
    import brotlicffi
    import zstandard

    for page in packed_files("pages-homepages2018/pages.tar.xz", 40)():
        text = page[:WINDOW]
        yield b"\0" + gzip.compress(text, mtime=0)
        yield b"\1" + zlib.compress(text)
        yield b"\2" + brotlicffi.compress(text, quality=4)
        yield b"\3" + zstandard.compress(text, 3)
        yield b"\4" + brotlicffi.compress(gzip.compress(text, mtime=0), quality=1)


def samples() -> Iterator[bytes]:
    """WARC and ARC files."""
    yield from packed_files("warc-samples/warcio-test-data.tar.xz")()


def index_lines() -> Iterator[bytes]:
    """The index of each sample."""
    from phasa.archive.reader import index_entries
    from phasa.errors import PhasaError

    for sample in samples():
        try:
            lines = [entry.line() for entry in index_entries(in_file("sample.warc.gz", sample))]
        except PhasaError:
            continue
        if lines:
            yield b"".join(sorted(lines))


def headers() -> Iterator[bytes]:
    """Headers of answers, a line each."""
    from phasa.archive.reader import read_warc
    from phasa.errors import PhasaError

    for sample in samples():
        try:
            for stored in read_warc(in_file("sample.warc.gz", sample)):
                yield "\n".join(f"{name}: {value}" for name, value in stored.headers).encode("latin-1", "replace")
        except PhasaError:
            continue


def dates() -> Iterator[bytes]:
    """Dates as feeds write them."""
    found: set[bytes] = set()
    for name in ("feeds-xml/real-feeds.tar.xz", "feeds-xml/feedparser-tests.tar.xz"):
        for feed in packed_files(name, 2000)():
            found.update(_DATE.findall(feed)[:5])
    return iter(sorted(found))


def profiles() -> Iterator[bytes]:
    """The languages that phasa knows."""
    return (path.read_bytes() for path in sorted((SHIPPED / "language" / "profiles").glob("*.toml")))


def settings() -> Iterator[bytes]:
    """Settings as `phasa init` writes them, by sections."""
    from phasa.collection import CollectionSettings
    from phasa.settings import write_settings

    text = write_settings(CollectionSettings()).encode()
    head, *sections = re.split(rb"(?m)^(?=\[)", text)
    yield head
    yield from sections
    yield re.sub(rb"(?m)^#.*\n|^\n", b"", text)


def models() -> Iterator[bytes]:
    """The beginnings of files that phasa ships packed."""
    return (path.read_bytes()[:WINDOW] for path in sorted(SHIPPED.rglob("*.zst")))


def word_lists() -> Iterator[bytes]:
    """The beginnings of what is in them."""
    import zstandard

    for path in sorted(SHIPPED.rglob("*.txt.zst")):
        with zstandard.ZstdDecompressor().stream_reader(path.read_bytes()) as text:
            yield text.read(WINDOW)
