"""Reading captures back: all of an archive, one address, or any WARC file from elsewhere."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from phasa.archive.capture import ArchiveError, base32
from phasa.archive.cdxj import INDEX, REVISIT, Entry, key_of, lookup
from phasa.web.inflate import inflate
from phasa.web.limits import Limits

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

    @property
    def content(self) -> bytes:
        """The body with its content coding taken off, up to the limits of a fetch; as it is when that fails."""
        coding = next((value for name, value in self.headers if name.lower() == "content-encoding"), "")
        return inflate(self.body, coding, _LIMITS).body


def read_warc(path: Path) -> Iterator[Stored]:
    """The response and revisit records of a WARC or ARC file, compressed or not. A torn tail ends the iteration."""
    for _, _, stored in _positions(path):
        yield stored


def read_archive(folder: Path) -> Iterator[Stored]:
    """Every capture of all WARC files of a folder, files still being written included."""
    for path in sorted([*folder.glob("*.warc.gz"), *folder.glob("*.warc"), *folder.glob("*.warc.gz.open")]):
        yield from read_warc(path)


def get(folder: Path, url: str, near: datetime | None = None) -> Stored | None:
    """The capture of an address nearest to a time (default: the newest), a revisit resolved to its body."""
    entries = lookup(folder, url)
    if not entries:
        return None
    chosen = entries[-1] if near is None else min(entries, key=lambda entry: abs(entry.time - near))
    return resolve(folder, read_entry(folder, chosen))


def read_entry(folder: Path, entry: Entry) -> Stored:
    """The record that an index entry points at. Raises ArchiveError when it is not there."""
    for path in (folder / entry.filename, folder / (entry.filename + ".open")):
        if path.exists():
            with path.open("rb") as file:
                file.seek(int(entry.offset))
                for record in ArchiveIterator(file, record_types=_WANTED, parse_http=False):
                    return _stored(record)
    raise ArchiveError(
        f"{folder / entry.filename}: no record at {entry.offset}; "
        f"delete {folder / INDEX} and start the crawl: it makes the index again"
    )


def resolve(folder: Path, stored: Stored) -> Stored:
    """A revisit with the body of the record it refers to; other records unchanged."""
    if not stored.revisit:
        return stored
    entries = lookup(folder, stored.refers_to_url or stored.url)
    for entry in reversed(entries):
        if entry.mime != REVISIT and (not stored.digest or entry.digest == stored.digest or stored.status == 304):
            first = read_entry(folder, entry)
            return Stored(
                url=stored.url, time=stored.time, status=first.status, mime=first.mime, content_type=first.content_type,
                headers=first.headers, body=first.body, digest=first.digest, record_id=stored.record_id, revisit=True,
                refers_to_url=stored.refers_to_url, refers_to_date=stored.refers_to_date,
            )  # fmt: skip
    return stored


def index_entries(path: Path) -> Iterator[Entry]:
    """The index entries of a WARC file, read from its records."""
    for start, end, stored in _positions(path):
        yield Entry(
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


def _positions(path: Path) -> Iterator[tuple[int, int, Stored]]:
    """(offset, end, record): a record ends where the next one of any type begins."""
    waiting: tuple[int, Stored] | None = None
    records = 0
    try:
        with path.open("rb") as file:
            for record in ArchiveIterator(file, record_types=WarcRecordType.any_type, parse_http=False):
                records += 1
                if waiting:
                    yield waiting[0], record.stream_pos, waiting[1]
                    waiting = None
                if record.record_type & _WANTED:
                    waiting = (record.stream_pos, _stored(record))
    except OSError as problem:
        if problem.errno is not None:  # the disk, not the file's content
            raise
        if records == 0:
            yield from read_arc(path)
    if waiting:
        yield waiting[0], path.stat().st_size, waiting[1]


def _stored(record: WarcRecord) -> Stored:
    revisit = record.record_type == WarcRecordType.revisit
    resource = record.record_type == WarcRecordType.resource
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
    )


def read_arc(path: Path) -> Iterator[tuple[int, int, Stored]]:
    """The same of an ARC file, the older format, through warcio. What cannot be parsed ends the iteration."""
    from warcio.archiveiterator import ArchiveIterator as ArcIterator
    from warcio.exceptions import ArchiveLoadFailed

    try:
        with path.open("rb") as file:
            records = ArcIterator(file, arc2warc=True)
            for record in records:
                if record.rec_type != "response" or record.http_headers is None:
                    continue
                body = (
                    record.content_stream().read()
                    if not record.http_headers.get("Content-Encoding")
                    else (record.raw_stream.read())
                )
                content_type = record.http_headers.get_header("Content-Type") or ""
                offset = records.get_record_offset()
                yield (
                    offset,
                    offset + records.get_record_length(),
                    Stored(
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
                    ),
                )
    except (ArchiveLoadFailed, ValueError):
        return
