"""Where a language is at home: the countries whose first language it is, and their top-level domains (GeoNames)."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple


class Home(NamedTuple):
    """Countries by their ISO 3166 codes, upper-case, and by their top-level domains, without the dot."""

    tlds: frozenset[str]
    countries: frozenset[str]


@lru_cache(maxsize=64)
def home_of(language: str) -> Home:
    """The home of a language by its ISO 639 code; both sets are empty when it is the first language nowhere."""
    table = (files("phasa.language") / "data" / "countries.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in table.splitlines() if not line.startswith("#")]
    found = [(tld, code) for code, tld, first in rows if first == language]
    return Home(frozenset(tld for tld, _ in found if tld), frozenset(code for _, code in found))
