"""File arguments as the commands take them: a path, or `-` for standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO


@contextmanager
def open_binary(name: str) -> Iterator[BinaryIO]:
    """The file `name`, or standard input for `-`, to be read piece by piece. Raises OSError with the file's name."""
    if name == "-":
        yield sys.stdin.buffer
        return
    with open(name, "rb") as file:
        yield file


def read_bytes(name: str) -> bytes:
    """The whole content of the file `name`, or of standard input for `-`. Raises OSError with the file's name."""
    if name == "-":
        return sys.stdin.buffer.read()
    with open(name, "rb") as file:
        return file.read()


def read_lines(name: str) -> Iterator[str]:
    """The lines of a UTF-8 file or of standard input, without their line ends.

    Only "\\n" ends a line. Bytes that are not UTF-8 come through as lone surrogates and `write_text` gives them
    back unchanged, so a filter never loses or alters what it does not understand.
    """
    with open(0 if name == "-" else name, encoding="utf-8", errors="surrogateescape", newline="\n") as lines:
        for line in lines:
            yield line.removesuffix("\n")


def tell_trouble(name: str, problem: Exception) -> bool:
    """Say on standard error what is wrong with one of several inputs, so that the rest can go on. Always False."""
    said = problem.strerror.lower() if isinstance(problem, OSError) and problem.strerror else str(problem)
    sys.stderr.write(f"phasa: {name}: {said.removeprefix(f'{name}: ')}\n")
    return False


def write_text(text: str) -> None:
    """Write to standard output as UTF-8, with bytes that `read_lines` escaped given back as they were."""
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
