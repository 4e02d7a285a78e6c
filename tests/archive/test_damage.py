"""Damage in archive files: found by checksum, named with file and byte, and passed over."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest
from tests.archive.captures import page

from phasa.archive.capture import ArchiveError
from phasa.archive.cdxj import INDEX, Entry, read_index
from phasa.archive.damage import noted
from phasa.archive.members import members
from phasa.archive.reader import get, read_archive, read_entry, read_warc
from phasa.archive.repair import mend_archive
from phasa.archive.warc import WarcWriter
from phasa.errors import PhasaError


def written(folder: Path, pages: int = 30) -> Path:
    with WarcWriter(folder) as writer:
        for number in range(pages):
            writer.write(page(number, body=b"%d " % number * 300))
    (file,) = folder.glob("*.warc.gz")
    return file


def unpacked(file: Path) -> Path:
    plain = file.with_name("plain.warc")
    plain.write_bytes(gzip.decompress(file.read_bytes()))
    return plain


@pytest.mark.parametrize("packed", [True, False])
def test_a_flipped_bit_costs_one_record_and_is_told(tmp_path: Path, packed: bool) -> None:
    file = written(tmp_path)
    file = file if packed else unpacked(file)
    whole, data = {record.url: record.body for record in read_warc(file)}, file.read_bytes()
    dice = random.Random(3)
    for _ in range(60):
        at = dice.randrange(len(data))
        broken = bytearray(data)
        broken[at] ^= 1 << dice.randrange(8)
        file.write_bytes(broken)
        with noted() as damage:
            found = {record.url: record.body for record in read_warc(file)}
        assert len(found) >= len(whole) - 1
        assert damage or len(found) == len(whole) or not packed
        if packed:  # the format has no checksum of a plain record's own header
            assert all(whole.get(url) == body for url, body in found.items())
        assert all(one.path == file and one.offset <= at for one in damage)


@pytest.mark.parametrize("name", ["x.arc", "x.arc.gz", "x.warc", "x.warc.gz"])
def test_bytes_that_are_nothing_are_told_and_never_raise(tmp_path: Path, name: str) -> None:
    dice = random.Random(name)
    arc = b"filedesc://x.arc 0.0.0.0 20200101000000 text/plain 76\n1 0 Test\nURL IP-address Archive-date\n\n"
    arc += b"http://a.example/ 1.2.3.4 20200101000000 text/html 60\n"
    arc += b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nhello\n"
    for _ in range(300):
        data = bytearray(arc)
        for _ in range(dice.randrange(1, 6)):
            data[dice.randrange(len(data))] = dice.randrange(256)
        file = tmp_path / name
        some = bytes(data[: dice.randrange(len(data))])
        file.write_bytes(gzip.compress(some) if name.endswith(".gz") else some)
        with noted():
            list(read_warc(file))


def test_an_empty_or_cut_file_is_told_unless_it_is_being_written(tmp_path: Path) -> None:
    file = written(tmp_path)
    data = file.read_bytes()
    for cut in (0, len(data) - 5):
        file.write_bytes(data[:cut])
        with noted() as damage:
            list(read_archive(tmp_path))
        assert [one.path for one in damage] == [file]
    file.write_bytes(data[:-5])
    file.rename(file.with_name(f"{file.name}.open"))
    with noted() as damage:
        list(read_archive(tmp_path))
    assert not damage


def test_what_stands_behind_damage_in_an_open_file_is_not_cut_off(tmp_path: Path) -> None:
    file = written(tmp_path)
    pieces = list(members(file))
    data = bytearray(file.read_bytes())
    data[pieces[10].offset + 30] ^= 1
    (tmp_path / INDEX).unlink(missing_ok=True)
    for old in tmp_path.glob("*.cdxj*"):
        old.unlink()
    file.unlink()
    file.with_name(f"{file.name}.open").write_bytes(bytes(data) + b"\x1f\x8b\x08torn")
    with noted():
        assert mend_archive(tmp_path).finished == {file.name: 7}
        assert len(list(read_archive(tmp_path))) >= 29
        assert len(list(read_index(tmp_path))) == len(list(read_archive(tmp_path)))


def test_open_files_of_every_worker_are_finished(tmp_path: Path) -> None:
    for worker in range(3):
        writer = WarcWriter(tmp_path / "a", worker=worker, dedup=False)
        writer.write(page(worker))
        writer.sync()
        (open_file,) = (tmp_path / "a").glob(f"*-{worker:02d}.warc.gz.open")
        (tmp_path / open_file.name).write_bytes(open_file.read_bytes())
    assert len(mend_archive(tmp_path).finished) == 3
    assert len(list(read_index(tmp_path))) == 3


def test_a_damaged_record_is_named_when_it_is_asked_for(tmp_path: Path) -> None:
    file = written(tmp_path / "archive")
    mend_archive(tmp_path / "archive")
    entry = next(iter(read_index(tmp_path / "archive")))
    data = bytearray(file.read_bytes())
    data[int(entry.offset) + 40] ^= 255
    file.write_bytes(data)
    with pytest.raises(PhasaError, match=f"damaged at byte {entry.offset}.*phasa repair"):
        get(tmp_path / "archive", entry.url)


@pytest.mark.parametrize("offset", ["", "x", "-1", "9" * 40, "\u0661"])
def test_an_index_line_that_says_no_place_or_time_is_told(tmp_path: Path, offset: str) -> None:
    (tmp_path / "a.warc.gz").write_bytes(b"")
    entry = Entry(url="http://a.example/", timestamp="20201399000000", offset=offset, filename="a.warc.gz")
    with pytest.raises(ArchiveError, match="is no place of a record"):
        read_entry(tmp_path, entry)
    with pytest.raises(ArchiveError, match="is no time of a record"):
        _ = entry.time


@pytest.mark.parametrize("name", ["", "x" * 5000, "a\0b", "not/there"])
def test_an_index_line_that_names_no_file_is_told(tmp_path: Path, name: str) -> None:
    with pytest.raises(ArchiveError, match="is gone"):
        read_entry(tmp_path, Entry(url="http://a.example/", offset="0", filename=name))
