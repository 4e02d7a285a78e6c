"""Bytes to text: which encoding a document is really in, and why we think so.

What a server or a page declares is a claim, not a fact: it is checked by decoding.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from resiliparse.parse.encoding import detect_encoding

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_META = re.compile(rb"""<(?:meta|\?xml)\b[^>]*?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_HEADER = re.compile(r"""charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)


class Decoded(NamedTuple):
    """The text, the encoding it was read with, and what spoke for it."""

    text: str
    charset: str
    evidence: str


def decode(body: bytes, header: str | None = None, hint: str | None = None) -> Decoded:
    """The text of `body`. `header` is the Content-Type value, `hint` a language code. Never raises."""
    for mark, name in _BOMS:
        if body.startswith(mark):
            return Decoded(body[len(mark) :].decode(name, "replace"), name, "bom")
    try:
        return Decoded(body.decode("utf-8"), "utf-8", "valid utf-8")
    except UnicodeDecodeError:
        pass
    claims = [(found[1], "header") for found in [_HEADER.search(header or "")] if found]
    claims += [(found[1].decode("ascii"), "meta") for found in [_META.search(body[:4096])] if found]
    claims.append((str(detect_encoding(body)), "statistics"))
    for name, evidence in claims:
        try:
            return Decoded(body.decode(name), name.lower(), evidence)
        except (LookupError, UnicodeDecodeError):
            continue
    return Decoded(body.decode("windows-1252", "replace"), "windows-1252", "nothing better")
