"""The CDXJ index: one sorted line per capture, `surt timestamp {json}`, as pywb and ReplayWeb.page read it.

While a WARC file is written its lines go to `NAME.cdxj.open`. When the file is finished they are sorted into
`NAME.cdxj`, and `merge` folds such files into `index.cdxj`. At every moment the closed `*.cdxj` files together hold
each finished record; identical lines are one line.
"""

from __future__ import annotations

import fcntl
import heapq
import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import groupby, islice
from pathlib import Path

import msgspec

from phasa.archive.capture import ArchiveError, Capture, Location
from phasa.files import naming, replace_file
from phasa.seals import broken, unseal
from phasa.web.url import parse, surt

INDEX = "index.cdxj"
REVISIT = "warc/revisit"


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One capture in the index. `filename` is relative to the archive folder."""

    surt: str = msgspec.field(default="", name="_surt")
    timestamp: str = msgspec.field(default="", name="_timestamp")
    url: str
    mime: str = ""
    status: str = ""
    digest: str = ""
    length: str = ""
    offset: str = ""
    filename: str = ""

    @classmethod
    def of(cls, capture: Capture, location: Location, digest: str, date: str, *, revisit: bool) -> Entry:
        """The entry of a capture that was just written, with its WARC-Date."""
        return cls(
            surt=key_of(capture.url),
            timestamp=date[:19].translate(_STAMP),
            url=capture.url,
            mime=REVISIT if revisit or capture.status == 304 else capture.mime or "unk",
            status=str(capture.status),
            digest=digest,
            length=str(location.length),
            offset=str(location.offset),
            filename=location.file,
        )

    def line(self) -> bytes:
        fields = {
            "url": self.url,
            "mime": self.mime,
            "status": self.status,
            "digest": self.digest,
            "length": self.length,
            "offset": self.offset,
            "filename": self.filename,
        }
        return b"%b %b\n" % (f"{self.surt} {self.timestamp}".encode(), msgspec.json.encode(fields))

    @classmethod
    def parse(cls, line: bytes) -> Entry:
        """Raises msgspec.DecodeError or ValueError for a line that is not CDXJ."""
        key, stamp, fields = line.rstrip(b"\n").split(b" ", 2)
        entry = msgspec.json.decode(fields, type=cls)
        return msgspec.structs.replace(entry, surt=key.decode(), timestamp=stamp.decode())

    @property
    def time(self) -> datetime:
        """When it was fetched. Raises ArchiveError when the line says no time."""
        try:
            return datetime.strptime(self.timestamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        except ValueError:
            raise self._wrong("time", self.timestamp) from None

    @property
    def place(self) -> int:
        """The byte of its file at which the record begins. Raises ArchiveError when the line says none."""
        if not _PLACE.fullmatch(self.offset):
            raise self._wrong("place", self.offset)
        return int(self.offset)

    def _wrong(self, what: str, said: str) -> ArchiveError:
        return ArchiveError(
            f"{INDEX}: damaged: {said[:40]!r} is no {what} of a record, for {self.url[:200]}; "
            "make it again with: phasa repair"
        )


_PLACE = re.compile(r"[0-9]{1,18}")
_STAMP = str.maketrans("", "", "-T:")


class IndexFile:
    """The lines of one WARC file while it is being written. They are written some at a time: what a kill takes of them
    is made again from the records."""

    MOST = 100  # lines that wait to be written

    def __init__(self, folder: Path, warc_name: str) -> None:
        self._closed = folder / (warc_name + ".cdxj")
        self._open = folder / (warc_name + ".cdxj.open")
        self._file = os.open(self._open, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self._lines: list[bytes] = []

    def add(self, entry: Entry) -> None:
        self._lines.append(entry.line())
        if len(self._lines) >= self.MOST:
            self.flush()

    def flush(self) -> None:
        """Write the lines that wait: whoever looks into the open file finds them then."""
        if self._lines:
            with naming(self._open):
                os.write(self._file, b"".join(self._lines))
            self._lines.clear()

    def finish(self) -> None:
        """Sort the lines into the closed file."""
        self.flush()
        os.close(self._file)
        write_sorted(self._closed, self._open.read_bytes().splitlines(keepends=True))
        self._open.unlink()

    def abandon(self) -> None:
        os.close(self._file)
        self._open.unlink(missing_ok=True)


def key_of(address: str) -> str:
    """The look-up key: SURT of a web address; other addresses (urn:, dns:, file:) stand for themselves."""
    url = parse(address)
    return surt(url) if url else address.replace(" ", "%20")


def merge(folder: Path) -> Path:
    """Fold every closed index file of the folder into `index.cdxj`. Safe next to other processes and when killed."""
    index = folder / INDEX
    with (folder / ".index.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        parts = [path for path in folder.glob("*.cdxj") if path != index]
        if parts or not index.exists():
            files = [path.open("rb") for path in [*parts, *([index] if index.exists() else [])]]
            fresh = index.with_suffix(".cdxj.new")
            unseal(index)
            try:
                with naming(fresh), fresh.open("wb") as out:
                    out.writelines(line for line, _ in groupby(heapq.merge(*files)))
                    out.flush()
                    os.fsync(out.fileno())
            finally:
                for file in files:
                    file.close()
            fresh.rename(index)
            for path in parts:
                path.unlink()
    return index


def read_index(folder: Path) -> Iterator[Entry]:
    """Every entry of the closed index files, in the order of the index. Raises ArchiveError when it is damaged."""
    _refuse_broken(folder)
    files = [path.open("rb") for path in sorted(folder.glob("*.cdxj"))]
    try:
        for line, _ in groupby(heapq.merge(*files)):
            yield _parse(folder, line)
    finally:
        for file in files:
            file.close()


def lookup(folder: Path, url: str) -> list[Entry]:
    """The entries of one address, oldest first, by binary search; lines of files still open are read through."""
    return list(search(folder, f"{key_of(url)} "))


def search(folder: Path, prefix: str, most: int | None = None) -> Iterator[Entry]:
    """The entries whose line begins with `prefix`, in the order of the index; at most `most` of each index file. Raises
    ArchiveError when the index is damaged."""
    _refuse_broken(folder)
    key = prefix.encode()
    lines: set[bytes] = set()
    for path in folder.glob("*.cdxj"):
        lines.update(islice(_search(path, key), most))
    for path in folder.glob("*.cdxj.open"):
        lines.update(line for line in path.read_bytes().splitlines(keepends=True) if line.startswith(key))
    return (_parse(folder, line) for line in sorted(lines) if line.endswith(b"\n"))


def sample(folder: Path, number: int) -> Iterator[Entry]:
    """About `number` entries spread evenly over the index, whatever its size: for a look at a large archive."""
    files = [path for pattern in ("*.cdxj", "*.cdxj.open") for path in sorted(folder.glob(pattern))]
    total = sum(path.stat().st_size for path in files)
    for path in files:
        size = path.stat().st_size
        share = max(1, round(number * size / max(total, 1)))
        with path.open("rb") as file:
            for place in range(share):
                file.seek(size * place // share)
                if place:
                    file.readline()  # we stand inside a line: go on to the next one
                line = file.readline()
                if line.endswith(b"\n"):
                    yield _parse(folder, line)


def _refuse_broken(folder: Path) -> None:
    if problem := broken(folder / INDEX):
        raise ArchiveError(f"{folder / INDEX}: damaged: {problem}; make it again with: phasa repair {folder.parent}")


def _parse(folder: Path, line: bytes) -> Entry:
    try:
        return Entry.parse(line)
    except (ValueError, msgspec.DecodeError):
        raise ArchiveError(
            f"{folder / INDEX}: damaged: {line[:60]!r} is not a line of an index; "
            f"make it again with: phasa repair {folder.parent}"
        ) from None


def _search(path: Path, key: bytes) -> Iterator[bytes]:
    with path.open("rb") as file:
        low, high = 0, path.stat().st_size
        while low < high:
            middle = (low + high) // 2
            file.seek(middle)
            if middle:
                file.readline()  # we stand inside a line: go on to the next one
            line = file.readline()
            if line and line < key:
                low = middle + 1
            else:
                high = middle
        file.seek(low)
        if low:
            file.readline()
        for line in file:
            if not line.startswith(key):
                if line > key:
                    break
                continue
            yield line


def write_sorted(path: Path, lines: list[bytes]) -> None:
    """Write an index file as a whole: whole lines only, each once, in order."""
    replace_file(path, b"".join(sorted({line for line in lines if line.endswith(b"\n")})), durable=True)
