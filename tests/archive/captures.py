"""Captures for the archive tests, and warcio's verdict on a file."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from warcio.checker import Checker

from phasa.archive.capture import Capture


def page(number: int = 1, body: bytes | None = None, **more: object) -> Capture:
    """A small Thai page; any field may be given another value."""
    fields: dict[str, object] = {
        "url": f"http://a.example.th/p{number}",
        "status": 200,
        "reason": "OK",
        "headers": (("Content-Type", "text/html; charset=utf-8"), ("X-Twice", "1"), ("X-Twice", "2")),
        "body": f"<title>หน้า {number}</title><p>เนื้อหา {number}".encode() if body is None else body,
        "started": datetime(2026, 11, 15, 12, 0, number % 60, 250_000, UTC),
        "request": f"GET /p{number} HTTP/1.1\r\nHost: a.example.th\r\nUser-Agent: phasa\r\n\r\n".encode(),
        "address": "192.0.2.7",
        "notes": (("via", "http://a.example.th/"), ("language", "th")),
        **more,
    }
    return Capture(**fields)  # type: ignore[arg-type]


def warcio_says_fine(path: Path) -> bool:
    """What `warcio check` says of a file."""

    class Options:
        inputs = (str(path),)
        verbose = False

    checker = Checker(Options())
    checker.process_all()
    return bool(checker.exit_value == 0)
