"""JSON Feed: only what we keep is built, whatever else the document holds."""

from __future__ import annotations

from msgspec import DecodeError, Raw, Struct, ValidationError
from msgspec.json import decode

# Commas and brackets of a document, so at most so many values; JSON in memory is many times its size.
MOST_VALUES = 400_000
_SCALAR = b'"0123456789-'
_NOTHING = Raw(b"null")


class JsonItem(Struct):
    """One item as written: each value still JSON."""

    id: Raw = _NOTHING
    url: Raw = _NOTHING
    external_url: Raw = _NOTHING
    title: Raw = _NOTHING
    summary: Raw = _NOTHING
    content_html: Raw = _NOTHING
    content_text: Raw = _NOTHING
    date_published: Raw = _NOTHING
    date_modified: Raw = _NOTHING


class _Hub(Struct):
    url: Raw = _NOTHING


class JsonFeed(Struct):
    """The document as written."""

    version: Raw = _NOTHING
    title: Raw = _NOTHING
    home_page_url: Raw = _NOTHING
    feed_url: Raw = _NOTHING
    language: Raw = _NOTHING
    hubs: Raw = _NOTHING
    items: list[Raw] | None = None

    def hub(self) -> str:
        """The first hub's address, "" when there is none."""
        try:
            hubs = decode(self.hubs, type=list[_Hub] | None)
        except (DecodeError, ValidationError, RecursionError):
            return ""
        return scalar(hubs[0].url) if hubs else ""


def read_json(data: bytes) -> tuple[JsonFeed | None, str]:
    """(the feed, "") or (None, why it is none). Never raises."""
    if data.count(b",") + data.count(b"{") + data.count(b"[") > MOST_VALUES:
        return None, f"JSON of more than {MOST_VALUES} values"
    try:
        document = decode(data, type=JsonFeed)
    except ValidationError:
        return None, "JSON, but no JSON Feed"
    except (DecodeError, RecursionError, UnicodeDecodeError) as trouble:
        return None, f"not JSON: {str(trouble)[:80]}"
    if document.items is None or "jsonfeed.org" not in scalar(document.version):
        return None, "JSON, but no JSON Feed"
    return document, ""


def read_item(raw: Raw) -> JsonItem | None:
    """One item; None when it is no object."""
    try:
        return decode(raw, type=JsonItem)
    except (DecodeError, ValidationError, RecursionError):
        return None


def scalar(raw: Raw) -> str:
    """The text or number behind a value; "" for anything else."""
    written = bytes(raw).strip()
    if not written or written[0] not in _SCALAR:
        return ""
    try:
        return str(decode(written))
    except DecodeError:
        return ""
