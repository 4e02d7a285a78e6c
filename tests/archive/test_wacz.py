"""WACZ export: what is in the bundle, and that its hashes hold."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path

import pytest
from tests.archive.captures import page

from phasa.archive.capture import ArchiveError
from phasa.archive.wacz import export_wacz
from phasa.archive.warc import WarcWriter


@pytest.fixture
def bundle(tmp_path: Path) -> zipfile.ZipFile:
    with WarcWriter(tmp_path / "archive", rotate_bytes=3000) as writer:
        for number in range(12):
            writer.write(page(number))
        writer.write(page(99, status=404))
        writer.write(page(98, headers=(("Content-Type", "image/png"),)))
    assert export_wacz(tmp_path / "archive", tmp_path / "x.wacz", title="ภาษา", titles={}) == 12
    return zipfile.ZipFile(tmp_path / "x.wacz")


def test_every_resource_is_there_uncompressed_with_the_hash_it_claims(bundle: zipfile.ZipFile) -> None:
    package = json.loads(bundle.read("datapackage.json"))
    assert package["wacz_version"] == "1.1.1"
    assert package["title"] == "ภาษา"
    paths = {resource["path"] for resource in package["resources"]}
    assert "indexes/index.cdxj" in paths
    assert sum(path.startswith("archive/") for path in paths) > 1
    for resource in package["resources"]:
        data = bundle.read(resource["path"])
        assert resource["hash"] == f"sha256:{hashlib.sha256(data).hexdigest()}"
        assert resource["bytes"] == len(data)
        assert bundle.getinfo(resource["path"]).compress_type == zipfile.ZIP_STORED
    digest = json.loads(bundle.read("datapackage-digest.json"))
    assert digest["hash"] == f"sha256:{hashlib.sha256(bundle.read('datapackage.json')).hexdigest()}"


def test_the_page_list_has_the_pages_and_only_them(bundle: zipfile.ZipFile) -> None:
    head, *pages = [json.loads(line) for line in bundle.read("pages/pages.jsonl").splitlines()]
    assert head["format"] == "json-pages-1.0"
    assert {line["url"] for line in pages} == {f"http://a.example.th/p{number}" for number in range(12)}


def test_the_index_points_into_the_bundled_files(bundle: zipfile.ZipFile) -> None:
    for line in bundle.read("indexes/index.cdxj").splitlines():
        entry = json.loads(line.split(b" ", 2)[2])
        start = int(entry["offset"])
        assert bundle.read(f"archive/{entry['filename']}")[start : start + 2] == b"\x1f\x8b"


def test_nothing_to_export_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="crawl first"):
        export_wacz(tmp_path, tmp_path / "x.wacz")


def test_the_data_stands_where_replayweb_page_looks_for_it(bundle: zipfile.ZipFile) -> None:
    """It adds the central header's extra length to the local header's place; the two lengths must agree."""
    assert bundle.filename is not None
    data = Path(bundle.filename).read_bytes()
    for info in bundle.infolist():
        local_extra = int.from_bytes(data[info.header_offset + 28 : info.header_offset + 30], "little")
        assert local_extra == len(info.extra)
