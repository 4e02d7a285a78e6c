"""Both frontiers answer to the same laws: `make` gives a fresh one of either kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from phasa.frontier.memory import MemoryFrontier
from phasa.frontier.protocol import Frontier
from phasa.frontier.rules import Rules
from phasa.frontier.sqlite import SqliteFrontier

Make = Callable[[Rules], Frontier]


@pytest.fixture(params=["memory", "sqlite"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    made: list[Frontier] = []

    def build(rules: Rules) -> Frontier:
        path = tmp_path / f"frontier{len(made)}.db"
        made.append(MemoryFrontier(rules) if request.param == "memory" else SqliteFrontier(path, rules))
        return made[-1]

    yield build
    for frontier in made:
        frontier.close()
