"""What crawls of labelled graphs are after."""

from __future__ import annotations

from dataclasses import replace

import pytest

from phasa.lab.targets import target_of
from phasa.lab.world import World


@pytest.mark.parametrize(
    ("language", "tlds", "countries"),
    [("th", {"th"}, {"TH"}), ("de", {"de", "at"}, {"DE", "AT"}), ("pl", {"pl"}, {"PL"}), ("vi", {"vn"}, {"VN"}),
     ("el", {"gr", "cy"}, {"GR", "CY"}), ("eo", set(), set())],
)  # fmt: skip
def test_the_domains_are_those_of_the_countries_of_the_language(
    language: str, tlds: set[str], countries: set[str]
) -> None:
    target = target_of(replace(World.from_name("1:600", "th").graph, target=language))
    assert target.language == language
    assert set(target.tlds) == tlds
    assert set(target.countries) == countries
