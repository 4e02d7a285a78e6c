"""Nothing is in src/ that no command, page or public function reaches (DESIGN §3.13)."""

from __future__ import annotations

import pytest
from tests.manual import import_graph, reach

# Called by a library, by the name that the library gives them.
CALLED_BY_LIBRARIES = {"list_commands", "formatTime", "connection_made", "connection_lost", "data_received"}


def test_every_module_is_reached_from_the_commands_or_the_public_api() -> None:
    assert reach.unreached_modules() == []


def test_every_public_name_is_used_somewhere_in_src() -> None:
    assert [place for place in reach.unused_names() if place.split()[-1] not in CALLED_BY_LIBRARIES] == []


def test_a_module_that_nobody_imports_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    known = dict(import_graph.modules()) | {"phasa.lonely": import_graph.modules()["phasa.errors"]}
    monkeypatch.setattr(import_graph, "modules", lambda: known)
    assert reach.unreached_modules() == ["phasa.lonely"]
