"""`phasa archive`, and every reading command on a collection whose files only an S3 server has."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import obstore
import pytest
from obstore.store import S3Store
from tests.archive.s3 import ACCOUNT, change_storage, s3_server
from tests.cli.test_crawl import phasa
from tests.durability.small_web import SmallWeb, collection_for
from tests.service.conftest import client_of

from phasa.archive.manifest import read_manifest
from phasa.archive.storage_settings import StorageSettings
from phasa.collection import Collection
from phasa.crawl.run.runs import run_collection


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with s3_server() as address:
        yield address


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """A collection that was crawled and not shipped."""
    small = SmallWeb(30, hosts=4)
    with small.serving():
        collection = collection_for(tmp_path_factory.mktemp("crawled") / "c", small)
        with collection.locked():
            run_collection(collection)
    return collection


@pytest.fixture
def collection(crawled: Collection, server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Collection:
    """A copy of it with a storage that is empty."""
    for name, value in ACCOUNT.items():
        monkeypatch.setenv(name, value)
    shutil.copytree(crawled.path, tmp_path / "c")
    storage = StorageSettings(url=f"s3://web/{tmp_path.name}", endpoint=server, keep_local=False)
    return change_storage(Collection.open(tmp_path / "c").with_settings(storage=storage))


def test_ship_and_verify_say_what_they_did(collection: Collection, capsys: pytest.CaptureFixture[str]) -> None:
    files = sorted(path.name for path in collection.archive_folder.glob("*.warc.gz"))
    code, out, err = phasa(capsys, "archive", "ship", collection.path)
    assert (code, err) == (0, "")
    assert [line.partition(":")[0] for line in out.splitlines()[:-1]] == files
    assert out.endswith(f"{len(files)} files shipped to {collection.settings.storage.url}\n")
    assert json.loads(phasa(capsys, "archive", "ship", collection.path, "--json")[1]) == []
    code, out, err = phasa(capsys, "archive", "verify", collection.path)
    assert (code, err) == (0, "")
    assert f"{len(files)} of {len(files)} shipped files are whole" in out
    found = json.loads(phasa(capsys, "archive", "verify", collection.path, "--json")[1])
    assert [(one["name"], one["problem"]) for one in found] == [(name, "") for name in files]


def test_verify_fails_when_storage_lost_a_file(
    collection: Collection, server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    phasa(capsys, "archive", "ship", collection.path)
    lost = sorted(read_manifest(collection.archive_folder))[0]
    bucket, _, prefix = collection.settings.storage.url.removeprefix("s3://").partition("/")
    obstore.delete(S3Store(bucket, prefix=prefix, endpoint=server, client_options={"allow_http": True}), lost)
    code, _, err = phasa(capsys, "archive", "verify", collection.path)
    assert code == 1
    assert err == f"phasa: {collection.settings.storage.url}/{lost}: is gone\n"


def test_find_brings_what_another_machine_shipped(
    collection: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    phasa(capsys, "archive", "ship", collection.path)
    other = Collection.create(tmp_path / "other").with_settings(storage=collection.settings.storage)
    change_storage(other)
    code, out, err = phasa(capsys, "archive", "find", other.path)
    files = len(read_manifest(collection.archive_folder))
    assert (code, err) == (0, "")
    assert out.startswith(f"{other.path}: {files} files with ")
    assert json.loads(phasa(capsys, "archive", "find", other.path, "--json")[1]) == []
    for path in (collection.path, other.path):
        assert phasa(capsys, "export", path, "--to", "jsonl", "-o", path.with_suffix(".jsonl"))[0] == 0
    assert (tmp_path / "c.jsonl").read_bytes() == (tmp_path / "other.jsonl").read_bytes()


def test_ship_without_storage_says_which_setting(crawled: Collection, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = phasa(capsys, "archive", "ship", crawled.path)
    assert code == 1
    assert err.startswith(f"phasa: {crawled.settings_file}: [storage] url is empty; say where to")


def outputs(collection: Collection, out: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    """What every command that reads archives makes of a collection."""
    out.mkdir()
    path = collection.path
    found: dict[str, object] = {}
    commands: list[list[str | Path]] = [
        ["export", path, "--to", "jsonl", "-o", out / "text.jsonl"],
        ["export", path, "--to", "repository", "-o", out / "pages"],
        ["corpus", path, "-o", out / "corpus", "--lang", "th", "--format", "jsonl", "--workers", "1"],
        ["lab", "graph", "--from", path, "-o", out / "graph.db"],
        ["overview", path, "-o", out / "cloud.html"],
    ]
    for words in commands:
        code, _, err = phasa(capsys, *words)
        assert code == 0, (words, err)
    found["keywords"] = phasa(capsys, "keywords", path, "--json")[1]
    for name in ("text.jsonl", "cloud.html"):
        found[name] = (out / name).read_bytes()
    found["pages"] = sorted((one.name, one.read_bytes()) for one in (out / "pages").rglob("*") if one.is_file())
    found["corpus"] = sorted(one.read_bytes() for one in (out / "corpus" / "data").rglob("*.jsonl*"))
    with client_of(collection) as client:
        asked = {"url": "http://h1.example/p/1.html"}
        for at in ("/api/collection/page", "/api/collection/record"):
            answer = client.get(at, params=asked)
            assert answer.status_code == 200
            found[at] = answer.content
    return found


def test_every_reading_command_reads_from_storage(
    collection: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = outputs(collection, tmp_path / "before", capsys)
    assert phasa(capsys, "archive", "ship", collection.path)[0] == 0
    assert list(collection.archive_folder.glob("*.warc.gz")) == []
    after = outputs(collection, tmp_path / "after", capsys)
    assert {name: value == before[name] for name, value in after.items()} == dict.fromkeys(before, True)


def test_readers_say_in_one_line_that_storage_is_away(
    collection: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    phasa(capsys, "archive", "ship", collection.path)
    places = collection.archive_folder / "storage.json"
    places.write_text(
        places.read_text(encoding="utf-8").replace(collection.settings.storage.endpoint, "http://127.0.0.1:9"),
        encoding="utf-8",
    )
    url = collection.settings.storage.url
    commands: list[list[str | Path]] = [
        ["export", collection.path, "--to", "jsonl", "-o", tmp_path / "x.jsonl"],
        ["keywords", collection.path],
        ["corpus", collection.path, "-o", tmp_path / "x", "--lang", "th", "--workers", "1"],
    ]
    for words in commands:
        code, _, err = phasa(capsys, *words)
        assert code == 1
        assert err.endswith(f"storage {url}: it cannot be reached\n")
        assert err.count("\n") == 1
