"""How key content is found: the methods, and the choices that the published one leaves open.

Loads no HTML parser, so that a command can offer the choices quickly.
"""

from __future__ import annotations

from enum import StrEnum


class Method(StrEnum):
    """How key content is separated from the rest."""

    PHASA = "phasa"
    THESIS = "thesis"


class FormPolicy(StrEnum):
    """Rule 1 drops a `form` with all in it, or, as the published program's parser did, only its tag (§4.2)."""

    SUBTREE = "subtree"
    TAG_ONLY = "tag_only"


class Logic(StrEnum):
    """How selection joins the anchor ratio with the rule for titles (§8.A1)."""

    OR = "or"
    AND = "and"
