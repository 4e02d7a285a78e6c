"""Values as JSON that every reader accepts, whatever text of the web they hold."""

from __future__ import annotations

from typing import Any

import msgspec


def encode(value: object) -> bytes:
    """A value as JSON; a lone surrogate in a page of the web becomes a question mark."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_mended(msgspec.to_builtins(value)))


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_mended(key): _mended(item) for key, item in value.items()}
    return [_mended(item) for item in value] if isinstance(value, (list, tuple)) else value
