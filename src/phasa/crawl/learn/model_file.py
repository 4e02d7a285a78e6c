"""A learned model as a file: JSON, packed, whose `kind` says what it is and of which version."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, TypeVar

import msgspec
import zstandard

from phasa.errors import InputError
from phasa.files import unpacked


class Kinded(Protocol):
    """What is stored of a model."""

    @property
    def kind(self) -> str: ...


T = TypeVar("T", bound=Kinded)


def pack(model: Kinded) -> bytes:
    """The bytes of the file; the same model always gives the same ones."""
    return zstandard.compress(msgspec.json.encode(model), 10)


def read_model(path: Path, stored: type[T], kind: str, *, called: str, command: str) -> T:
    """What `pack` wrote. Raises InputError when it is something else, or not there, with the command that makes it."""
    if not path.is_file():
        raise InputError(f"{path}: no {called} here; make one with: {command}")
    try:
        model = msgspec.json.decode(unpacked(path.read_bytes()), type=stored)
    except (ValueError, msgspec.MsgspecError, RecursionError) as problem:
        raise InputError(f"{path}: not a {called}: {problem}") from None
    if model.kind != kind:
        raise InputError(f"{path}: not a {called} of this version ({model.kind!r}); learn it again")
    return model
