"""Files are replaced as a whole."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
import zstandard

from phasa.files import naming, replace_file, unpacked, whole_file


def test_a_file_is_made_and_replaced(tmp_path: Path) -> None:
    replace_file(tmp_path / "a.json", b"1")
    replace_file(tmp_path / "a.json", "ไทย", durable=True)
    assert (tmp_path / "a.json").read_text(encoding="utf-8") == "ไทย"


def test_nothing_else_is_left_in_the_folder(tmp_path: Path) -> None:
    replace_file(tmp_path / "a.json", b"1")
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_the_old_content_stays_when_the_new_cannot_be_put_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "a.json").mkdir()
    with pytest.raises(OSError, match="directory"):
        replace_file(tmp_path / "a.json", b"1")
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_letters_without_a_utf8_form_are_written_as_escapes(tmp_path: Path) -> None:
    replace_file(tmp_path / "a.txt", "a\udc80")
    assert (tmp_path / "a.txt").read_bytes() == b"a\\udc80"


def test_what_is_packed_is_unpacked_no_further_than_it_may() -> None:
    packed = zstandard.compress(bytes(10_000_000))
    assert unpacked(packed) == bytes(10_000_000)
    with pytest.raises(ValueError, match="more than 9,999,999 bytes"):
        unpacked(packed, 9_999_999)


@pytest.mark.parametrize(
    "content",
    [b"", b"plain", zstandard.compress(bytes(range(200)))[:-3], b"\x28\xb5\x2f\xfd\x80\x58\x11\0\0ab\x8f"],
    ids=["nothing", "plain", "cut", "size not true"],
)
def test_what_is_not_packed_or_not_whole_is_damaged(content: bytes) -> None:
    with pytest.raises(ValueError, match="damaged"):
        unpacked(content)


def test_a_full_disk_is_told_with_the_file(tmp_path: Path) -> None:
    full = Path("/dev/full")
    with (
        pytest.raises(OSError, match=r"No space left.*mine\.txt"),
        naming(tmp_path / "mine.txt"),
        full.open("wb") as file,
    ):
        file.write(b"x")


def test_a_file_written_piece_by_piece_has_its_name_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("old")
    with suppress(ZeroDivisionError), whole_file(path) as unfinished:
        unfinished.write_text("half")
        assert path.read_text() == "old"
        raise ZeroDivisionError
    assert path.read_text() == "old"
    with whole_file(path) as unfinished:
        unfinished.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_stream_is_written_as_it_is() -> None:
    with whole_file(Path("/dev/null")) as stream:
        assert stream == Path("/dev/null")
