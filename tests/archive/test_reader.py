"""Reading WARC and ARC files, ours and other people's."""

from __future__ import annotations

import gzip
import tarfile
from pathlib import Path

import brotlicffi
import pytest
import zstandard
from tests.archive.captures import page

from phasa.archive.reader import get, index_entries, read_archive, read_warc
from phasa.archive.repository import export_repository, repository_path
from phasa.archive.text import Text, read_texts, write_jsonl, write_parquet
from phasa.archive.warc import WarcWriter


@pytest.mark.parametrize(
    ("coding", "packed"),
    [
        ("gzip", gzip.compress(b"plain", mtime=0)),
        ("br", brotlicffi.compress(b"plain")),
        ("zstd", zstandard.ZstdCompressor().compress(b"plain")),
        ("gzip", b"plain"),  # announced but not done
        ("", b"plain"),
    ],
)
def test_content_is_the_body_without_its_coding(tmp_path: Path, coding: str, packed: bytes) -> None:
    with WarcWriter(tmp_path) as writer:
        writer.write(page(1, packed, headers=(("Content-Encoding", coding),)))
    (stored,) = read_archive(tmp_path)
    assert stored.body == packed
    assert stored.content == b"plain"


def test_an_address_never_captured_is_none(tmp_path: Path) -> None:
    assert get(tmp_path, "http://a.example.th/none") is None


def test_repository_layout_and_identical_bytes_stored_once(tmp_path: Path) -> None:
    with WarcWriter(tmp_path / "a") as writer:
        writer.write(page(1, b"same"))
        writer.write(page(2, b"same"))
        writer.write(page(3, b"", status=404))
    assert export_repository(tmp_path / "a", tmp_path / "out") == 2
    one, two = (tmp_path / "out" / repository_path(f"http://a.example.th/p{number}") for number in (1, 2))
    assert one.read_bytes() == two.read_bytes() == b"same"
    assert one.stat().st_ino == two.stat().st_ino
    assert one.parent.name == "a-example-th"


def read(content: bytes, url: str, content_type: str) -> Text | None:
    return Text(url, "", "th", 1.0, content_type, "t", content.decode()) if b"skip" not in content else None


def test_texts_as_json_lines_and_parquet(tmp_path: Path) -> None:
    import json

    import pyarrow.parquet as pq

    with WarcWriter(tmp_path / "a") as writer:
        writer.write(page(1, "หนึ่ง".encode()))
        writer.write(page(2, b"skip me"))
        writer.write(page(3, b"x", headers=(("Content-Type", "image/png"),)))
        writer.write(page(4, "หนึ่ง".encode()))  # a revisit still has its text
    assert write_jsonl(read_texts(tmp_path / "a", read), tmp_path / "t.jsonl") == 2
    lines = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()]
    assert [(line["url"][-1], line["text"], line["time"][:10]) for line in lines] == [
        ("1", "หนึ่ง", "2026-11-15"),
        ("4", "หนึ่ง", "2026-11-15"),
    ]
    assert write_parquet(read_texts(tmp_path / "a", read), tmp_path / "t.parquet") == 2
    assert pq.read_table(tmp_path / "t.parquet").to_pylist() == lines


@pytest.mark.data
def test_every_sample_of_warcio_is_readable(tmp_path: Path, data: Path) -> None:
    with tarfile.open(data / "warc-samples" / "warcio-test-data.tar.xz") as samples:
        samples.extractall(tmp_path, filter="data")
    count = {}
    for file in sorted(path for path in tmp_path.rglob("*") if path.is_file()):
        stored = list(read_warc(file))
        assert len(list(index_entries(file))) == len(stored)
        count[file.name] = [len(record.content) for record in stored if not record.revisit]
    assert count["example.arc"] == count["example.arc.gz"] == [1270]
    assert count["example.warc"] == count["example.warc.gz"] == [1270]
    assert count["example-trunc.warc"] == [1270]  # what stands before the torn end
    assert count["example-iana.org-chunked.warc"] == [7223]  # without its chunk marks
    assert count["example-digest.warc"] == []  # holds requests only
    assert sum(map(bool, count.values())) == 15
