"""`phasa detect` and `phasa languages` as scripts use them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.language.texts import SENTENCES

from phasa.language.profile import known_languages


def phasa(*words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "phasa", *words], input=given, capture_output=True, timeout=120, env={**os.environ}
    )


def rows(output: bytes) -> list[dict[str, object]]:
    return [json.loads(line) for line in output.splitlines()]


def test_lines_get_one_object_each_in_order() -> None:
    languages = ["fa", "th", "ar", "en"]
    given = "\n".join([*(SENTENCES[language] for language in languages), "", "12345"]) + "\n"
    done = phasa("detect", "--lines", "--json", "-", given=given.encode())
    assert done.returncode == 0
    found = rows(done.stdout)
    assert [row["language"] for row in found] == [*languages, "und", "und"]
    assert all(list(row) == ["language", "score", "evidence"] for row in found)


def test_a_line_feed_alone_ends_a_line() -> None:
    given = "one text\u2028\x85\x0b\x0cstill the same\rand this\nsecond".encode()
    assert len(phasa("detect", "--lines", "--json", given=given).stdout.splitlines()) == 2


def test_bytes_that_are_not_utf8_do_not_stop_the_lines() -> None:
    given = b"\xff\xfe\x00\x81\n" + SENTENCES["th"].encode() + b"\n"
    found = rows(phasa("detect", "--lines", "--json", given=given).stdout)
    assert [row["language"] for row in found] == ["und", "th"]


def test_pages_come_with_file_and_charset(tmp_path: Path) -> None:
    thai = tmp_path / "thai.html"
    body = (
        f"<html><head><meta charset=tis-620></head><body><p>{SENTENCES['th']}</p><script>var x;</script></body></html>"
    )
    thai.write_bytes(body.encode("tis-620"))
    plain = tmp_path / "plain.txt"
    plain.write_text(SENTENCES["fa"], encoding="utf-8")
    found = rows(phasa("detect", "--json", str(thai), str(plain)).stdout)
    assert [row["language"] for row in found] == ["th", "fa"]
    assert [row["file"] for row in found] == [str(thai), str(plain)]
    assert all({"charset", "charset_evidence"} <= set(row) for row in found)


def test_scripts_and_markup_are_not_the_language_of_a_page(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    code = "function theQuickBrownFox() { return 'the lazy dog and the other english words'; }" * 30
    page.write_text(f"<html><head><script>{code}</script></head><body>{SENTENCES['fa']}</body></html>", "utf-8")
    assert rows(phasa("detect", "--json", str(page)).stdout)[0]["language"] == "fa"


def test_without_json_a_line_of_text(tmp_path: Path) -> None:
    done = phasa("detect", given=SENTENCES["ur"].encode())
    assert done.stdout.decode().split("\t")[0] == "ur"


@pytest.mark.parametrize("body", [b"", b"\x00" * 5000, os.urandom(5000), b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9])
def test_empty_and_binary_files_are_undetermined(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(body)
    done = phasa("detect", "--json", str(path))
    assert done.returncode == 0
    assert rows(done.stdout)[0]["language"] == "und"


def test_a_missing_file_and_a_wrong_method_are_one_line_errors(tmp_path: Path) -> None:
    for words in (["detect", str(tmp_path / "absent")], ["detect", "--method", "guess", "-"], ["languages", "xx"]):
        done = phasa(*words)
        assert done.returncode == 1
        assert done.stderr.decode().count("\n") == 1


def test_languages_lists_the_profiles() -> None:
    shown = phasa("languages").stdout.decode()
    table, licences = shown.split("\n\n")
    assert len(table.splitlines()) == len(known_languages())
    assert all(line.startswith("licence ") for line in licences.splitlines())
    assert "Persian" in shown
    profiles = json.loads(phasa("languages", "fa", "az-Arab", "--json").stdout)
    assert [profile["code"] for profile in profiles] == ["fa", "azb"]


def test_all_languages_of_the_model_can_be_listed() -> None:
    shown = phasa("languages", "--all").stdout.decode()
    (others,) = (line for line in shown.splitlines() if line.startswith("without a profile:"))
    assert len(others.split()) > 200


def test_a_file_that_is_not_there_does_not_stop_the_others(tmp_path: Path) -> None:
    there = tmp_path / "th.txt"
    there.write_text(SENTENCES["th"])
    done = phasa("detect", str(tmp_path / "none.txt"), str(there), "--json")
    assert done.returncode == 1
    assert done.stderr.decode() == f"phasa: {tmp_path / 'none.txt'}: no such file or directory\n"
    assert [row["language"] for row in rows(done.stdout)] == ["th"]
