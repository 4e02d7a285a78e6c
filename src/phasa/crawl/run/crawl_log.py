"""crawl.log: one line per URL that was tried, in the manner that web archivists know from Heritrix.

    time  status  bytes  url  depth  via  mime  seconds  reason  wanted  language  record  charset

Fields are separated by one space; an empty field is `-`. Lines of older crawls end with the record.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from xxhash import xxh3_64_intdigest

from phasa.files import naming
from phasa.frontier.outbox import ShortenedError
from phasa.frontier.protocol import Ending, Lease
from phasa.seals import unseal


class CrawlLog:
    """The log of a crawl (`frontier.outbox.Journal`): lines are appended after their leases were committed, the lines
    of one commit in one write, by several workers in turn."""

    def __init__(self, path: Path) -> None:
        self._path = path
        unseal(path)
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)

    def text(self, finished: Iterable[tuple[Lease, Ending]]) -> str:
        lines = "".join([line(lease, ending) for lease, ending in finished])
        return lines.encode("utf-8", "backslashreplace").decode()

    def size(self) -> int:
        return os.fstat(self._file).st_size

    def append(self, text: str) -> None:
        """Raises OSError that names the file when it cannot be written."""
        view = memoryview(text.encode())
        with naming(self._path):
            while view:
                view = view[os.write(self._file, view) :]

    def complete(self, begin: int, text: str) -> None:
        if self.size() < begin:
            raise ShortenedError
        self._cut_torn_line()
        there: set[bytes] = set()
        with self._path.open("rb") as file:
            file.seek(begin)
            there.update(file if text else ())
        self.append("".join(line for line in text.splitlines(keepends=True) if line.encode() not in there))

    def _cut_torn_line(self) -> None:
        """A line that a full disk or a power cut left unfinished goes: it is in the outbox."""
        size = self.size()
        tail = os.pread(self._file, 1 << 16, max(0, size - (1 << 16)))
        if tail and not tail.endswith(b"\n"):
            os.ftruncate(self._file, size - len(tail) + tail.rfind(b"\n") + 1)

    def close(self) -> None:
        os.close(self._file)


def line(lease: Lease, ending: Ending) -> str:
    """The line of one ended lease, with its line end."""
    visit = ending.visit
    time = time_text(ending.at)
    if visit is None:
        fields = [time, "-", "-", lease.url, lease.depth, lease.source, "", "", ending.reason, "", "", "", ""]
    else:
        wanted = "" if visit.wanted is None else "wanted" if visit.wanted else "other"
        fields = [
            *(time, visit.status or "-", visit.size, lease.url, lease.depth, lease.source, visit.mime),
            *(f"{visit.seconds:.3f}", ending.reason, wanted, visit.language, visit.record, visit.charset),
        ]
    return " ".join(str(field).replace(" ", "_").replace("\n", "_") or "-" for field in fields) + "\n"


def time_text(at: float) -> str:
    """A moment as the log has it: ISO 8601 in UTC, to the millisecond."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")[:23] + "Z"


class Logged(msgspec.Struct, frozen=True):
    """One line read back. `status` is 0 and `size` 0 where nothing came; `wanted` is absent for what was not judged."""

    time: str
    status: int
    size: int
    url: str
    depth: int
    via: str
    mime: str
    reason: str
    wanted: bool | None
    language: str
    record: str
    charset: str

    @property
    def at(self) -> float:
        """Seconds since 1970."""
        return datetime.fromisoformat(self.time).timestamp()

    @property
    def outcome(self) -> str:
        """The status, or why nothing came, without its details."""
        if self.status:
            return str(self.status)
        return self.reason.partition(":")[0].replace("_", " ") or "no answer"


def read_log(path: Path) -> Iterator[Logged]:
    """The lines of a log in their order; what is torn is passed over."""
    with path.open("rb") as file:
        for raw in file:
            if (found := parse_line(raw.decode("utf-8", "replace"))) is not None:
                yield found


def parse_line(text: str) -> Logged | None:
    """A line of the log; None for one that is torn or no line of the log."""
    fields = ["" if field == "-" else field for field in text.rstrip("\n").split(" ")]
    if not 12 <= len(fields) <= 13:
        return None
    time, status, size, url, depth, via, mime, _, reason, wanted, language, record, *charset = fields
    try:
        datetime.fromisoformat(time)
        return Logged(
            *(time, int(status or 0), int(size or 0), url, int(depth or 0), via, mime, reason),
            None if not wanted else wanted == "wanted",
            *(language, record, charset[0] if charset else ""),
        )
    except ValueError:
        return None


def complete_log(log: CrawlLog, path: Path, ended: Iterable[tuple[Lease, Ending]]) -> int:
    """Append the lines of ended leases that a log does not have; how many. A URL that has no visit has one line at
    any time."""
    log.complete(0, "")  # no line may be appended to a torn one
    there: set[int] = set()
    for known in read_log(path):
        there.add(_hash(known.url))
        there.add(_hash(f"{known.url} {known.time}"))
        if known.record:
            there.add(_hash(f"{known.url} {known.record}"))
    written = 0
    lines: list[str] = []
    for lease, ending in ended:
        url = lease.url.replace(" ", "_")
        # By its time or by its record: a frontier that was made again from the archive has other times.
        keys = [f"{url} {time_text(ending.at)}", f"{url} {ending.visit.record}"] if ending.visit is not None else [url]
        if there.isdisjoint(map(_hash, keys)):
            lines.append(log.text([(lease, ending)]))
            written += 1
        if len(lines) >= 500:
            log.append("".join(lines))
            lines.clear()
    log.append("".join(lines))
    return written


def _hash(text: str) -> int:
    return xxh3_64_intdigest(text.encode("utf-8", "backslashreplace"))
