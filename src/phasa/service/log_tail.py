"""The end of the crawl log as it grows: what was fetched last, and what went wrong."""

from __future__ import annotations

from pathlib import Path

import msgspec

from phasa.crawl.run.crawl_log import Logged, parse_line

SHOWN = 25
_MOST_BYTES = 65_536


class LogLine(msgspec.Struct, frozen=True):
    """One fetch. `answer` is the key under which the Collection page lists such fetches; `reason` is for a person."""

    time: str
    url: str
    answer: str
    reason: str
    bad: bool
    language: str
    wanted: bool | None


class LogLines(msgspec.Struct, frozen=True):
    """New lines, oldest first."""

    lines: list[LogLine]


class LogTail:
    """Follows one log; a log that became shorter is read from its beginning."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._place = -1

    def read(self, most: int = SHOWN) -> list[LogLine]:
        """The whole lines that came since the last time, at most so many of the latest; oldest first."""
        try:
            size = self._path.stat().st_size
            if size < self._place:
                self._place = 0
            start = max(self._place, size - _MOST_BYTES, 0)
            with self._path.open("rb") as file:
                file.seek(start)
                content = file.read(size - start)
        except OSError:
            return []
        whole = content[: content.rfind(b"\n") + 1]
        if start > max(self._place, 0):  # begun in the middle of a line
            whole = whole[whole.find(b"\n") + 1 :]
        self._place = start + content.rfind(b"\n") + 1
        lines = [parse_line(line.decode("utf-8", "replace")) for line in whole.splitlines()[-most:]]
        return [_line(line) for line in lines if line is not None]


def _line(line: Logged) -> LogLine:
    bad = not line.status or line.status >= 400
    return LogLine(
        line.time, line.url[:2000], line.outcome, line.reason[:300] if bad else "", bad, line.language, line.wanted
    )
