"""Rows 11 and 12 of specs/language-specific-crawling.md §10: the document repository."""

from __future__ import annotations

from pathlib import Path

from tests.archive.captures import page

from phasa.archive.reader import read_archive
from phasa.archive.repository import export_repository, repository_path
from phasa.archive.warc import WarcWriter


def test_row_11_repository_path_scheme() -> None:
    assert str(repository_path("http://www.ku.ac.th/help.html")) == "www-ku-ac-th/e512d612a558dcbc4f6e3c1d3ab6683b"


def test_row_12_two_urls_with_identical_bytes_are_stored_once(tmp_path: Path) -> None:
    with WarcWriter(tmp_path / "archive") as writer:
        writer.write(page(1, b"identical bytes"))
        writer.write(page(2, b"identical bytes"))
    assert [len(record.body) for record in read_archive(tmp_path / "archive")] == [15, 0]
    export_repository(tmp_path / "archive", tmp_path / "repository")
    files = [path for path in (tmp_path / "repository").rglob("*") if path.is_file()]
    assert len(files) == 2
    assert len({path.stat().st_ino for path in files}) == 1
