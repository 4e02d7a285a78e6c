"""The bytes of a feed document made ready for reading: UTF-8, no XML declaration, no document type.

Large documents are recoded in pieces and judged by a sample, since one character outside of the basic plane makes a
text of Python four times as large as its bytes.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from phasa.web.charset import declared, decode

MOST_BYTES = 10 * 1024 * 1024
# Documents up to this size are decoded as a whole; of larger ones so much is looked at.
_SAMPLE = 512 * 1024
# The longest document type whose end is looked for.
_LONGEST_DOCTYPE = 500_000
# Comments and instructions that may stand before it.
_MOST_BEFORE = 100
_PIECE = 65_536

_DECLARATION = re.compile(rb"^\s*<\?xml[^<>]{0,400}?\?{1,2}>", re.IGNORECASE)
_NEXT = re.compile(rb"[\s>]*(<!DOCTYPE|<!--|<\?)", re.IGNORECASE)
_DOCTYPE_MARK = re.compile(rb"""["'\[\]>]|<!--""")
_CLOSINGS = {b'"': b'"', b"'": b"'", b"<!--": b"-->"}
_NOT_ASCII = re.compile(rb"[\x80-\xff]")
_MARK, _REPLACED = b"\xef\xbb\xbf", b"\xef\xbf\xbd"


class Recoded(NamedTuple):
    """The document in UTF-8, the encoding it was in, what was left out or replaced, and whether its end was."""

    data: bytes
    charset: str
    faults: list[str]
    cut: bool


def recode(body: bytes, content_type: str | None = None, hint: str | None = None) -> Recoded:
    """The document of a body. `content_type` is the header's value, `hint` a language code. Never raises."""
    faults: list[str] = []
    if len(body) > MOST_BYTES:
        body = body[:MOST_BYTES]
        faults.append(f"longer than {MOST_BYTES} bytes, the rest was left out")
    data, charset = _utf8(body, content_type, hint)
    faults += _mislabelled(body, content_type, charset)
    if _REPLACED in data and _REPLACED not in body:
        faults.append(f"bytes that are not {charset}")
    if len(data) >= MOST_BYTES > len(body):
        faults.append(f"longer than {MOST_BYTES} bytes in UTF-8, the rest was left out")
    return Recoded(_without_doctype(data.removeprefix(_MARK)), charset, faults, len(data) >= MOST_BYTES)


def _mislabelled(body: bytes, content_type: str | None, charset: str) -> list[str]:
    """What the labels of a document have wrong. A media type of text/xml says nothing of the encoding (RFC 7303)."""
    faults = []
    media = (content_type or "").partition(";")[0].strip().lower()
    if media.startswith(("text/plain", "image/", "audio/", "video/")):
        faults.append(f"served as {media}")
    label = declared(body, content_type)
    if label and not _known(label):
        faults.append(f"an encoding that nobody knows: {label[:40]}")
    elif not label and not charset.startswith("utf-"):
        faults.append(f"no encoding declared, read as {charset}")
    return faults


def _utf8(body: bytes, content_type: str | None, hint: str | None) -> tuple[bytes, str]:
    if len(body) <= _SAMPLE:
        decoded = decode(body, content_type, hint)
        if decoded.charset == "utf-8" and "\ufffd" not in decoded.text:
            return body, "utf-8"
        return decoded.text.encode("utf-8", "replace"), decoded.charset
    charset = decode(_sample(body), content_type, hint).charset
    if charset == "utf-8" and _valid(body):
        return body, charset
    # The names that the web uses are not all known to Python.
    name = charset if _known(charset) else "cp" + charset.rpartition("-")[2]
    decoder = codecs.getincrementaldecoder(name)("replace")
    pieces = bytearray()
    for start in range(0, len(body), _PIECE):
        pieces += decoder.decode(body[start : start + _PIECE], start + _PIECE >= len(body)).encode("utf-8", "replace")
        if len(pieces) > MOST_BYTES:
            del pieces[MOST_BYTES:]
            break
    return bytes(pieces), charset


def _sample(body: bytes) -> bytes:
    """What the encoding is judged by: the beginning, and in a document that begins in ASCII where it ceases to be."""
    other = _NOT_ASCII.search(body)
    if other is None or other.start() < _SAMPLE // 2:
        return body[:_SAMPLE]
    return body[:4096] + body[other.start() : other.start() + _SAMPLE]


def _valid(body: bytes) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(body), _PIECE):
            decoder.decode(body[start : start + _PIECE])
        decoder.decode(b"", True)
    except UnicodeDecodeError:
        return False
    return True


def _known(charset: str) -> bool:
    try:
        codecs.lookup(charset)
    except LookupError:
        return False
    return True


def _without_doctype(data: bytes) -> bytes:
    """Cut off declaration and document type: what these declare is done already, or would be expanded or fetched."""
    declaration = _DECLARATION.match(data)
    begin = declaration.end() if declaration else 0
    at = _doctype(data, begin)
    if at >= 0:
        return data[begin:at].lstrip() + data[_end_of_doctype(data, at + len(b"<!DOCTYPE")) :]
    rest = data[begin:] if begin else data
    return rest.lstrip() if rest[:1].isspace() else rest


def _doctype(data: bytes, at: int) -> int:
    """Where the document type begins, after comments and instructions only; -1 when there is none."""
    for _ in range(_MOST_BEFORE):
        found = _NEXT.match(data, at)
        opening = found.group(1).upper() if found else b""
        if found is None or opening == b"<!DOCTYPE":
            return found.start(1) if found else -1
        end = data.find(b"-->" if opening == b"<!--" else b"?>", found.end())
        if end < 0:
            return -1
        at = end + 2
    return -1


def _end_of_doctype(data: bytes, at: int) -> int:
    opened, end = 0, at + _LONGEST_DOCTYPE
    while at < end and (found := _DOCTYPE_MARK.search(data, at)):
        mark, at = found.group(), found.end()
        if mark in _CLOSINGS:
            closing = data.find(_CLOSINGS[mark], at)
            if closing < 0:
                break
            at = closing + len(_CLOSINGS[mark])
        elif mark == b">" and opened <= 0:
            return at
        else:
            opened += (mark == b"[") - (mark == b"]")
    return len(data)
