"""Sources to a corpus, from end to end: what stays, what goes and why, and what a kill changes."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.corpus.pages import bytes_of, dropped, kept, options, page, thai, write_warc

from phasa.archive.damage import noted
from phasa.corpus import sources
from phasa.corpus.build import build, read_summary
from phasa.corpus.worker import do_unit
from phasa.errors import InputError

NOTICE = "เว็บไซต์นี้ใช้คุกกี้เพื่อพัฒนาประสบการณ์การใช้งานของท่าน กรุณาอ่านนโยบายความเป็นส่วนตัวก่อนใช้งาน"
ENGLISH = "The parliament voted on Tuesday to approve the budget after a long debate that lasted until midnight."


def some_pages(count: int = 12) -> list[tuple[str, bytes]]:
    ordinary = [(f"http://a.example/{n}", page(f"เรื่อง {n}", thai(n), thai(n + 1000), NOTICE)) for n in range(count)]
    changed = thai(0)[:-12] + "จบเรื่องแล้ว"
    return [
        *ordinary,
        ("http://b.example/same", page("เรื่อง 0", thai(0), thai(1000), NOTICE)),
        ("http://b.example/near", page("เรื่อง 0", changed, thai(1000), NOTICE)),
        ("http://b.example/english", page("Budget", *[ENGLISH] * 5)),
        ("http://b.example/mixed", page("สองภาษา", thai(77), ENGLISH, thai(78))),
        ("http://b.example/short", page("สั้น", "สวัสดีครับ")),
        ("http://b.example/noai", page("ห้าม", thai(55), head='<meta name="robots" content="noai">')),
        (
            "http://b.example/cc",
            page("เสรี", thai(56), head='<link rel="license" href="https://creativecommons.org/licenses/by/4.0/">'),
        ),
        ("http://b.example/secret", page("ติดต่อ", thai(57), "ผู้สนใจเขียนถึงผู้จัดทำหนังสือเล่มนี้ได้ที่ somchai@example.co.th")),
    ]


@pytest.fixture
def warc(tmp_path: Path) -> Path:
    return write_warc(tmp_path / "pages.warc.gz", some_pages())


def test_every_record_is_kept_or_has_a_reason(warc: Path, tmp_path: Path) -> None:
    built = build([str(warc)], tmp_path / "out", options(mask=("mail",)), workers=1)
    rows, gone = kept(tmp_path / "out"), dropped(tmp_path / "out")
    assert rows.keys() | gone.keys() == {url for url, _ in some_pages()}
    reasons = {url.rpartition("/")[2]: f"{row.step}/{row.reason}" for url, row in gone.items()}
    assert reasons == {
        "same": "duplicates/exact", "near": "duplicates/near", "english": "language/other_language",
        "short": "quality/words_low", "noai": "optout/noai",
    }  # fmt: skip
    assert gone["http://b.example/near"].detail == "http://a.example/0"
    assert gone["http://b.example/near"].numbers["jaccard"] >= 0.8
    assert rows["http://a.example/0"].cluster_size == 3
    assert rows["http://b.example/cc"].licence == "CC-BY-4.0"
    assert "somchai" not in rows["http://b.example/secret"].text
    assert rows["http://b.example/secret"].masked == {"mail": 1}
    assert ENGLISH not in rows["http://b.example/mixed"].text
    assert rows["http://b.example/mixed"].signals["other_paragraphs"] == 1
    assert all(NOTICE not in row.text for row in rows.values())
    assert rows["http://a.example/1"].signals["boilerplate"] == 1
    assert rows["http://a.example/1"].file == "pages.warc.gz"
    assert built.summary.funnel[-1].left == len(rows) == built.summary.counts.kept
    assert not (tmp_path / "out" / "work").exists()


@pytest.mark.parametrize("step", ["optout", "language", "quality", "duplicates", "boilerplate"])
def test_a_step_that_is_switched_off_drops_nothing(warc: Path, tmp_path: Path, step: str) -> None:
    build([str(warc)], tmp_path / "out", options(without=(step,)), workers=1)
    assert step not in {row.step for row in dropped(tmp_path / "out").values()}
    if step == "boilerplate":
        assert NOTICE in kept(tmp_path / "out")["http://a.example/1"].text


def test_the_number_of_workers_changes_no_byte(warc: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "RANGE", 4000)
    for workers in (1, 2):
        build([str(warc)], tmp_path / f"out{workers}", options(), workers=workers)
    assert read_summary(tmp_path / "out1").units > 2
    assert bytes_of(tmp_path / "out1") == bytes_of(tmp_path / "out2")


def test_ranges_of_a_file_have_every_record_once(warc: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "RANGE", 777)
    build([str(warc)], tmp_path / "out", options(), workers=1)
    assert read_summary(tmp_path / "out").counts.records == len(some_pages())


def test_a_killed_run_goes_on_and_gives_the_same_bytes(tmp_path: Path) -> None:
    for number in range(6):
        pages = [(f"http://h{number}.example/{n}", page(f"{n}", thai(100 * number + n), thai(n))) for n in range(30)]
        write_warc(tmp_path / f"{number}.warc.gz", pages)
    command = [sys.executable, "-m", "phasa", "corpus", str(tmp_path / "*.warc.gz"), "--lang", "th", "-o"]
    whole, torn = str(tmp_path / "whole"), str(tmp_path / "torn")
    begun = time.monotonic()
    subprocess.run([*command, whole], check=True, capture_output=True)
    takes = time.monotonic() - begun
    rng = random.Random(1)
    killed = 0
    for _ in range(12):
        process = subprocess.Popen([*command, torn], stdout=subprocess.DEVNULL, start_new_session=True)
        try:
            process.wait(takes * (0.3 + 0.6 * rng.random()))
            break
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            killed += 1
    subprocess.run([*command, torn], check=True, capture_output=True)
    assert killed
    assert bytes_of(Path(whole)) == bytes_of(Path(torn))


def test_no_unit_is_done_twice(warc: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from phasa.corpus import build as building

    monkeypatch.setattr(sources, "RANGE", 4000)
    done: list[int] = []
    real = do_unit

    def stops(out, unit, *rest):  # type: ignore[no-untyped-def]
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(unit.number)
        return real(out, unit, *rest)

    monkeypatch.setattr(building, "do_unit", stops)
    with pytest.raises(KeyboardInterrupt):
        build([str(warc)], tmp_path / "out", options(), workers=1)

    def goes_on(out, unit, *rest):  # type: ignore[no-untyped-def]
        done.append(unit.number)
        return real(out, unit, *rest)

    monkeypatch.setattr(building, "do_unit", goes_on)
    build([str(warc)], tmp_path / "out", options(), workers=1)
    assert done == sorted(set(done))


def test_a_finished_corpus_is_left_alone_and_another_one_refused(warc: Path, tmp_path: Path) -> None:
    build([str(warc)], tmp_path / "out", options(), workers=1)
    before = bytes_of(tmp_path / "out")
    assert not build([str(warc)], tmp_path / "out", options(), workers=1).fresh
    assert bytes_of(tmp_path / "out") == before
    with pytest.raises(InputError, match="another corpus"):
        build([str(warc)], tmp_path / "out", options(jaccard=0.9), workers=1)


def test_next_month_is_deduplicated_against_this_one(warc: Path, tmp_path: Path) -> None:
    build([str(warc)], tmp_path / "october", options(), workers=1)
    new = ("http://c.example/new", page("ใหม่", thai(500), thai(501)))
    later = write_warc(tmp_path / "later.warc.gz", [*some_pages(4), new])
    build([str(later)], tmp_path / "november", options(against=(str(tmp_path / "october"),)), workers=1)
    assert list(kept(tmp_path / "november")) == ["http://c.example/new"]
    gone = dropped(tmp_path / "november")
    assert gone["http://a.example/1"].reason == "exact_before"
    assert gone["http://a.example/1"].detail == "http://a.example/1"


def test_bad_sources_are_told_and_the_rest_goes_on(warc: Path, tmp_path: Path) -> None:
    whole = warc.read_bytes()
    (tmp_path / "cut.warc.gz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "noise.warc.gz").write_bytes(b"\x1f\x8b\x08" + bytes(range(256)) * 20)
    (tmp_path / "empty.warc.gz").write_bytes(b"")
    (tmp_path / "text.warc").write_bytes(b"this is no archive\n" * 10)
    names = [str(tmp_path / name) for name in ("cut.warc.gz", "noise.warc.gz", "empty.warc.gz", "text.warc", "absent")]
    with noted() as damage:
        built = build([*names, str(warc)], tmp_path / "out", options(), workers=1)
    assert built.problems == (f"{tmp_path / 'absent'}: there is no such file or folder",)
    assert {one.path.name for one in damage} == {"cut.warc.gz", "noise.warc.gz", "empty.warc.gz", "text.warc"}
    assert len(built.summary.damage) == len(damage)
    assert {url for url, _ in some_pages()} <= kept(tmp_path / "out").keys() | dropped(tmp_path / "out").keys()


def test_nothing_to_read_is_an_error_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        build([str(tmp_path / "absent")], tmp_path / "out", options(), workers=1)
    assert not (tmp_path / "out").exists()


def test_a_record_of_a_gigabyte_is_passed_over(tmp_path: Path) -> None:
    import gzip

    head = (
        "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://big.example/\r\nWARC-Date: 2026-11-01T00:00:00Z\r\n"
        f"Content-Type: text/html\r\nContent-Length: {1 << 30}\r\n\r\n"
    )
    path = write_warc(tmp_path / "big.warc.gz", some_pages(3))
    with path.open("ab") as file, gzip.GzipFile(fileobj=file, mode="wb", compresslevel=1) as big:
        big.write(head.encode())
        for _ in range(1 << 10):
            big.write(bytes(1 << 20))
    with noted() as damage:
        build([str(path)], tmp_path / "out", options(), workers=1)
    assert [one.what for one in damage] == ["a record of more than 268,435,456 bytes, which is not read"]
    assert len(kept(tmp_path / "out")) > 3


def test_ten_thousand_tiny_files_are_read_together(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    for number in range(100):
        (folder / f"{number}").mkdir(parents=True)
        for n in range(100):
            (folder / f"{number}" / f"{n}.html").write_bytes(b"<p>a")
    built = build([str(folder)], tmp_path / "out", options(), workers=1)
    assert built.summary.counts.records == 10_000
    assert built.summary.units == 20


def test_a_full_disk_leaves_nothing_half_written(warc: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    program = (
        "import resource, sys; from phasa.cli import main; resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000));"
        f"sys.argv = ['phasa', 'corpus', {str(warc)!r}, '-o', {str(out)!r}, '--lang', 'th', '--workers', '1']; main()"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert told.returncode == 1
    assert "file too large" in told.stderr
    assert not (out / "corpus.json").exists()
    assert [path for path in out.rglob("*") if ".part" in path.name] == []
    build([str(warc)], tmp_path / "fine", options(), workers=1)
    build([str(warc)], out, options(), workers=1)
    assert bytes_of(out) == bytes_of(tmp_path / "fine")


def test_only_the_addresses_of_a_list_are_taken(warc: Path, tmp_path: Path) -> None:
    wanted = frozenset(("http://a.example/3", "http://a.example/5"))
    build([str(warc)], tmp_path / "out", options(), addresses=wanted, workers=1)
    assert kept(tmp_path / "out").keys() == wanted


def test_wet_files_are_read_as_they_are(tmp_path: Path) -> None:
    path = write_warc(
        tmp_path / "a.warc.wet.gz",
        [("http://a.example/1", f"{thai(1)}\n{ENGLISH}\n{thai(2)}".encode())],
        kind="conversion",
        mime="text/plain",
    )
    build([str(path)], tmp_path / "out", options(), workers=1)
    (row,) = kept(tmp_path / "out").values()
    assert [one.text for one in row.paragraphs] == [thai(1).strip(), thai(2).strip()]
    assert row.page == "text"


def test_memory_of_kills_is_short(tmp_path: Path) -> None:
    """What a killed worker left half-written is swept away by the next."""
    from phasa.corpus.workspace import Workspace

    workspace = Workspace(tmp_path)
    torn = tmp_path / "work" / "units" / "000000.part-999"
    torn.mkdir(parents=True)
    with workspace.new_unit(0) as part:
        (part / "x").write_text("y")
    assert [path.name for path in torn.parent.iterdir()] == ["000000"]
