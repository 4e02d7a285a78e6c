"""Damage in archive files: found by checksums, named with file and offset, told to whoever wants to know.

Readers pass over what is damaged and go on. Each piece of damage is logged; inside `noted` it is collected too, so that
a command can say at its end what it could not read.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import NamedTuple

_LOG = logging.getLogger(__name__)


class Damage(NamedTuple):
    """Something in a file that is not as it was written; `offset` is where it begins."""

    path: Path
    offset: int
    what: str

    def __str__(self) -> str:
        return f"{self.path}: damaged at byte {self.offset}: {self.what}"


_noted: ContextVar[dict[Damage, None] | None] = ContextVar("noted", default=None)


def note(damage: Damage) -> None:
    """Tell of damage that is passed over."""
    collected = _noted.get()
    if collected is None or damage not in collected:
        _LOG.warning("%s", damage)
    if collected is not None:
        collected[damage] = None


@contextmanager
def noted() -> Iterator[dict[Damage, None]]:
    """Collects the damage that is passed over in the block, each piece once, in its order."""
    collected: dict[Damage, None] = {}
    token = _noted.set(collected)
    try:
        yield collected
    finally:
        _noted.reset(token)
