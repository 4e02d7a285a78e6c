"""WARC/1.1 records as bytes: one gzip member each, ready to be appended.

The headers are put together here: through fastwarc's record object each of the three records of a page costs as much
again as packing it (bench/warc.py). Reading is fastwarc's.
"""

from __future__ import annotations

import hashlib
import os
from datetime import UTC, datetime

from isal import igzip

from phasa.archive.capture import Capture, base32, header_block

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
    headers: list[tuple[str, str]],
    content: bytes,
    *,
    record_id: str = "",
    payload_digest: bytes | None = None,
) -> bytes:
    """One record as one gzip member. Raises ArchiveError when a header value would break the record."""
    lines = [f"WARC-Type: {kind}", f"WARC-Record-ID: <{record_id or new_id()}>"]
    lines += [f"{name}: {value}" for name, value in headers]
    if payload_digest is not None:
        lines.append(f"WARC-Payload-Digest: sha1:{base32(payload_digest)}")
    block_digest = base32(hashlib.sha1(content, usedforsecurity=False).digest())
    lines += [f"WARC-Block-Digest: sha1:{block_digest}", f"Content-Length: {len(content)}"]
    return pack(header_block("WARC/1.1", lines) + content + b"\r\n\r\n")


def pack(data: bytes) -> bytes:
    """One gzip member. ISA-L packs HTML ten times as fast as zlib's level 6 into an eighth more (bench/warc.py)."""
    return bytes(igzip.compress(data, 2, mtime=0))


def warcinfo(filename: str, fields: list[tuple[str, str]]) -> bytes:
    """The record that opens every file."""
    now = warc_date(datetime.now(UTC))
    headers = [("WARC-Date", now), ("WARC-Filename", filename), ("Content-Type", "application/warc-fields")]
    return member("warcinfo", headers, fields_block(fields))


def fields_block(fields: list[tuple[str, str]]) -> bytes:
    """`name: value` lines. Values come from pages too: a line break in one becomes a space."""
    lines = [f"{name}: {' '.join(value.replace(chr(0), ' ').split())}" for name, value in fields]
    return "".join(f"{line}\r\n" for line in lines).encode("utf-8", "surrogateescape")


def common_headers(capture: Capture) -> list[tuple[str, str]]:
    """The headers that request, response, revisit and metadata records of one capture share."""
    headers = [("WARC-Target-URI", capture.url), ("WARC-Date", warc_date(capture.started))]
    if capture.address:
        headers.append(("WARC-IP-Address", capture.address))
    return headers
