"""Pages that are read in the sandbox, and passed over when they end it: for whoever reads many, as from an archive."""

from __future__ import annotations

import logging

from phasa import sandbox
from phasa.errors import ParserCrashedError
from phasa.web.html import ALL_TAGS, Page, read_packed, unpack
from phasa.web.url import Url

_LOG = logging.getLogger(__name__)


def read_apart(
    html: str | bytes,
    address: Url,
    *,
    header: str | None = None,
    hint: str | None = None,
    tags: frozenset[str] = ALL_TAGS,
) -> Page:
    """What `html.read_page` gives, read in the sandbox. Raises ParserCrashedError."""
    return unpack(sandbox.run(read_packed, html, address, header=header, hint=hint, tags=tags))


def try_page(
    html: str | bytes,
    address: Url,
    *,
    header: str | None = None,
    hint: str | None = None,
    tags: frozenset[str] = ALL_TAGS,
) -> Page | None:
    """The same; None, and a line in the log, for a page that ends the process which reads it."""
    try:
        return read_apart(html, address, header=header, hint=hint, tags=tags)
    except ParserCrashedError as crash:
        _LOG.warning("%s: %s; passed over", address, crash)
        return None
