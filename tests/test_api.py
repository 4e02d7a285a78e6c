"""What `import phasa` offers, and what it loads. The examples of docs/api.md are run by tests/manual."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import phasa
from phasa.errors import CollectionError, InputError

PAGE = "<html><title>ตลาด</title><body><p>ตลาดน้ำดำเนินสะดวกอยู่ที่จังหวัดราชบุรี ตลาดน้ำมีเรือขายผลไม้</p></body></html>"


def _python(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()


def test_importing_loads_nothing_else() -> None:
    assert _python("import sys, phasa; print([m for m in sys.modules if m.startswith('phasa.')])") == "[]"


def test_everything_that_is_offered_is_there() -> None:
    assert [name for name in phasa.__all__ if not callable(getattr(phasa, name))] == []
    assert set(phasa.__all__) < set(dir(phasa))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        phasa.nothing  # noqa: B018


@pytest.mark.parametrize("before", ["", "import phasa.overview.keywords;", "import phasa.overview.extract as e;"])
def test_overview_is_a_function_and_a_package(before: str) -> None:
    program = f"{before}import phasa; print(phasa.overview({PAGE!r}).title, phasa.overview.__name__)"
    assert _python(program) == "ตลาด phasa.overview"


def test_pages_may_be_text_bytes_or_files(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    texts = {phasa.extract(page).text for page in (PAGE, PAGE.encode(), tmp_path / "page.html")}
    assert len(texts) == 1


def test_words_of_an_unknown_language_are_detected_and_complete() -> None:
    text = "ภาษาไทยง่ายมาก"
    assert "".join(phasa.segment(text)) == text
    assert phasa.segment(text, engine="spaced", language="th") == phasa.segment(text, "en")


def test_what_cannot_be_done_is_said(tmp_path: Path) -> None:
    with pytest.raises(CollectionError, match="no collection here"):
        phasa.open_collection(tmp_path)
    with pytest.raises(InputError, match="none given"):
        phasa.plan_feed([])
    with pytest.raises(InputError, match="none given"):
        phasa.overview([])
    with pytest.raises(InputError, match="weigh 'x'"):
        phasa.keywords(PAGE, weigh="x")


def test_a_collection_that_was_never_crawled_holds_nothing(tmp_path: Path) -> None:
    web = phasa.create_collection(tmp_path / "web", "fa", seeds=["http://a.example/"])
    assert [list(web.pages()), list(web.captures()), list(web.links()), list(web.verdicts())] == [[], [], [], []]
    assert (web.status().done, web.settings.language) == (0, "fa")
    assert web.why("http://b.example/").state == "unknown"
    with pytest.raises(CollectionError, match="no page to export"):
        web.export("jsonl", tmp_path / "out.jsonl")
    with pytest.raises(CollectionError, match="already a collection"):
        phasa.create_collection(tmp_path / "web")
