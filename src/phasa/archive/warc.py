"""Writing captures into rotating WARC files that survive being killed.

A capture's records are appended in one write; the caller's bookkeeping comes after it. The file being written is
called `….warc.gz.open`. Starting again cuts a torn tail off such files, closes them and indexes them (`repair`).
"""

from __future__ import annotations

import fcntl
import logging
import os
import socket
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from phasa import __version__
from phasa.archive.capture import (
    REVISIT_NOT_MODIFIED,
    REVISIT_SAME_PAYLOAD,
    ArchiveError,
    Capture,
    Location,
    base32,
    common_headers,
    fields_block,
    header_lines,
    member,
    new_ids,
    warc_date,
    warcinfo,
)
from phasa.archive.cdxj import Entry, IndexFile
from phasa.archive.digests import DIGESTS, Digests, Original
from phasa.archive.repair import finish_open_files, index_all_again
from phasa.archive.shelf import OPEN, finished_files
from phasa.files import naming

GIGABYTE = 1_000_000_000
_LOG = logging.getLogger(__name__)


class WarcWriter:
    """Appends captures to WARC files in a folder, one writer per worker.

    `worker` makes file names of several writers in one folder distinct. `rotate_bytes` is the size after which a new
    file is begun. `dedup` writes a revisit record instead of a body that is already in the archive.
    """

    def __init__(
        self,
        folder: Path,
        *,
        worker: int = 0,
        rotate_bytes: int = GIGABYTE,
        info: Iterable[tuple[str, str]] = (),
        dedup: bool = True,
    ) -> None:
        self.folder = folder
        self._worker = worker
        self._rotate_bytes = rotate_bytes
        self._info = [("software", f"phasa/{__version__}"), ("format", "WARC File Format 1.1"), *info]
        folder.mkdir(parents=True, exist_ok=True)
        self._digests = Digests(folder / DIGESTS) if dedup else None
        self.repaired = finish_open_files(folder, self._digests)
        if worker == 0 and not any(folder.glob("*.cdxj")) and finished_files(folder):
            index_all_again(folder)
        self._file = -1
        self._name = ""
        self._size = 0
        self._count = 0
        self._index: IndexFile | None = None

    def __enter__(self) -> WarcWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def write(self, capture: Capture) -> Location:
        """Append request, response (or revisit) and metadata records. Raises ArchiveError, with nothing appended."""
        digest = capture.digest()
        original = self._digests.get(digest) if self._digests and capture.body and not capture.truncated else None
        name, date = base32(digest), warc_date(capture.started)
        records, at, record_id = _records(capture, name, date, original)
        start = self._append(b"".join(records))
        offset = start + sum(map(len, records[:at]))
        location = Location(self._name, offset, len(records[at]))
        assert self._index is not None
        self._index.add(Entry.of(capture, location, name, date, revisit=original is not None))
        if self._digests and original is None and capture.body and capture.status == 200 and not capture.truncated:
            self._digests.add(digest, Original(capture.url, date, record_id), *location[:2])
        return location

    def sync(self) -> None:
        """Return only when everything written is on the disk itself. Raises ArchiveError when it cannot be."""
        if self._file >= 0:
            with naming(self.folder / self._name):
                os.fdatasync(self._file)
            if self._index is not None:
                self._index.flush()

    def close(self) -> None:
        """Finish the open file under its final name with its index."""
        if self._file >= 0:
            self.sync()
            os.close(self._file)
            self._file = -1
            (self.folder / (self._name + OPEN)).rename(self.folder / self._name)
            if self._index:
                self._index.finish()
                self._index = None
        if self._digests:
            self._digests.close()
            self._digests = None

    def _append(self, data: bytes) -> int:
        if self._file >= 0 and self._size + len(data) > self._rotate_bytes and self._count > 0:
            self._rotate()
        if self._file < 0:
            self._begin()
        start = self._size
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(self._file, view) :]
        except OSError as problem:
            os.ftruncate(self._file, start)  # no half record stays behind
            os.lseek(self._file, start, os.SEEK_SET)
            raise ArchiveError(f"{self.folder / self._name}: cannot write: {problem.strerror}") from problem
        self._size += len(data)
        self._count += 1
        return start

    def _rotate(self) -> None:
        _LOG.info("%s: finished at %d bytes", self.folder / self._name, self._size)
        digests, self._digests = self._digests, None
        if digests:
            digests.commit()
        self.close()
        self._digests = digests

    def _begin(self) -> None:
        stamp = datetime.now(UTC).strftime("%Y%m%d%H%M%S%f")
        self._name = f"phasa-{stamp}-{self._worker:02d}.warc.gz"
        path = self.folder / (self._name + OPEN)
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
        fcntl.flock(self._file, fcntl.LOCK_EX)  # while its writer lives nobody finishes it in its place
        self._size = self._count = 0
        self._index = IndexFile(self.folder, self._name)
        header = warcinfo(self._name, [*self._info, ("hostname", socket.gethostname())])
        try:
            self._append(header)
        except ArchiveError:
            os.close(self._file)
            self._file = -1
            path.unlink()
            self._index.abandon()
            raise
        self._count = 0


def _records(capture: Capture, digest: str, date: str, original: Original | None) -> tuple[list[bytes], int, str]:
    """The gzip members of one capture, which of them is the response, and its record name."""
    common = common_headers(capture, date)
    record_id, request_id, notes_id = new_ids(3)
    concurrent = f"WARC-Concurrent-To: <{record_id}>\r\n"
    records = []
    if capture.request:
        own = f"{concurrent}Content-Type: application/http; msgtype=request\r\n"
        records.append(member("request", request_id, common, capture.request, own))
    at = len(records)
    own = "Content-Type: application/http; msgtype=response\r\n"
    if capture.truncated:
        own += header_lines([("WARC-Truncated", capture.truncated)])
    payload = f"WARC-Payload-Digest: sha1:{digest}\r\n"
    if capture.status == 304:
        own += f"WARC-Profile: {REVISIT_NOT_MODIFIED}\r\n"
        records.append(member("revisit", record_id, common, capture.response_head(), own))
    elif original is not None:
        refers = [
            ("WARC-Profile", REVISIT_SAME_PAYLOAD),
            ("WARC-Refers-To-Target-URI", original.url),
            ("WARC-Refers-To-Date", original.date),
            ("WARC-Refers-To", f"<{original.record_id}>"),
        ]
        own += header_lines(refers) + payload
        records.append(member("revisit", record_id, common, capture.response_head(), own))
    else:
        block = capture.response_head() + capture.body
        records.append(member("response", record_id, common, block, own + payload))
    if capture.notes:
        own = f"{concurrent}Content-Type: application/warc-fields\r\n"
        records.append(member("metadata", notes_id, common, fields_block(list(capture.notes)), own))
    return records, at, record_id
