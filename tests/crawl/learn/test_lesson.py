from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from phasa.archive.capture import Capture
from phasa.archive.warc import WarcWriter
from phasa.cli.learn import app
from phasa.collection import Collection
from phasa.crawl.learn.knowledge import read_knowledge
from phasa.crawl.learn.lesson import learn
from phasa.errors import InputError

THAI = "กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย มีแม่น้ำเจ้าพระยาไหลผ่าน และเป็นศูนย์กลางการค้าของประเทศ "
ENGLISH = "The weather in the north of England was cold and wet, and most people stayed at home with their books. "


def write(folder: Path, pages: list[tuple[str, bool, list[tuple[str, str]]]]) -> None:
    writer = WarcWriter(folder)
    at = datetime(2026, 1, 1, tzinfo=UTC)
    for number, (url, thai, links) in enumerate(pages):
        anchors = "".join(f'<a href="{target}">{text}</a> ' for target, text in links)
        html = f"<html><title>{number}</title><body><p>{(THAI if thai else ENGLISH) * 3}</p>{anchors}</body></html>"
        headers = (("Content-Type", "text/html; charset=utf-8"),)
        writer.write(Capture(url, 200, "OK", headers, html.encode(), at + timedelta(seconds=number)))
    writer.close()


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    made = Collection.create(tmp_path / "thai-web", language="th")
    pages = [("http://a.co.th/", True, [(f"http://s{i}.com/", "ข่าว" if i % 2 else "news") for i in range(20)])]
    pages += [(f"http://s{i}.com/", bool(i % 2), []) for i in range(20)]
    write(made.archive_folder, pages)
    return made


def test_the_archive_becomes_a_knowledge_base(collection: Collection) -> None:
    lesson = learn(collection)
    assert len(lesson.base) == 21
    assert lesson.base.wanted.sum() == 11
    assert lesson.base.label == "thai"
    first, *rest = lesson.base.features.tolist()
    assert first == [0, 0, 1, 0]
    assert all(row[0] > 0.5 for row in rest)  # found on a Thai page
    assert [row[1] >= 0.1 for row in rest] == [bool(i % 2) for i in range(20)]


def test_files_are_written_and_read_back(collection: Collection) -> None:
    lesson = learn(collection)
    base = read_knowledge(collection.models_folder / "knowledge.arff")
    assert base.wanted.tolist() == lesson.base.wanted.tolist()
    assert (collection.models_folder / "trained.txt").read_text().split() == lesson.trained


def test_no_more_pages_than_told(collection: Collection) -> None:
    assert len(learn(collection, max_pages=5).trained) == 5


def test_nothing_to_learn_from_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="crawl first"):
        learn(Collection.create(tmp_path / "empty"))


def test_the_command_prints_the_table_and_the_weaknesses(collection: Collection) -> None:
    result = CliRunner().invoke(app, [str(collection.path)])
    assert result.exit_code == 0
    assert "21 rows" in result.output
    assert "precision" in result.output
    assert "only 21 rows" in result.output


def test_the_command_prints_json(collection: Collection) -> None:
    result = CliRunner().invoke(app, [str(collection.path), "--json"])
    found = msgspec.json.decode(result.stdout)
    assert found["rows"] == 21
    assert found["wanted"] == 11
    assert found["weaknesses"]
