"""Packages that only some commands need. They come with an extra of phasa, as in `pip install 'phasa[parquet]'`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from phasa.errors import PhasaError


class ExtraError(PhasaError):
    """A package that this command needs is not installed; the message says how to install it."""


@contextmanager
def needs_extra(extra: str, what: str) -> Iterator[None]:
    """Import the packages of an extra inside this block. Raises ExtraError, which names `what` needs them."""
    try:
        yield
    except ModuleNotFoundError as problem:
        package = (problem.name or "").partition(".")[0]
        if package in ("", "phasa"):  # a fault of ours, not something to install
            raise
        raise ExtraError(f"{what} needs {package}: pip install 'phasa[{extra}]'") from None
