"""Log messages: silent unless asked for, plain or JSON, and a file that a long run leaves behind."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from phasa.logs import FILE, log_as_parent, logged_to_file, take_log_options

LOGGER = logging.getLogger("phasa.part")


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    root = logging.getLogger("phasa")
    before, level = list(root.handlers), root.level
    monkeypatch.delenv("PHASA_LOG", raising=False)
    yield
    root.handlers[:] = before
    root.setLevel(level)


def test_nothing_is_shown_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    assert take_log_options(["crawl", "web"]) == ["crawl", "web"]
    LOGGER.info("quiet")
    LOGGER.warning("quiet, too")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("words", [["-v", "crawl", "web"], ["crawl", "web", "--verbose"], ["crawl", "-v", "web"]])
def test_v_shows_what_happens(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert take_log_options(words) == ["crawl", "web"]
    LOGGER.info("begun with %d seeds", 3)
    LOGGER.debug("a detail")
    shown = capsys.readouterr().err
    assert shown.endswith("Z INFO part: begun with 3 seeds\n")
    assert "detail" not in shown


def test_vv_shows_details(capsys: pytest.CaptureFixture[str]) -> None:
    take_log_options(["crawl", "-vv"])
    LOGGER.debug("a detail")
    assert "DEBUG part: a detail" in capsys.readouterr().err


def test_json_has_the_fields_of_a_message(capsys: pytest.CaptureFixture[str]) -> None:
    take_log_options(["crawl", "--log-json"])
    try:
        raise ValueError("no luck")
    except ValueError:
        LOGGER.exception("failed", extra={"url": "http://a/", "path": Path("b")})
    row = json.loads(capsys.readouterr().err)
    assert (row["level"], row["part"], row["message"], row["url"], row["path"]) == (
        "ERROR", "part", "failed", "http://a/", "b",
    )  # fmt: skip
    assert "ValueError: no luck" in row["traceback"]


def test_what_stands_behind_two_dashes_is_the_commands_own() -> None:
    assert take_log_options(["segment", "--", "-v"]) == ["segment", "--", "-v"]


def test_a_worker_logs_as_its_parent(capsys: pytest.CaptureFixture[str]) -> None:
    take_log_options(["-v", "--log-json"])
    logging.getLogger("phasa").handlers.clear()
    log_as_parent()
    LOGGER.info("here")
    assert json.loads(capsys.readouterr().err)["message"] == "here"


def test_a_file_keeps_what_happened(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with logged_to_file(tmp_path):
        LOGGER.info("ภาษา")
    LOGGER.info("after")
    text = (tmp_path / FILE).read_text(encoding="utf-8")
    assert text.endswith("INFO part: ภาษา\n")
    assert capsys.readouterr().err == ""


def test_a_folder_that_cannot_be_written_to_stops_nobody(tmp_path: Path) -> None:
    with logged_to_file(tmp_path / "absent"):
        LOGGER.info("nowhere")


def test_nothing_is_printed_by_a_program_that_only_imports_us() -> None:
    program = "import logging, phasa; logging.getLogger('phasa.x').warning('quiet')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr == ""
