"""WARC/1.1 records as bytes: one gzip member each, ready to be appended.

The headers are put together here: through fastwarc's record object each of the three records of a page costs as much
again as packing it (bench/warc.py). Reading is fastwarc's.
"""

from __future__ import annotations

import hashlib
import os
from datetime import UTC, datetime

from isal import igzip

from phasa.archive.capture import Capture, base32, refuse_breaks

REVISIT_SAME_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
REVISIT_NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"


def warc_date(moment: datetime) -> str:
    """A moment in the form of WARC-Date, to the microsecond, UTC."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")[:26] + "Z"  # 20 times as fast as strftime


def new_id() -> str:
    """A fresh record name without its brackets: a random UUID, version 4."""
    digits = os.urandom(16).hex()
    variant = "89ab"[int(digits[16], 16) & 3]
    return f"urn:uuid:{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"


def member(
    kind: str,
    shared: bytes,
    content: bytes,
    own: str = "",
    *,
    record_id: str = "",
) -> bytes:
    """One record as one gzip member. `shared` and `own` are whole header lines, as `header_lines` makes them."""
    block_digest = base32(hashlib.sha1(content, usedforsecurity=False).digest())
    head = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <{record_id or new_id()}>\r\n{own}"
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
    return member("warcinfo", header_lines(headers).encode(), fields_block(fields))


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
