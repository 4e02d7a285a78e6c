"""The `phasa` command: parse arguments, call one function, print.

Each command is one module of this package with an `app: typer.Typer`; it is imported only when it is called, so
`phasa --help` stays fast. To add a command, write the module and add one line to `COMMANDS` in `phasa.cli.group`.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable
from io import TextIOWrapper

from phasa.archive.damage import Damage, noted
from phasa.cli.outputs import end_unread
from phasa.errors import PhasaError
from phasa.garbage import collected_rarely
from phasa.logs import take_log_options

_MOST_DAMAGE = 20


def main() -> None:
    """Run the command line. Exit code 0: done; 1: it could not be done, one line says why; 2: wrong usage."""
    # Threads of the linear algebra library wait busily for matrices larger than ours: a core lost for nothing.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that has no Thai letters shows ? and goes on
    try:
        try:
            with noted() as damage, collected_rarely():  # what is loaded at the start is not garbage
                from phasa.cli.group import app  # here, where Ctrl-C while it loads is understood

                try:
                    app(take_log_options(sys.argv[1:]), prog_name="phasa")
                except SystemExit as end:
                    _tell(damage, end.code)
                    raise
        finally:
            sys.stdout.flush()  # here, where it is still known what to do when nobody reads it
    except KeyboardInterrupt:
        sys.exit(130)  # as the shell has it: ended by Ctrl-C
    except (PhasaError, OSError) as problem:
        if isinstance(problem, BrokenPipeError):
            end_unread()
        if os.environ.get("PHASA_DEBUG"):
            raise
        print(f"phasa: {_one_line(problem)}", file=sys.stderr)
        sys.exit(1)


def _tell(damage: Iterable[Damage], code: str | int | None) -> None:
    """Name what a command passed over; then it was not all right. Raises SystemExit."""
    lines = [str(one) for one in damage]
    for line in lines[:_MOST_DAMAGE]:
        print(f"phasa: {line}", file=sys.stderr)
    if len(lines) > _MOST_DAMAGE:
        print(f"phasa: and {len(lines) - _MOST_DAMAGE:,} more", file=sys.stderr)
    if lines:
        sys.exit(code or 1)


def _one_line(problem: Exception) -> str:
    if isinstance(problem, OSError) and problem.strerror is not None:
        what = problem.strerror.lower()
        if problem.errno in (errno.ENOSPC, errno.EDQUOT):
            what += "; make room, then give the same command again"
        return what if problem.filename is None else f"{problem.filename}: {what}"
    return " ".join(str(problem).split())
