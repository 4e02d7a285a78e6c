"""The WARC writer: records that others accept, files that survive a kill, bodies stored once."""

from __future__ import annotations

import errno
import io
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.archive.captures import page, warcio_says_fine
from warcio.archiveiterator import ArchiveIterator

from phasa.archive.capture import ArchiveError
from phasa.archive.cdxj import IndexFile, lookup, merge, read_index
from phasa.archive.reader import get, read_archive, read_warc
from phasa.archive.repair import last_whole_record
from phasa.archive.warc import WarcWriter


def test_warcio_finds_no_fault(tmp_path: Path) -> None:
    with WarcWriter(tmp_path) as writer:
        for number in range(20):
            writer.write(page(number))
        writer.write(page(3, started=datetime(2026, 11, 16, tzinfo=UTC)))
        writer.write(page(21, status=304, body=b""))
        writer.write(page(22, body=b"cut", truncated="length"))
    (file,) = tmp_path.glob("*.warc.gz")
    assert warcio_says_fine(file)


def test_records_say_what_happened(tmp_path: Path) -> None:
    with WarcWriter(tmp_path) as writer:
        writer.write(page(1))
    (file,) = tmp_path.glob("*.warc.gz")
    with file.open("rb") as stream:
        records = [(record.rec_type, dict(record.rec_headers.headers)) for record in ArchiveIterator(stream)]
    assert [kind for kind, _ in records] == ["warcinfo", "request", "response", "metadata"]
    response = records[2][1]
    assert response["WARC-Target-URI"] == "http://a.example.th/p1"
    assert response["WARC-Date"] == "2026-11-15T12:00:01.250000Z"
    assert response["WARC-IP-Address"] == "192.0.2.7"
    assert records[1][1]["WARC-Concurrent-To"] == response["WARC-Record-ID"]


def test_each_record_is_one_gzip_member_at_its_indexed_place(tmp_path: Path) -> None:
    with WarcWriter(tmp_path) as writer:
        places = [writer.write(page(number)) for number in range(5)]
    for number, place in enumerate(places):
        data = (tmp_path / place.file).read_bytes()[place.offset : place.offset + place.length]
        (record,) = ArchiveIterator(io.BytesIO(data))
        assert record.rec_headers.get_header("WARC-Target-URI") == f"http://a.example.th/p{number}"


def test_a_body_already_stored_becomes_a_revisit_that_resolves(tmp_path: Path) -> None:
    with WarcWriter(tmp_path) as writer:
        writer.write(page(1, body=b"same"))
        writer.write(page(2, body=b"same"))
    stored = list(read_archive(tmp_path))
    assert [record.revisit for record in stored] == [False, True]
    assert stored[1].refers_to_url == "http://a.example.th/p1"
    again = get(tmp_path, "http://a.example.th/p2")
    assert again is not None
    assert again.content == b"same"


def test_duplicates_are_known_across_runs(tmp_path: Path) -> None:
    for number in (1, 2):
        with WarcWriter(tmp_path) as writer:
            writer.write(page(number, body=b"same"))
    assert [record.revisit for record in read_archive(tmp_path)] == [False, True]


def test_not_modified_is_a_revisit_that_resolves_to_the_last_body(tmp_path: Path) -> None:
    with WarcWriter(tmp_path) as writer:
        writer.write(page(1, body=b"first"))
        writer.write(page(1, status=304, body=b"", started=datetime(2026, 11, 16, tzinfo=UTC)))
    again = get(tmp_path, "http://a.example.th/p1")
    assert again is not None
    assert again.content == b"first"
    assert again.time.day == 16


def test_a_truncated_body_is_never_the_original_of_a_revisit(tmp_path: Path) -> None:
    with WarcWriter(tmp_path) as writer:
        writer.write(page(1, body=b"half", truncated="time"))
        writer.write(page(2, body=b"half"))
    assert not any(record.revisit for record in read_archive(tmp_path))


def test_files_rotate_by_size_and_the_open_one_says_so(tmp_path: Path) -> None:
    writer = WarcWriter(tmp_path, rotate_bytes=4000)
    for number in range(40):
        writer.write(page(number, body=os.urandom(500)))
    assert len(list(tmp_path.glob("*.warc.gz.open"))) == 1
    finished = list(tmp_path.glob("*.warc.gz"))
    assert len(finished) > 4
    assert all(file.stat().st_size <= 4000 for file in finished)
    writer.close()
    assert not list(tmp_path.glob("*.open"))
    assert len(list(read_archive(tmp_path))) == 40


def test_a_record_larger_than_a_file_still_gets_one(tmp_path: Path) -> None:
    with WarcWriter(tmp_path, rotate_bytes=1000) as writer:
        writer.write(page(1, body=os.urandom(5000)))
        writer.write(page(2, body=os.urandom(5000)))
    assert len(list(read_archive(tmp_path))) == 2


def test_a_torn_tail_is_cut_wherever_it_is_torn(tmp_path: Path) -> None:
    writer = WarcWriter(tmp_path)
    ends = []
    for number in range(6):
        place = writer.write(page(number, notes=()))
        ends.append(place.offset + place.length)
    writer.sync()
    (file,) = tmp_path.glob("*.warc.gz.open")
    data = file.read_bytes()
    assert last_whole_record(file) == len(data) == ends[-1]
    for cut in [*range(ends[3] + 1, ends[3] + 40), ends[4] - 1, ends[4] + 5, ends[5] - 3]:
        folder = tmp_path / str(cut)
        folder.mkdir()
        (folder / file.name).write_bytes(data[:cut])
        with WarcWriter(folder) as again:
            assert len(again.repaired) == 1
        (closed,) = folder.glob("*.warc.gz")
        assert warcio_says_fine(closed)
        whole = [end for end in ends if end <= cut]
        assert len(list(read_warc(closed))) == len(whole)
        assert len(list(read_index(folder))) == len(whole)


def test_after_a_kill_nothing_refers_to_what_was_cut(tmp_path: Path) -> None:
    writer = WarcWriter(tmp_path)
    writer.write(page(1, body=b"keep"))
    place = writer.write(page(2, body=b"lose"))
    writer.sync()
    os.close(writer._file)  # as the end of its process does
    (file,) = tmp_path.glob("*.warc.gz.open")
    with file.open("rb+") as torn:
        torn.truncate(place.offset + 10)
    with WarcWriter(tmp_path) as again:
        again.write(page(3, body=b"lose"))
        again.write(page(4, body=b"keep"))
    kinds = {record.url[-1]: record.revisit for record in read_archive(tmp_path)}
    assert kinds == {"1": False, "3": False, "4": True}


def test_after_a_kill_the_bodies_that_are_whole_are_known(tmp_path: Path) -> None:
    writer = WarcWriter(tmp_path)
    writer.write(page(1, body=b"kept"))  # never synchronised
    os.close(writer._file)  # as the end of its process does
    with WarcWriter(tmp_path) as again:
        again.write(page(2, body=b"kept"))
    kinds = {record.url[-1]: record.revisit for record in read_archive(tmp_path)}
    assert kinds == {"1": False, "2": True}


def test_an_open_file_with_nothing_whole_in_it_goes_away(tmp_path: Path) -> None:
    (tmp_path / "phasa-20260101000000000000-00.warc.gz.open").write_bytes(b"\x1f\x8b\x08")
    WarcWriter(tmp_path).close()
    assert not list(tmp_path.glob("*.warc.gz*"))


def test_writers_of_two_workers_leave_each_others_open_files_alone(tmp_path: Path) -> None:
    first = WarcWriter(tmp_path, worker=0)
    first.write(page(1))
    with WarcWriter(tmp_path, worker=1) as second:
        second.write(page(2))
    first.write(page(3))
    first.close()
    assert len(list(read_archive(tmp_path))) == 3
    assert len(list(read_index(tmp_path))) == 3


@pytest.mark.parametrize("bad", ["a\r\nWARC-Type: response", "a\nb", "a\0b"])
def test_a_header_that_would_split_the_record_is_refused(tmp_path: Path, bad: str) -> None:
    with WarcWriter(tmp_path) as writer:
        for broken in (
            page(1, headers=(("X", bad),)),
            page(1, url=f"http://a/{bad}"),
            page(1, reason=bad),
            page(1, address=bad),
        ):
            with pytest.raises(ArchiveError, match="line break or NUL"):
                writer.write(broken)
        writer.write(page(2, notes=(("title", bad),)))  # notes come from pages: made harmless, not refused
    (file,) = tmp_path.glob("*.warc.gz")
    assert warcio_says_fine(file)
    assert len(list(read_archive(tmp_path))) == 1


def test_a_full_disk_leaves_no_half_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = WarcWriter(tmp_path)
    writer.write(page(1))
    real = os.write
    parts = iter([30])

    def full(file: int, data: bytes) -> int:
        for size in parts:
            return real(file, bytes(data)[:size])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(ArchiveError, match="No space left"):
        writer.write(page(2))
    monkeypatch.undo()
    writer.write(page(3))
    writer.close()
    assert [record.url[-1] for record in read_archive(tmp_path)] == ["1", "3"]
    (file,) = tmp_path.glob("*.warc.gz")
    assert warcio_says_fine(file)


def test_the_transfer_coding_is_not_claimed_for_the_stored_entity(tmp_path: Path) -> None:
    with WarcWriter(tmp_path) as writer:
        writer.write(page(1, b"entity", headers=(("Transfer-Encoding", "chunked"), ("Content-Length", "999"))))
    (stored,) = read_archive(tmp_path)
    names = [name.lower() for name, _ in stored.headers]
    assert "transfer-encoding" not in names
    assert "content-length" not in names
    assert ("X-Archive-Orig-Transfer-Encoding", "chunked") in stored.headers
    assert stored.body == b"entity"


def test_the_index_can_be_made_anew(tmp_path: Path) -> None:
    with WarcWriter(tmp_path, rotate_bytes=3000) as writer:
        for number in range(30):
            writer.write(page(number, body=os.urandom(300)))
        writer.write(page(3, body=b"later", started=datetime(2027, 1, 1, tzinfo=UTC)))
    before = [entry.line() for entry in read_index(tmp_path)]
    merged = merge(tmp_path).read_bytes().splitlines(keepends=True)
    assert merged == sorted(before)
    (tmp_path / "index.cdxj").unlink()
    WarcWriter(tmp_path).close()
    assert (tmp_path / "index.cdxj").read_bytes().splitlines(keepends=True) == merged, "a start makes it again"


def test_look_up_finds_all_captures_of_one_address_and_no_other(tmp_path: Path) -> None:
    with WarcWriter(tmp_path) as writer:
        for number in range(200):
            writer.write(page(number))
        writer.write(page(5, body=b"new", started=datetime(2027, 1, 1, tzinfo=UTC)))
        writer.sync()
        assert len(lookup(tmp_path, "http://a.example.th/p5")) == 2  # while the file is open
    assert [entry.timestamp[:4] for entry in lookup(tmp_path, "http://a.example.th/p5")] == ["2026", "2027"]
    merge(tmp_path)
    for number in range(200):
        found = {entry.url for entry in lookup(tmp_path, f"http://a.example.th/p{number}")}
        assert found == {f"http://a.example.th/p{number}"}
    assert lookup(tmp_path, "http://a.example.th/p") == []
    assert lookup(tmp_path, "http://zz.example.th/") == []


def test_the_index_of_an_open_file_is_written_with_each_sync_and_whenever_many_lines_wait(tmp_path: Path) -> None:
    def lines() -> int:
        (file,) = tmp_path.glob("*.cdxj.open")
        return len(file.read_bytes().splitlines())

    with WarcWriter(tmp_path) as writer:
        writer.write(page(0))
        writer.sync()
        assert lines() == 1
        for number in range(1, 1 + 2 * IndexFile.MOST):
            writer.write(page(number))
            assert number - lines() < IndexFile.MOST
    assert len(list(read_index(tmp_path))) == 1 + 2 * IndexFile.MOST


@given(body=st.binary(max_size=2000), name=st.text(st.characters(exclude_categories=("Cc", "Cs", "Z")), max_size=30))
def test_whatever_is_written_reads_back(tmp_path_factory: pytest.TempPathFactory, body: bytes, name: str) -> None:
    folder = tmp_path_factory.mktemp("w")
    with WarcWriter(folder) as writer:
        writer.write(page(1, body=body, headers=(("X-Name", name or "x"),)))
    (stored,) = read_archive(folder)
    assert stored.body == body
    (file,) = folder.glob("*.warc.gz")
    assert warcio_says_fine(file)
