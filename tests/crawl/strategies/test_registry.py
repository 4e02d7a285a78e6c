from __future__ import annotations

import pytest

from phasa.crawl.aim import Aim
from phasa.crawl.strategies import Circumstances, known_strategies, make_strategy
from phasa.crawl.strategy import Strategy
from phasa.errors import SettingsError

AROUND = Circumstances(Aim("th", frozenset({"th"})))


@pytest.mark.parametrize("name", known_strategies())
def test_every_known_name_makes_a_strategy(name: str) -> None:
    assert isinstance(make_strategy(name, AROUND), Strategy)


def test_an_unknown_name_is_refused_and_the_nearest_offered() -> None:
    with pytest.raises(SettingsError, match="did you mean 'lswc'"):
        make_strategy("lswk", AROUND)
