"""The examples of docs/corpus.md that open a corpus in other programs run as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.corpus.pages import options, page, thai, write_warc

from phasa.corpus.build import build

MANUAL = Path(__file__).parents[2] / "docs" / "corpus.md"
BLOCKS = re.findall(r"^```py\n(import (\w+)\n.*?)^```", MANUAL.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("block", "library"), BLOCKS, ids=[library for _, library in BLOCKS])
def test_an_example_of_the_manual_opens_the_corpus(
    block: str, library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed; pip install {library} to run this example")
    pages = [(f"http://a.example/{n}", page(f"{n}", thai(n), thai(n + 9))) for n in range(3)]
    build([str(write_warc(tmp_path / "a.warc.gz", pages))], tmp_path / "thai-corpus", options(), workers=1)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    found: dict[str, object] = {}
    exec(block, found)
    value = found.get("table", found.get("loaded"))
    if value is not None:
        assert len(value) == 3  # type: ignore[arg-type]
    else:
        assert found["rows"][0][:2] == ("a.example", 3)  # type: ignore[index]


def test_the_manual_has_the_three_programs() -> None:
    assert [library for _, library in BLOCKS] == ["pandas", "duckdb", "datasets"]
