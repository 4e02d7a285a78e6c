"""Archive files shipped to a real S3 server and to a folder: every byte is there before the local copy goes, whoever is
killed when; and readers notice nothing."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.archive.s3 import ACCOUNT, change_storage, collection_with, s3_server, write_archive

from phasa.archive.cdxj import read_index
from phasa.archive.manifest import MANIFEST, Shipped, read_manifest
from phasa.archive.notes import read_notes
from phasa.archive.reader import get, read_archive
from phasa.archive.repair import mend_archive
from phasa.archive.shelf import finished_sizes, own_files, warc_files
from phasa.archive.shipping import BusyError, Shipper, unshipped, unshipped_records, verify
from phasa.archive.storage import Storage, StorageError
from phasa.archive.storage_settings import StorageSettings
from phasa.archive.wacz import export_wacz
from phasa.collection import Collection
from phasa.errors import SettingsError


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with s3_server() as address:
        yield address


@pytest.fixture(autouse=True)
def account(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ACCOUNT.items():
        monkeypatch.setenv(name, value)


@pytest.fixture(params=["s3", "file"])
def storage(request: pytest.FixtureRequest, server: str, tmp_path: Path) -> StorageSettings:
    """Both kinds of storage, empty."""
    if request.param == "s3":
        return StorageSettings(url=f"s3://web/{tmp_path.name}", endpoint=server)
    (tmp_path / "storage").mkdir()
    return StorageSettings(url=f"file:{tmp_path}/storage")


def shipper(collection: Collection) -> Shipper:
    return Shipper(collection.archive_folder, collection.settings.storage, collection.path)


def read(collection: Collection) -> list[tuple[str, str, bytes]]:
    return [(stored.url, stored.digest, stored.body) for stored in read_archive(collection.archive_folder)]


def local_files(collection: Collection) -> list[Path]:
    return sorted(collection.archive_folder.glob("*.warc.gz"))


def test_what_was_shipped_reads_as_it_did(tmp_path: Path, storage: StorageSettings) -> None:
    collection = collection_with(tmp_path / "c", storage)
    folder = collection.archive_folder
    before, sizes, index = read(collection), finished_sizes(folder), list(read_index(folder))
    files = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in local_files(collection)}
    pages = {entry.url: (get(folder, entry.url), read_notes(folder, entry)) for entry in index}
    export_wacz(folder, tmp_path / "before.wacz")
    assert len(files) > 2
    assert len(before) == 12

    assert shipper(change_storage(collection, keep_local=False)).ship_all() == len(files)

    assert local_files(collection) == []
    assert {row.name: row.sha256 for row in read_manifest(folder).values()} == files
    assert sum(row.records for row in read_manifest(folder).values()) == len(index)
    assert read(collection) == before
    assert finished_sizes(folder) == sizes
    assert {entry.url: (get(folder, entry.url), read_notes(folder, entry)) for entry in index} == pages
    assert not mend_archive(folder), "nothing is stale because of it"
    assert mend_archive(folder, thorough=True).indexed == sorted(files)
    assert list(read_index(folder)) == index
    export_wacz(folder, tmp_path / "after.wacz")
    assert (tmp_path / "after.wacz").stat().st_size == (tmp_path / "before.wacz").stat().st_size
    assert [one.problem for one in verify(folder)] == [""] * len(files)


def test_the_local_copy_stays_unless_it_may_go(tmp_path: Path, storage: StorageSettings) -> None:
    collection = collection_with(tmp_path / "c", storage)
    files = local_files(collection)
    shipper(collection).ship_all()
    assert local_files(collection) == files
    assert unshipped(collection.archive_folder, storage.url) == []
    assert shipper(collection).ship_all() == 0, "once is enough"
    assert shipper(change_storage(collection, keep_local=False)).ship_all() == 0
    assert local_files(collection) == []


def test_a_file_in_many_parts_is_shipped_and_read_at_any_place(tmp_path: Path, storage: StorageSettings) -> None:
    collection = change_storage(collection_with(tmp_path / "c", storage, size=20 << 20), keep_local=False)
    before = read(collection)
    shipper(collection).ship_all()
    assert read(collection) == before
    last = get(collection.archive_folder, before[-1][0])
    assert last is not None
    assert last.body == before[-1][2]


KILLED = """
import os, signal, sys
from pathlib import Path
from phasa.archive import shipping
from phasa.collection import Collection
collection, at, seen = Collection.open(Path(sys.argv[1])), int(sys.argv[2]), 0
def end(*_): os.kill(os.getpid(), signal.SIGKILL)
def step(size):
    global seen
    seen += size
    if 0 < at <= seen: end()
if at == 0: shipping.add_shipped = end
if at == -1: shipping.Shipper._let_go = end
shipping.Shipper(collection.archive_folder, collection.settings.storage, collection.path).ship_all(step)
"""


@pytest.mark.parametrize("at", [1 << 20, 12 << 20, 30 << 20, 0, -1])
def test_an_upload_that_was_killed_is_mended(tmp_path: Path, storage: StorageSettings, at: int) -> None:
    """In the first part, between parts, while it was read back, before the manifest, before the local copy went."""
    collection = change_storage(collection_with(tmp_path / "c", storage, size=20 << 20), keep_local=False)
    before = read(collection)
    killed = subprocess.run([sys.executable, "-c", KILLED, str(collection.path), str(at)], check=False, timeout=60)
    assert killed.returncode == -signal.SIGKILL
    assert len(local_files(collection)) == 1, "nothing goes before its time"
    assert len(read_manifest(collection.archive_folder)) == (at == -1)
    assert read(collection) == before
    shipper(collection).ship_all()
    assert local_files(collection) == []
    assert read(collection) == before
    assert [one.problem for one in verify(collection.archive_folder)] == [""]
    if storage.url.startswith("file:"):
        kept = {path.name for path in (tmp_path / "storage").iterdir()}
        name = warc_files(collection.archive_folder)[0].name
        assert kept == {name, f"{name}.cdxj", f"{name}.json"}, "and nothing half is left"


def test_bytes_that_changed_on_the_way_are_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "storage").mkdir()
    collection = collection_with(
        tmp_path / "c", StorageSettings(url=f"file:{tmp_path}/storage", keep_local=False), pages=2
    )
    put = Storage.put

    def spoiled(self: Storage, name: str, path: Path, *more: object) -> object:
        sent = put(self, name, path)
        stored = tmp_path / "storage" / name
        stored.write_bytes(stored.read_bytes()[:-1] + b"!")
        return sent

    monkeypatch.setattr(Storage, "put", spoiled)
    with pytest.raises(StorageError, match="what was read back is not what was sent"):
        shipper(collection).ship_all()
    assert len(local_files(collection)) == 1
    assert read_manifest(collection.archive_folder) == {}
    monkeypatch.undo()
    for name, value in ACCOUNT.items():
        monkeypatch.setenv(name, value)
    assert shipper(collection).ship_all() == 1
    assert [one.problem for one in verify(collection.archive_folder)] == [""]


def test_what_storage_lost_or_spoiled_is_found_and_sent_again(tmp_path: Path) -> None:
    (tmp_path / "storage").mkdir()
    collection = collection_with(tmp_path / "c", StorageSettings(url=f"file:{tmp_path}/storage"))
    folder = collection.archive_folder
    shipper(collection).ship_all()
    lost, spoiled, *_ = names = sorted(read_manifest(folder))
    (tmp_path / "storage" / lost).unlink()
    whole = (tmp_path / "storage" / spoiled).read_bytes()
    (tmp_path / "storage" / spoiled).write_bytes(whole[:100] + b"?" + whole[101:])
    found = {one.name: one.problem for one in verify(folder)}
    assert "is gone" in found[lost]
    assert "not those that were shipped" in found[spoiled]
    assert [found[name] for name in names[2:]] == [""] * (len(names) - 2)
    assert [path.name for path in unshipped(folder, collection.settings.storage.url)] == [lost, spoiled]
    assert shipper(collection).ship_all() == 2
    assert {one.problem for one in verify(folder)} == {""}


def test_a_copy_that_storage_no_longer_has_stays_here(tmp_path: Path) -> None:
    (tmp_path / "storage").mkdir()
    collection = collection_with(tmp_path / "c", StorageSettings(url=f"file:{tmp_path}/storage"))
    shipper(collection).ship_all()
    first = local_files(collection)[0]
    (tmp_path / "storage" / first.name).unlink()
    shipper(change_storage(collection, keep_local=False)).ship_all()
    assert local_files(collection) == [first]


def test_a_manifest_with_a_torn_line_keeps_the_others(tmp_path: Path) -> None:
    (tmp_path / "storage").mkdir()
    collection = collection_with(tmp_path / "c", StorageSettings(url=f"file:{tmp_path}/storage"))
    folder = collection.archive_folder
    shipper(collection).ship_all()
    written = (folder / MANIFEST).read_bytes()
    (folder / MANIFEST).write_bytes(written[:-20])
    assert len(read_manifest(folder)) == written.count(b"\n") - 1
    assert shipper(collection).ship_all() == 1, "storage has it already; only the line is written"
    assert len(read_manifest(folder)) == written.count(b"\n")


def test_records_that_only_this_disk_has_are_counted(tmp_path: Path) -> None:
    (tmp_path / "storage").mkdir()
    collection = collection_with(tmp_path / "c", StorageSettings(url=f"file:{tmp_path}/storage"))
    folder, url = collection.archive_folder, collection.settings.storage.url
    assert unshipped_records(folder, url) == 12, "in the merged index"
    shipper(collection).ship_all()
    assert unshipped_records(folder, url) == 0
    write_archive(folder, 2)
    assert unshipped_records(folder, url) == 2
    assert unshipped_records(folder, "s3://elsewhere/x") == 14


def test_two_do_not_ship_at_the_same_time(tmp_path: Path) -> None:
    (tmp_path / "storage").mkdir()
    collection = collection_with(tmp_path / "c", StorageSettings(url=f"file:{tmp_path}/storage"))

    def another(_: object) -> None:
        with pytest.raises(BusyError, match="another process is shipping"):
            shipper(collection).ship_all()
        told.append(1)

    told: list[int] = []
    shipper(collection).ship_all(told=another)
    assert told


# ── files of other machines ──────────────────────────────────────────────────────────────────────


def test_another_machine_finds_what_was_shipped_and_reads_it(tmp_path: Path, storage: StorageSettings) -> None:
    first = collection_with(tmp_path / "first", storage, pages=5)
    second = collection_with(tmp_path / "second", storage, pages=0)
    shipper(first).ship_all()
    rows: list[Shipped] = []
    assert shipper(second).find(rows.append) == len(local_files(first))
    assert [row.elsewhere for row in rows] == [True] * len(rows)
    assert read(second) == read(first)
    assert list(read_index(second.archive_folder)) == list(read_index(first.archive_folder))
    assert get(second.archive_folder, "http://a.example.th/p3") == get(first.archive_folder, "http://a.example.th/p3")
    assert shipper(second).find() == 0, "once is enough"
    assert own_files(second.archive_folder) == []
    assert own_files(first.archive_folder) == local_files(first)
    assert not mend_archive(second.archive_folder).indexed, "no page was read for it"


def test_a_manifest_that_is_lost_is_made_again_from_storage(tmp_path: Path, storage: StorageSettings) -> None:
    collection = change_storage(collection_with(tmp_path / "c", storage), keep_local=False)
    before = read(collection)
    shipper(collection).ship_all()
    (collection.archive_folder / MANIFEST).unlink()
    assert read(collection) == []
    shipper(collection).find()
    assert read(collection) == before
    assert {one.problem for one in verify(collection.archive_folder)} == {""}


def test_labels_that_lie_lead_nobody_astray(tmp_path: Path) -> None:
    (tmp_path / "storage").mkdir()
    storage = StorageSettings(url=f"file:{tmp_path}/storage")
    first = collection_with(tmp_path / "first", storage)
    shipper(first).ship_all()
    names = sorted(read_manifest(first.archive_folder))
    label = tmp_path / "storage" / f"{names[0]}.json"
    row = msgspec.json.decode(label.read_bytes(), type=Shipped)
    label.write_bytes(msgspec.json.encode(msgspec.structs.replace(row, name="../../collection.toml")))
    (tmp_path / "storage" / f"{names[1]}.json").write_bytes(b"{}")
    (tmp_path / "storage" / f"{names[2]}.json").unlink()  # its upload is not at its end
    second = collection_with(tmp_path / "second", storage, pages=0)
    assert shipper(second).find() == len(names) - 3
    assert sorted(read_manifest(second.archive_folder)) == names[3:]
    label.write_bytes(msgspec.json.encode(row))
    (tmp_path / "storage" / f"{names[0]}.cdxj").write_bytes(b"th,example)/ 2026 {}\n")
    with pytest.raises(StorageError, match="not those that were shipped"):
        shipper(second).find()
    assert names[0] not in read_manifest(second.archive_folder)


# ── what is said when storage says no ────────────────────────────────────────────────────────────


def refused(collection: Collection, **changes: object) -> str:
    """The one line that comes of other settings; nothing is lost."""
    before = local_files(collection)
    with pytest.raises((StorageError, SettingsError)) as problem:
        shipper(change_storage(collection, **changes)).ship_all()
    assert local_files(collection) == before
    assert "\n" not in str(problem.value)
    assert len(str(problem.value)) < 250
    return str(problem.value)


def test_every_refusal_is_one_clear_line(tmp_path: Path, server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    collection = collection_with(tmp_path / "c", StorageSettings(url="s3://web/x", endpoint=server))
    assert refused(collection, url="s3://nowhere/x") == "storage s3://nowhere/x: there is no such bucket"
    assert refused(collection, endpoint="http://127.0.0.1:9") == "storage s3://web/x: it cannot be reached"
    assert "is neither s3://bucket/prefix nor file:/path" in refused(collection, url="ftp://web/x")
    assert "is neither" in refused(collection, url="s3://")
    assert "is neither" in refused(collection, url="file:relative")
    assert "there is no such folder; make it, or mount" in refused(collection, url=f"file:{tmp_path}/not-there")
    assert "storage.credentials" in refused(collection, url="s3://web/x", credentials="gone.env")


def test_wrong_credentials_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with s3_server(checked=True) as address:
        collection = collection_with(tmp_path / "c", StorageSettings(url="s3://web/x", endpoint=address))
        assert "the credentials are refused; see AWS_ACCESS_KEY_ID" in refused(collection)


def test_credentials_may_stand_in_a_file(tmp_path: Path, server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ACCOUNT:
        monkeypatch.delenv(name, raising=False)
    settings = StorageSettings(url=f"s3://web/{tmp_path.name}", endpoint=server, credentials="s3.env", keep_local=False)
    collection = collection_with(tmp_path / "c", settings)
    lines = "".join(f"{name}={value}\n" for name, value in ACCOUNT.items())
    (collection.path / "s3.env").write_text(f"# of tests\n{lines}", encoding="utf-8")
    before = read(collection)
    shipper(collection).ship_all()
    assert read(collection) == before
    kept = b"".join(path.read_bytes() for path in collection.archive_folder.glob("*.json*"))
    assert ACCOUNT["AWS_SECRET_ACCESS_KEY"].encode() not in kept, "the manifest tells no secret"


FULL = """
import sys
from pathlib import Path
from phasa.archive.shipping import Shipper
from phasa.archive.storage import Storage, StorageError
from phasa.collection import Collection
collection = Collection.open(Path(sys.argv[1]))
try:
    Shipper(collection.archive_folder, collection.settings.storage, collection.path).ship_all()
except StorageError as problem:
    print(problem)
"""


def test_a_full_disk_is_said_so_and_loses_nothing(tmp_path: Path) -> None:
    (tmp_path / "storage").mkdir()
    mount = f"mount -t tmpfs -o size=1m tmpfs {tmp_path}/storage"
    if subprocess.run(["unshare", "-m", "sh", "-c", mount], check=False, capture_output=True).returncode:
        pytest.skip("a small disk needs the right to mount one (run as root)")
    collection = collection_with(
        tmp_path / "c", StorageSettings(url=f"file:{tmp_path}/storage", keep_local=False), size=3 << 20
    )
    before = read(collection)
    script = f'{mount} && exec {sys.executable} -c "$0" {collection.path}'
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script, FULL], check=True, capture_output=True, text=True, timeout=60
    )
    assert done.stdout == f"storage file:{tmp_path}/storage: it is full\n"
    assert read(collection) == before
    assert len(local_files(collection)) == 1
    assert os.listdir(tmp_path / "storage") == []
