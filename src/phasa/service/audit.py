"""Who changed what: one line of JSON for each change, in `audit.jsonl` of the collection."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec

from phasa.service.formatting import encode
from phasa.service.who import Who

FILE = "audit.jsonl"
LONGEST = 300
SECRETS = ("password", "token", "csrf", "secret")
_TAIL = 200_000


class AuditLine(msgspec.Struct, frozen=True):
    """A change, or a try: when, who, how they are known, from where, what they asked, and the status of the answer."""

    time: float
    who: str
    role: str
    way: str
    address: str
    what: str
    values: dict[str, str]
    status: int


class Audit:
    """The file, appended to by any thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()

    def write(self, who: Who, address: str, what: str, values: Mapping[str, object], status: int) -> None:
        """Append a line; secrets are left out, long values cut. A disk that takes no line does not stop the change."""
        shown = {name: str(value)[:LONGEST] for name, value in values.items() if name not in SECRETS}
        line = AuditLine(round(time.time(), 3), who.name, who.role, who.way, address, what, shown, status)
        try:
            with self._lock:
                file = os.open(self._path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
                try:
                    os.write(file, encode(line) + b"\n")
                finally:
                    os.close(file)
        except OSError:
            pass

    def latest(self, most: int) -> list[AuditLine]:
        """The latest lines, newest first; what is torn is passed over."""
        try:
            with self._path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - _TAIL))
                lines = file.read().splitlines()
        except OSError:
            return []
        found: list[AuditLine] = []
        for raw in reversed(lines):
            try:
                found.append(msgspec.json.decode(raw, type=AuditLine))
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue
            if len(found) == most:
                break
        return found
