"""How key content is found: the methods, and plug-ins in their place.

Loads no HTML parser, so that a command can offer the choices quickly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import cache
from typing import cast

from phasa.errors import InputError
from phasa.plugins import Kind, make_plugin, plugin_names


class Method(StrEnum):
    """How key content is separated from the rest."""

    PHASA = "phasa"
    THESIS = "thesis"


Extractor = Callable[[str, str], Sequence[str]]
"""A plug-in: (HTML text, URL or '') → the texts of the key content in their order."""


@cache
def extractor_named(method: str) -> Extractor:
    """The plug-in of that name. Raises InputError when there is neither a method nor a plug-in of it."""
    mine = make_plugin(Kind.EXTRACTOR, method, call=False)
    if mine is None:
        known = ", ".join([*Method, *plugin_names(Kind.EXTRACTOR)])
        raise InputError(f"method {method!r}: there is none of that name; the methods are {known}")
    return cast(Extractor, mine)
