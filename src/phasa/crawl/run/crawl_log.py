"""crawl.log: one line per URL that was tried, in the manner that web archivists know from Heritrix.

    time  status  bytes  url  depth  via  mime  seconds  reason  wanted  language  record  charset

Fields are separated by one space; an empty field is `-`. Lines of older crawls end with the record.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from phasa.frontier.protocol import Ending, Lease


class CrawlLog:
    """Appends lines; they reach the file with `flush`, at the latest every few hundred lines."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", encoding="utf-8", errors="backslashreplace")
        self._lines: list[str] = []

    def write(self, lease: Lease, ending: Ending) -> None:
        self._lines.append(line(lease, ending))
        if len(self._lines) >= 500:
            self.flush()

    def flush(self) -> None:
        self._file.write("".join(self._lines))
        self._lines.clear()
        self._file.flush()

    def close(self) -> None:
        self.flush()
        self._file.close()


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
