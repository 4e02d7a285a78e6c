"""Media types."""

from __future__ import annotations

from typing import Final

PAGE_TYPES: Final = ("text/html", "application/xhtml+xml")
"""Documents that people call a page."""
