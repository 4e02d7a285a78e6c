"""All frontiers answer to the same laws: `make` gives a fresh one of each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from phasa.frontier.memory import MemoryFrontier
from phasa.frontier.postgres.frontier import Member, PostgresFrontier
from phasa.frontier.protocol import Frontier
from phasa.frontier.rules import Rules
from phasa.frontier.sqlite import SqliteFrontier

Make = Callable[[Rules], Frontier]


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    made: list[Frontier] = []

    def build(rules: Rules) -> Frontier:
        if request.param == "memory":
            made.append(MemoryFrontier(rules))
        elif request.param == "sqlite":
            made.append(SqliteFrontier(tmp_path / f"frontier{len(made)}.db", rules))
        else:
            address = f"{request.getfixturevalue('postgres')}_{len(made)}"
            made.append(PostgresFrontier(address, rules, member=Member("here")))
        return made[-1]

    yield build
    for frontier in made:
        frontier.close()
