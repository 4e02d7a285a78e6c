"""Where log messages go. Every part writes to `logging.getLogger(__name__)`; nothing is shown unless somebody asks.

`phasa -v …` shows what happens on standard error, `-vv` in detail, `--log-json` as one JSON object a line; a crawl and
a feed watch also keep a log file in their collection. Worker processes do as the process that started them.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

FILE = "phasa.log"
FILE_BYTES = 5_000_000
OLD_FILES = 3
_VARIABLE = "PHASA_LOG"  # "LEVEL" or "LEVEL json": how workers learn what their parent was asked for
_KNOWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class PlainFormat(logging.Formatter):
    """`2026-11-16T18:40:12Z INFO crawl.loop: message`: one line a message, tracebacks below it."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(part)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        record.part = record.name.removeprefix("phasa.")
        return super().format(record)

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: N802 - of logging
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created))


class JsonFormat(logging.Formatter):
    """One JSON object a line: time, level, part, process, message, the message's own fields, traceback if any."""

    def format(self, record: logging.LogRecord) -> str:
        import msgspec

        row: dict[str, object] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03d}Z",
            "level": record.levelname,
            "part": record.name.removeprefix("phasa."),
            "process": record.process,
            "message": record.getMessage(),
        }
        row.update((key, value) for key, value in vars(record).items() if key not in _KNOWN and key != "part")
        if record.exc_info:
            row["traceback"] = self.formatException(record.exc_info)
        return msgspec.json.encode(row, enc_hook=str).decode()


def take_log_options(arguments: Sequence[str]) -> list[str]:
    """The arguments of a command without `-v`, `-vv`, `--verbose` and `--log-json`, wherever they stood before a `--`;
    logging to standard error is set up as they say."""
    rest = list(arguments)
    end = rest.index("--") if "--" in rest else len(rest)
    asked = [word for word in rest[:end] if word in ("-v", "-vv", "--verbose", "--log-json")]
    louder = sum(2 if word == "-vv" else 1 for word in asked if word != "--log-json")
    if asked:
        level = logging.DEBUG if louder > 1 else logging.INFO
        log_to_stderr(level, as_json="--log-json" in asked)
    return [word for place, word in enumerate(rest) if place >= end or word not in asked]


def log_to_stderr(level: int, *, as_json: bool = False) -> None:
    """Show messages of that level and above on standard error, here and in worker processes."""
    os.environ[_VARIABLE] = f"{logging.getLevelName(level)}{' json' if as_json else ''}"
    handler = logging.StreamHandler(sys.stderr)
    _add(handler, level, as_json)


def log_as_parent() -> None:
    """In a worker process: log as the process that started it."""
    words = os.environ.get(_VARIABLE, "").split()
    if words:
        log_to_stderr(logging.getLevelNamesMapping().get(words[0], logging.INFO), as_json="json" in words)


@contextmanager
def logged_to_file(folder: Path) -> Iterator[None]:
    """Inside the block, keep messages from INFO on in `phasa.log` of a folder, in four files of 5 MB at most. A folder
    that cannot be written to has no log."""
    from logging.handlers import RotatingFileHandler  # loads sockets and queues, which most commands do without

    try:
        handler = RotatingFileHandler(folder / FILE, maxBytes=FILE_BYTES, backupCount=OLD_FILES, encoding="utf-8")
    except OSError:
        yield
        return
    _add(handler, logging.INFO, "json" in os.environ.get(_VARIABLE, "").split())
    try:
        yield
    finally:
        logging.getLogger("phasa").removeHandler(handler)
        handler.close()


def _add(handler: logging.Handler, level: int, as_json: bool) -> None:
    handler.setLevel(level)
    handler.setFormatter(JsonFormat() if as_json else PlainFormat())
    root = logging.getLogger("phasa")
    root.setLevel(min(level, root.level or level))
    root.addHandler(handler)
