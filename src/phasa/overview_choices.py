"""What an overview leaves to choose: weights, readings of the published rules, looks. Loads nothing, so that a command
can offer the choices quickly."""

from __future__ import annotations

from enum import StrEnum


class Weigh(StrEnum):
    """How a term's weight is made: phasa's own, the published ones in each of their readings, plain frequency."""

    PHASA = "phasa"
    AMTF = "amtf"
    AMTF_CONTAINING = "amtf-containing"
    AMTF_TOTAL = "amtf-total"
    AMTF_PAGE = "amtf-page"
    TLTF = "tltf"
    TLTF_MEAN = "tltf-mean"
    TFIDF = "tfidf"
    TF = "tf"


class Scope(StrEnum):
    """Whose maximum divides in AMTF (§8.A6): the element's own, or the page's."""

    ELEMENT = "element"
    PAGE = "page"


class Style(StrEnum):
    """How a cloud looks: calm, or as published."""

    CALM = "calm"
    PUBLISHED = "published"


class Logic(StrEnum):
    """How the published selection joins the anchor ratio with the rule for titles (§8.A1)."""

    OR = "or"
    AND = "and"


class FormPolicy(StrEnum):
    """Rule 1 drops a `form` with all in it, or, as the published program's parser did, only its tag (§4.2)."""

    SUBTREE = "subtree"
    TAG_ONLY = "tag_only"
