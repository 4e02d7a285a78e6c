"""Reading captures back: all of an archive, one address, or any WARC file from elsewhere."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from phasa.archive.capture import ArchiveError, base32
from phasa.archive.cdxj import INDEX, REVISIT, Entry, key_of, lookup
from phasa.archive.damage import Damage, note
from phasa.archive.members import Member, member_at, members
from phasa.archive.shelf import exists, opened, warc_files
from phasa.web.inflate import inflate
from phasa.web.limits import Limits

if TYPE_CHECKING:
    from warcio.recordloader import ArcWarcRecord

_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Stored:
    """A response or revisit record as read. `body` is the entity with its content coding; `content` without it."""

    url: str
    time: datetime
    status: int
    mime: str
    content_type: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    digest: str
    record_id: str
    revisit: bool
    refers_to_url: str
    refers_to_date: str
    truncated: str = ""
    address: str = ""

    @property
    def content(self) -> bytes:
        """The body with its content coding taken off, up to the limits of a fetch; as it is when that fails."""
        coding = next((value for name, value in self.headers if name.lower() == "content-encoding"), "")
        return inflate(self.body, coding, _LIMITS).body


def read_warc(path: Path) -> Iterator[Stored]:
    """The response and revisit records of a WARC or ARC file, compressed or not. What is damaged is passed over, and
    told (`phasa.archive.damage`)."""
    for _, _, stored in positions(path):
        yield stored


def read_archive(folder: Path) -> Iterator[Stored]:
    """Every capture of all WARC files of a folder, files still being written included."""
    for path in warc_files(folder):
        yield from read_warc(path)


def get(folder: Path, url: str, near: datetime | None = None) -> Stored | None:
    """The capture of an address nearest to a time (default: the newest), a revisit resolved to its body."""
    entries = lookup(folder, url)
    if not entries:
        return None
    chosen = entries[-1] if near is None else min(entries, key=lambda entry: abs(entry.time - near))
    return resolve(folder, read_entry(folder, chosen))


def read_entry(folder: Path, entry: Entry) -> Stored:
    """The record that an index entry points at. Raises ArchiveError when it is not there, or damaged."""
    for path in (folder / entry.filename, folder / (entry.filename + ".open")):
        if exists(path):
            return read_record(path, entry.place, entry.url)
    raise ArchiveError(f"{folder / entry.filename}: is gone, and {folder / INDEX} says that {entry.url} is in it")


def read_record(path: Path, offset: int, url: str) -> Stored:
    """The record of an address that stands at a place of a file. Raises ArchiveError when another one stands there, or
    a damaged one."""
    piece = member_at(path, offset)
    if isinstance(piece, Damage):
        raise ArchiveError(f"{piece}; see what is left with: phasa repair {path.parent.parent}")
    for record in _parsed(path, piece):
        if record.record_type & _WANTED and (stored := _stored(record)).url == url:
            return stored
    raise ArchiveError(
        f"{path}: no record of {url} at byte {offset}; make the index again with: phasa repair {path.parent.parent}"
    )


def resolve(folder: Path, stored: Stored) -> Stored:
    """A revisit with the body of the record it refers to; other records unchanged."""
    if not stored.revisit:
        return stored
    entries = lookup(folder, stored.refers_to_url or stored.url)
    for entry in reversed(entries):
        if entry.mime != REVISIT and (not stored.digest or entry.digest == stored.digest or stored.status == 304):
            first = read_entry(folder, entry)
            return replace(
                stored, status=first.status, mime=first.mime, content_type=first.content_type, headers=first.headers,
                body=first.body, digest=first.digest,
            )  # fmt: skip
    return stored


def index_entries(path: Path) -> Iterator[Entry]:
    """The index entries of a WARC file, read from its records."""
    for start, end, stored in positions(path):
        yield entry_of(path, start, end, stored)


def entry_of(path: Path, start: int, end: int, stored: Stored) -> Entry:
    """The index entry of a record."""
    return Entry(
        surt=key_of(stored.url),
        timestamp=stored.time.strftime("%Y%m%d%H%M%S"),
        url=stored.url,
        mime=REVISIT if stored.revisit else stored.mime or "unk",
        status=str(stored.status),
        digest=stored.digest,
        length=str(end - start),
        offset=str(start),
        filename=path.name.removesuffix(".open"),
    )


_WANTED = WarcRecordType.response | WarcRecordType.revisit | WarcRecordType.resource


def positions(
    path: Path, start: int = 0, end: int | None = None, *, texts: bool = False
) -> Iterator[tuple[int, int, Stored]]:
    """(offset, end, record) of the records from a place on; with `end` those of a range of bytes (`members`). `texts`:
    also conversion records, as the WET files of Common Crawl have them."""
    wanted = _WANTED | WarcRecordType.conversion if texts else _WANTED
    with opened(path) as file:
        head = file.pread(5, 0)
    if head and not head.startswith((b"\x1f\x8b", b"WARC/")):
        yield from _plain_arc(path)  # the only one of these that is not made of pieces
        return
    for piece in members(path, start, end):
        if isinstance(piece, Damage):
            # A file that is being written ends with a torn record at times.
            if not (path.name.endswith(".open") and piece.what.startswith("the file ends")):
                note(piece)
        elif piece.data.startswith(b"WARC/"):
            for record in _parsed(path, piece):
                if record.record_type & wanted:
                    yield piece.offset, piece.end, _stored(record)
        else:
            for _, _, stored in _arc_records(path, BytesIO(piece.data), piece.offset):
                yield piece.offset, piece.end, stored


def _parsed(path: Path, piece: Member) -> Iterator[WarcRecord]:
    """The records in a piece: one, unless a foreign program packed several together."""
    try:
        yield from ArchiveIterator(BytesIO(piece.data), record_types=WarcRecordType.any_type, parse_http=False)
    except (OSError, ValueError, OverflowError) as problem:
        note(Damage(path, piece.offset, f"a record that cannot be read ({problem})"))


def _stored(record: WarcRecord) -> Stored:
    revisit = record.record_type == WarcRecordType.revisit
    resource = record.record_type in (WarcRecordType.resource, WarcRecordType.conversion)
    if not resource:
        record.parse_http(auto_decode="transfer")
    http = record.http_headers
    body = record.reader.read() if record.reader else b""
    content_type = (http.get("Content-Type") if http else record.headers.get("Content-Type")) or ""
    digest = (record.headers.get("WARC-Payload-Digest") or "").removeprefix("sha1:")
    if not digest and not revisit:
        digest = base32(hashlib.sha1(body, usedforsecurity=False).digest())
    return Stored(
        url=(record.headers.get("WARC-Target-URI") or "").strip("<>"),
        time=record.record_date or datetime.fromtimestamp(0, UTC),
        status=200 if resource else (http.status_code if http else None) or 0,
        mime=content_type.split(";")[0].strip().lower(),
        content_type=content_type,
        headers=tuple(http.to_tuples()) if http else (),
        body=body,
        digest=digest,
        record_id=record.record_id or "",
        revisit=revisit,
        refers_to_url=record.headers.get("WARC-Refers-To-Target-URI") or "",
        refers_to_date=record.headers.get("WARC-Refers-To-Date") or "",
        truncated=record.headers.get("WARC-Truncated") or "",
        address=record.headers.get("WARC-IP-Address") or "",
    )


def _plain_arc(path: Path) -> Iterator[tuple[int, int, Stored]]:
    """The same of an ARC file, the older format, that is not packed. What cannot be parsed ends the iteration."""
    with path.open("rb") as file:
        yield from _arc_records(path, file, 0)


def _arc_records(path: Path, file: IO[bytes], at: int) -> Iterator[tuple[int, int, Stored]]:
    from warcio.archiveiterator import ArchiveIterator as ArcIterator
    from warcio.exceptions import ArchiveLoadFailed

    try:
        records = ArcIterator(file, arc2warc=True)
        for record in records:
            if record.rec_type != "response" or record.http_headers is None:
                continue
            coded = record.http_headers.get("Content-Encoding")
            body = record.raw_stream.read() if coded else record.content_stream().read()
            offset = records.get_record_offset()
            yield offset, offset + records.get_record_length(), _stored_arc(record, body)
    # The library has no error of its own for most of what a damaged header can be.
    except (
        ArchiveLoadFailed,
        ValueError,
        OverflowError,
        TypeError,
        AttributeError,
        IndexError,
        KeyError,
        OSError,
        EOFError,
    ) as problem:
        if isinstance(problem, OSError) and problem.errno is not None:  # the disk, not the file's content
            raise
        note(Damage(path, at, f"not an ARC or WARC record ({' '.join(str(problem).split())[:100]})"))


def _stored_arc(record: ArcWarcRecord, body: bytes) -> Stored:
    content_type = record.http_headers.get_header("Content-Type") or ""
    return Stored(
        url=record.rec_headers.get_header("WARC-Target-URI") or "",
        time=datetime.fromisoformat(record.rec_headers.get_header("WARC-Date")),
        status=int(record.http_headers.get_statuscode() or 0),
        mime=content_type.split(";")[0].strip().lower(),
        content_type=content_type,
        headers=tuple(record.http_headers.headers),
        body=body,
        digest=base32(hashlib.sha1(body, usedforsecurity=False).digest()),
        record_id="",
        revisit=False,
        refers_to_url="",
        refers_to_date="",
    )
