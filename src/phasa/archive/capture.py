"""One exchange with a server as the archive keeps it: what was asked, what came back, exactly; and as WARC/1.1 records,
one gzip member each, ready to be appended.

The headers of records are put together here: through fastwarc's record object each of the three records of a page costs
as much again as packing it (bench/warc.py). Reading is fastwarc's.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from isal import igzip
from msgspec import Struct, field

from phasa.errors import PhasaError
from phasa.web.exchange import Exchange, Hop

Headers = Sequence[tuple[str, str]]
Notes = tuple[tuple[str, str], ...]

# Headers that describe how the bytes travelled, not what they are. The archive keeps the entity without its
# transfer coding, so the header that announced it is kept under another name, as other archives do.
_TRAVEL = {"transfer-encoding": "X-Archive-Orig-Transfer-Encoding"}


class ArchiveError(PhasaError):
    """An archive that cannot be written or read as it should."""


class Capture(Struct, frozen=True):
    """A request and its answer. `request` is the head of the request as it went over the wire, empty when that is not
    known; `body` the entity as sent: de-chunked, content coding (gzip, br …) still on.

    `truncated` is the reason why the body is not whole ("length", "time", "disconnect"), or empty.
    `notes` go into a metadata record: what the crawl knew and found (via, depth, language …).
    """

    url: str
    status: int
    reason: str = ""
    headers: Headers = ()
    body: bytes = b""
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    request: bytes = b""
    version: str = "HTTP/1.1"
    address: str = ""
    truncated: str = ""
    notes: Notes = ()

    @property
    def mime(self) -> str:
        """The media type without parameters, in small letters; empty when the server named none."""
        return self.header("content-type").split(";")[0].strip().lower()

    def header(self, name: str) -> str:
        """The first value of an answer header, or the empty string."""
        return next((value for key, value in self.headers if key.lower() == name), "")

    def digest(self) -> bytes:
        """SHA-1 of the entity: de-chunked, content coding on (WARC/1.1 §5.9, the payload of an HTTP response)."""
        return hashlib.sha1(self.body, usedforsecurity=False).digest()

    def response_head(self) -> bytes:
        """Status line and headers as a block that ends with an empty line."""
        lines = [f"{self.version} {self.status} {self.reason}".rstrip()]
        for name, value in self.headers:
            lower = name.lower()
            if lower == "content-length" and value.strip() != str(len(self.body)):
                name = "X-Archive-Orig-Content-Length"
            lines.append(f"{_TRAVEL.get(lower, name)}: {value}")
        return header_block(lines)


class Location(NamedTuple):
    """Where a capture's response (or revisit) record stands."""

    file: str
    offset: int
    length: int


def captures_of(exchange: Exchange, notes: Notes = ()) -> list[Capture]:
    """Every answer of an exchange, redirects first; the notes go with the last one."""
    hops = exchange.hops
    return [_capture(hop, notes if hop is hops[-1] else ()) for hop in hops]


def _capture(hop: Hop, notes: Notes) -> Capture:
    version = hop.response_head[:8].decode("ascii", "replace") if hop.response_head[:5] == b"HTTP/" else "HTTP/1.1"
    return Capture(
        url=hop.url,
        status=hop.status,
        reason=hop.reason,
        headers=hop.headers,
        body=hop.wire_body,
        started=datetime.fromtimestamp(hop.started, UTC),
        request=hop.request_head,
        version=version,
        address=hop.address,
        truncated=hop.truncated,
        notes=notes,
    )


def base32(digest: bytes) -> str:
    """A SHA-1 digest as WARC and CDXJ write it. Its 32 numbers of five bits move apart into a byte each, halves first,
    and all are written at once: three times as fast as base64.b32encode."""
    number = int.from_bytes(digest, "big")
    for low, high, shift in _HALVES:
        number = number & low | (number & high) << shift
    return number.to_bytes(32, "big").translate(_LETTERS).decode()


def header_block(lines: list[str]) -> bytes:
    """First line and header lines as a block that ends with an empty line. Raises as `refuse_breaks`."""
    refuse_breaks(lines)
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "surrogateescape")


def refuse_breaks(lines: list[str]) -> None:
    """Raise ArchiveError for CR, LF or NUL in any of the lines: a record must not be split."""
    if bad := _BREAKS.search("\v".join(lines)):
        line = next(line for line in lines if bad[0] in line)
        raise ArchiveError(f"header value with a line break or NUL: {line[:80]!r}; refused")


_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".ljust(256)


def _halves(bits: int) -> tuple[int, int, int]:
    """Masks of the lower and of the upper halves of numbers that have so many bits twice, each in a room of 8/5 of
    that, and how far the upper halves move to have rooms of their own."""
    room = bits * 8 // 5
    low = sum(((1 << bits) - 1) << at for at in range(0, 256, 2 * room))
    return low, low << bits, room - bits


_HALVES = [_halves(bits) for bits in (80, 40, 20, 10, 5)]
_BREAKS = re.compile("[\r\n\0]")


REVISIT_SAME_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
REVISIT_NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"


def warc_date(moment: datetime) -> str:
    """A moment in the form of WARC-Date, to the microsecond, UTC."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")[:26] + "Z"  # 20 times as fast as strftime


def new_ids(count: int) -> list[str]:
    """Fresh record names without their brackets: random UUIDs, version 4."""
    digits = os.urandom(16 * count).hex()
    return [_uuid(digits[at : at + 32]) for at in range(0, len(digits), 32)]


def _uuid(digits: str) -> str:
    variant = "89ab"[int(digits[16], 16) & 3]
    return f"urn:uuid:{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"


def member(kind: str, record_id: str, shared: bytes, content: bytes, own: str = "") -> bytes:
    """One record as one gzip member. `shared` and `own` are whole header lines, as `header_lines` makes them."""
    block_digest = base32(hashlib.sha1(content, usedforsecurity=False).digest())
    head = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <{record_id}>\r\n{own}"
        f"WARC-Block-Digest: sha1:{block_digest}\r\nContent-Length: {len(content)}\r\n"
    )
    return pack(b"%b%b\r\n%b\r\n\r\n" % (head.encode("utf-8", "surrogateescape"), shared, content))


def pack(data: bytes) -> bytes:
    """One gzip member. ISA-L packs HTML ten times as fast as zlib's level 6 into an eighth more (bench/warc.py)."""
    return bytes(igzip.compress(data, 2, mtime=0))


def warcinfo(filename: str, fields: list[tuple[str, str]]) -> bytes:
    """The record that opens every file."""
    now = warc_date(datetime.now(UTC))
    headers = [("WARC-Date", now), ("WARC-Filename", filename), ("Content-Type", "application/warc-fields")]
    (record_id,) = new_ids(1)
    return member("warcinfo", record_id, header_lines(headers).encode(), fields_block(fields))


def fields_block(fields: list[tuple[str, str]]) -> bytes:
    """`name: value` lines. Values come from pages too: a line break in one becomes a space."""
    lines = [f"{name}: {' '.join(value.replace(chr(0), ' ').split())}" for name, value in fields]
    return "".join(f"{line}\r\n" for line in lines).encode("utf-8", "surrogateescape")


def common_headers(capture: Capture, date: str) -> bytes:
    """The header lines that request, response, revisit and metadata records of one capture share."""
    headers = [("WARC-Target-URI", capture.url), ("WARC-Date", date)]
    if capture.address:
        headers.append(("WARC-IP-Address", capture.address))
    return header_lines(headers).encode("utf-8", "surrogateescape")


def header_lines(headers: list[tuple[str, str]]) -> str:
    """Headers as lines, each with its end. Raises ArchiveError when a value would break the record."""
    lines = [f"{name}: {value}" for name, value in headers]
    refuse_breaks(lines)
    return "\r\n".join([*lines, ""])
