"""Texts as numbers that are the same on every machine and in every run."""

from __future__ import annotations

from xxhash import xxh64_intdigest


def number_of(text: str) -> int:
    """64 bits for a text."""
    return xxh64_intdigest(text.encode("utf-8", "surrogatepass"))
