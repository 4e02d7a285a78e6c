"""Shipped files are read in blocks: one for a record, many at once for who reads on, never more kept than allowed."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasa.archive import blocks
from phasa.archive.blocks import BLOCK, MOST_BLOCKS, BlockCache, RemoteFile
from phasa.archive.manifest import Place
from phasa.archive.storage import Storage, StorageError

SIZE = 40 * BLOCK + 12_345


class Counted(Storage):
    """A storage that remembers what it was asked for."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"file:{folder}", Place())
        self.asked: list[tuple[int, int]] = []

    def read(self, name: str, start: int, length: int) -> bytes:
        self.asked.append((start, length))
        return super().read(name, start, length)


@pytest.fixture(scope="module")
def content() -> bytes:
    return Random(3).randbytes(SIZE)


@pytest.fixture
def storage(tmp_path: Path, content: bytes) -> Counted:
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "f").write_bytes(content)
    return Counted(tmp_path / "s")


def opened(storage: Storage, cache: BlockCache) -> RemoteFile:
    return RemoteFile(storage, "f", SIZE, cache)


def kept(tmp_path: Path) -> int:
    return sum(path.stat().st_size for path in (tmp_path / "cache").rglob("*") if path.is_file())


def test_one_record_costs_one_block_and_the_next_look_nothing(tmp_path: Path, storage: Counted, content: bytes) -> None:
    cache = BlockCache(tmp_path / "cache", 100 * BLOCK)
    assert opened(storage, cache).pread(5000, 7 * BLOCK + 9) == content[7 * BLOCK + 9 :][:5000]
    assert storage.asked == [(7 * BLOCK, BLOCK)]
    assert opened(storage, cache).pread(5000, 7 * BLOCK + 9) == content[7 * BLOCK + 9 :][:5000]
    assert storage.asked == [(7 * BLOCK, BLOCK)]


def test_who_reads_on_gets_larger_and_larger_pieces(tmp_path: Path, storage: Counted, content: bytes) -> None:
    file, at, parts = opened(storage, BlockCache(tmp_path / "cache", 100 * BLOCK)), 0, []
    while piece := file.pread(1 << 16, at):
        parts.append(piece)
        at += len(piece)
    assert b"".join(parts) == content
    assert [length // BLOCK for _, length in storage.asked] == [1, 2, 4, 8, 16, 9]
    assert max(length for _, length in storage.asked) <= MOST_BLOCKS * BLOCK
    assert kept(tmp_path) == BLOCK, "a file that would fill the cache is streamed past it"


def test_the_cache_stays_within_its_bound(tmp_path: Path, storage: Counted, content: bytes) -> None:
    cache = BlockCache(tmp_path / "cache", 20 * BLOCK)
    file = opened(storage, cache)
    for number in Random(1).sample(range(40), 40):
        file.pread(10, number * BLOCK + 5)
        assert kept(tmp_path) <= 20 * BLOCK
    assert kept(tmp_path) > 0


def test_without_a_cache_and_on_a_disk_that_takes_nothing_it_is_read_all_the_same(
    tmp_path: Path, storage: Counted, content: bytes
) -> None:
    (tmp_path / "cache").write_bytes(b"a file is in the way")
    for most in (0, 100 * BLOCK):
        assert opened(storage, BlockCache(tmp_path / "cache", most)).pread(10, 5) == content[5:15]


def test_a_block_that_was_cut_on_this_disk_is_asked_for_again(tmp_path: Path, storage: Counted, content: bytes) -> None:
    cache = BlockCache(tmp_path / "cache", 100 * BLOCK)
    opened(storage, cache).pread(10, 5)
    (block,) = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    block.write_bytes(block.read_bytes()[:100])
    assert opened(storage, cache).pread(2000, 5) == content[5:2005]


def test_a_file_that_became_shorter_in_storage_is_an_error_and_no_page(tmp_path: Path, storage: Counted) -> None:
    (tmp_path / "s" / "f").write_bytes(b"short")
    with pytest.raises(StorageError, match="storage file:"):
        opened(storage, BlockCache(tmp_path / "cache", 0)).pread(10, 0)


@given(st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 40_000)), max_size=20))
def test_any_reads_give_what_the_file_has(places: list[tuple[int, int]]) -> None:
    data = Random(5).randbytes(30_000)

    class Memory:
        url = "memory:"

        def read(self, name: str, start: int, length: int) -> bytes:
            return data[start : start + length]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK", 1000)
        file = RemoteFile(Memory(), "f", len(data), BlockCache(Path("/nowhere"), 0))  # type: ignore[arg-type]
        for count, at in places:
            assert file.pread(count, at) == data[at : at + count]
