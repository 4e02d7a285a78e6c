"""The one small hierarchy of errors that phasa raises on purpose.

A message names the thing, what was wrong with it, and what to do. The command line prints it as one line.
"""

from __future__ import annotations

from pathlib import PurePath


class PhasaError(Exception):
    """Something the user can understand and mend."""


class InputError(PhasaError):
    """A file, text or argument that cannot be used as it is."""


class SettingsError(PhasaError):
    """A collection.toml or language profile that does not say something valid."""


class CollectionError(PhasaError):
    """A collection on disk that is missing, locked or damaged."""


class BrokenPartError(PhasaError):
    """A strategy or a judge that raises, or that answers what cannot be. The message names it and the place."""


def with_place(problem: Exception, *callers: str) -> str:
    """What an exception of somebody else's code says, and where: `KeyError: 'a' (mine.py, line 12)`.

    Frames of the files `callers`, which only called that code, and of the import system are not a place.
    """
    trace, place = problem.__traceback__, ""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file not in callers and "importlib" not in file:
            place = f" ({PurePath(file).name}, line {trace.tb_lineno})"
        trace = trace.tb_next
    return f"{type(problem).__name__}: {problem}{place}"


class ParserCrashedError(InputError):
    """A page that ends the process which reads it. The message says how."""
