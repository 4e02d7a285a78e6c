"""A unit of work as records: the captures of a range of an archive file, or one record for each small file."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from phasa.archive.damage import Damage, note
from phasa.archive.reader import Stored, positions
from phasa.corpus.document import Document, Drop
from phasa.corpus.page import RawPage
from phasa.corpus.sources import Unit, is_text
from phasa.web.http import PAGE_TYPES

LARGEST = 20_000_000
"""Bytes of a body; a larger one is no page for readers."""
_TEXT = "text/plain"
_HEADERS = frozenset(("x-robots-tag", "tdm-reservation"))
Record = tuple[Document, RawPage | None]


def read_unit(unit: Unit, wanted: frozenset[str] = frozenset()) -> Iterator[Record]:
    """Every record of a unit as the beginning of a document and its page; without a page when it was dropped here.
    `wanted`: only these addresses, when there are any."""
    if not unit.is_archive:
        for one, name in zip(unit.paths, unit.names, strict=True):
            if (record := _file(Path(one), name)) is not None and (not wanted or record[0].url in wanted):
                yield record
        return
    path, name = Path(unit.paths[0]), unit.names[0]
    try:
        for offset, _, stored in positions(path, unit.start, unit.end, texts=True):
            if not wanted or stored.url in wanted:
                yield _capture(stored, name, offset)
    except OSError as problem:
        note(Damage(path, unit.start, f"cannot be read ({problem.strerror or problem})"))


def host_of(url: str) -> str:
    """The host of an address, lower case; '' for what is none."""
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


def _capture(stored: Stored, name: str, offset: int) -> Record:
    document = Document(stored.url, host_of(stored.url), _moment(stored.time), name, offset)
    if reason := _unread(stored):
        return _without(document, reason), None
    coding = next((value for key, value in stored.headers if key.lower() == "content-encoding"), "")
    kept = tuple((key, value) for key, value in stored.headers if key.lower() in _HEADERS)
    html = stored.mime != _TEXT
    return document, RawPage(stored.body, stored.url, stored.content_type, coding, kept, html)


def _unread(stored: Stored) -> str:
    """Why a capture is not read; '' when it is."""
    if stored.revisit:
        return "revisit"
    if stored.status != 200:
        return "status"
    if stored.mime not in PAGE_TYPES and not (stored.mime == _TEXT and not stored.headers):
        return "not_html"
    return "too_large" if len(stored.body) > LARGEST else "" if stored.body else "empty"


def _file(path: Path, name: str) -> Record | None:
    url = _address(name)
    try:
        size = path.stat().st_size
        time = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        body = path.read_bytes() if size <= LARGEST else b""
    except OSError as problem:
        note(Damage(path, 0, f"cannot be read ({problem.strerror or problem})"))
        return None
    document = Document(url, host_of(url), _moment(time), name, 0)
    if size > LARGEST:
        return _without(document, "too_large"), None
    if not body:
        return _without(document, "empty"), None
    return document, RawPage(body, url if url.startswith("http") else "", html=not is_text(name))


def _address(name: str) -> str:
    """The address of a file: `host/path.html` is a page of that host, as mirrors are kept; else the file itself."""
    first, slash, _ = name.partition("/")
    if slash and "." in first and " " not in first:
        return "http://" + quote(unquote(name), safe="/:?&=%~+,;@!$'()*")
    return "file:" + quote(name)


def _without(document: Document, reason: str) -> Document:
    from msgspec.structs import replace

    return replace(document, drop=Drop("read", reason))


def _moment(time: datetime) -> str:
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
