"""One small world of each language, made once."""

from __future__ import annotations

import pytest

from phasa.lab.world import World


@pytest.fixture(scope="session")
def thai_world() -> World:
    return World.from_name("7:6000", "th")


@pytest.fixture(scope="session")
def persian_world() -> World:
    return World.from_name("7:6000", "fa")
