"""The index has one door: nobody outside imports from the modules behind it, and it imports nothing of the frontier."""

from __future__ import annotations

import re
from pathlib import Path

import phasa

INSIDE = Path(phasa.__file__).parent / "frontier" / "index"


def test_everybody_else_imports_the_index_by_its_door() -> None:
    outside = [path for path in INSIDE.parents[1].rglob("*.py") if INSIDE not in path.parents]
    assert len(outside) > 100
    assert not [path for path in outside if re.search(r"phasa\.frontier\.index\.\w", path.read_text(encoding="utf-8"))]


def test_the_index_stands_by_itself() -> None:
    for path in INSIDE.glob("*.py"):
        imported = re.findall(r"^(?:from|import) (phasa\S*)", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert all(name.startswith("phasa.frontier.index.") for name in imported), path
