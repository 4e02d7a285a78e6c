"""crawl.log: what is written is read back, whatever it holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasa.crawl.run.crawl_log import CrawlLog, line, parse_line, read_log, time_text
from phasa.frontier.protocol import Ending, Lease, State, Visit
from phasa.web.url import Url

LEASE = Lease(1, Url("http://a.example/x?q=1"), "a.example", 0.5, 3, "http://seed.example/", b"", 0, 0.0)
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]), max_size=20)


def visit(**changes: object) -> Visit:
    return Visit(**{"at": 1_790_000_000.5, "status": 200, "mime": "text/html", "size": 9, "language": "th", **changes})  # type: ignore[arg-type]


@given(TEXT, TEXT, st.sampled_from([None, True, False]), st.integers(0, 599), st.integers(0, 10**9))
def test_what_is_written_is_read_back(mime: str, reason: str, wanted: bool | None, status: int, size: int) -> None:
    ending = Ending(
        State.DONE, reason, 1_790_000_000.5, visit=visit(mime=mime, wanted=wanted, status=status, size=size)
    )
    found = parse_line(line(LEASE, ending))
    assert found is not None
    assert (found.url, found.depth, found.via) == (LEASE.url, 3, "http://seed.example/")
    assert (found.status, found.size, found.wanted, found.language) == (status, size, wanted, "th")
    assert found.mime == ("" if mime == "-" else mime.replace(" ", "_"))
    assert found.at == 1_790_000_000.5
    assert time_text(found.at) == found.time


@pytest.mark.parametrize(
    ("ending", "outcome"),
    [
        (Ending(State.DONE, "ok", 1.0, visit=visit(status=404)), "404"),
        (Ending(State.WAITING, "timeout: no first byte in 30 s", 1.0, visit=visit(status=0)), "timeout"),
        (Ending(State.DROPPED, "host given up: connect error", 1.0), "host given up"),
        (Ending(State.DROPPED, "", 1.0), "no answer"),
    ],
)
def test_the_outcome_is_the_status_or_the_cause_without_its_details(ending: Ending, outcome: str) -> None:
    found = parse_line(line(LEASE, ending))
    assert found is not None
    assert found.outcome == outcome


@pytest.mark.parametrize(
    "text", ["", "torn 200", "x " * 11 + "x", "2026-01-01T00:00:00Z 200 many http://a/ 1 - - - - - - -"]
)
def test_what_is_not_a_line_is_none(text: str) -> None:
    assert parse_line(text) is None


def test_the_lines_of_a_log_without_what_is_torn(tmp_path: Path) -> None:
    log = CrawlLog(tmp_path / "crawl.log")
    for number in range(3):
        log.append(log.text([(LEASE, Ending(State.DONE, f"ok {number}", float(number), visit=visit()))]))
    log.close()
    with (tmp_path / "crawl.log").open("ab") as file:
        file.write(b"\xff\xfe torn\n2026-")
    assert [found.reason for found in read_log(tmp_path / "crawl.log")] == ["ok_0", "ok_1", "ok_2"]


def test_a_line_of_an_older_crawl_has_no_charset() -> None:
    text = line(LEASE, Ending(State.DONE, "ok", 1.0, visit=visit(charset="utf-8")))
    found = parse_line(text.rpartition(" ")[0] + "\n")
    assert found is not None
    assert found.charset == ""
