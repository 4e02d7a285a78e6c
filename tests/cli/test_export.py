"""`phasa export` from end to end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.archive.captures import page
from tests.cli.test_main import phasa

from phasa.archive.warc import WarcWriter
from phasa.collection import Collection


@pytest.fixture
def crawled(tmp_path: Path) -> Path:
    collection = Collection.create(tmp_path / "thai-web")
    with WarcWriter(collection.archive_folder) as writer:
        for number in (1, 2):
            writer.write(page(number, f"<title>t</title><p>หน้า {number}".encode()))
    return collection.path


def test_nothing_to_export_is_told_and_leaves_no_empty_file(tmp_path: Path) -> None:
    Collection.create(tmp_path / "new")
    for form in ("jsonl", "parquet", "wacz", "repository"):
        told = phasa("export", str(tmp_path / "new"), "--to", form)
        assert told.returncode == 1
        assert "crawl first: phasa crawl" in told.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_a_second_export_tells_the_same_number(crawled: Path) -> None:
    for _ in range(2):
        told = phasa("export", str(crawled), "--to", "repository")
        assert told.stdout == f"{crawled}-pages: 2 pages\n"


def test_json_lines_go_to_standard_output_for_a_dash(crawled: Path) -> None:
    told = phasa("export", str(crawled), "--to", "jsonl", "-o", "-")
    assert [json.loads(line)["url"] for line in told.stdout.splitlines()] == [
        "http://a.example.th/p1",
        "http://a.example.th/p2",
    ]
    assert "2 pages" in told.stderr
    refused = phasa("export", str(crawled), "--to", "wacz", "-o", "-")
    assert refused.returncode == 1
    assert "name a file" in refused.stderr


def test_text_can_be_cleaned_and_left_out(crawled: Path) -> None:
    with WarcWriter(crawled / "archive") as writer:
        menu = "<nav><a href='/'>เมนู</a></nav>"
        long = "<p>" + "ประชาชนในจังหวัดนี้ได้รับความช่วยเหลือจากรัฐบาลและโรงพยาบาลของชุมชน " * 8
        writer.write(page(3, f"<title>t</title>{menu}<article>{long}</article>".encode()))
        writer.write(page(4, b"<title>t</title><p>The parliament voted to approve the budget after a long debate."))

    def urls(*words: str) -> list[str]:
        told = phasa("export", str(crawled), "--to", "jsonl", "-o", "-", *words)
        assert told.returncode == 0, told.stderr
        return [json.loads(line)["url"][-2:] for line in told.stdout.splitlines()]

    assert urls() == ["p1", "p2", "p3", "p4"]
    assert urls("--lang", "th") == ["p1", "p2", "p3"]
    assert urls("--lang", "en") == ["p4"]
    assert urls("--lang", "th", "--min-score", "0.99") == ["p3"]
    assert urls("--wanted") == []
    raw = phasa("export", str(crawled), "--to", "jsonl", "-o", "-")
    assert "raw text" in raw.stderr
    clean = phasa("export", str(crawled), "--to", "jsonl", "-o", "-", "--clean")
    assert "raw text" not in clean.stderr
    texts = {row["url"][-2:]: row["text"] for row in map(json.loads, clean.stdout.splitlines())}
    assert "เมนู" not in texts["p3"]
    assert phasa("export", str(crawled), "--to", "wacz", "--clean").returncode == 1
