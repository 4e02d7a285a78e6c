"""The progress of a crawl as a terminal of 80 columns shows it."""

from __future__ import annotations

import re

import msgspec
import pytest
from rich.cells import cell_len

from phasa.crawl.meter import Metrics
from phasa.crawl.run.progress import Progress, line


def reading() -> Metrics:
    zeros = {field.name: 0 for field in msgspec.structs.fields(Metrics)}
    known = {
        "done": 12_690, "pages_per_second": 44.4, "harvest": 0.485, "harvest_last_100": 0.81, "waiting": 1_000_965,
        "words_per_megabyte": 48_786.0, "ready_hosts": 103, "resting_hosts": 1_121, "seconds_left": 50.0,
        "outcomes": {}, "paused": False,
    }  # fmt: skip
    return Metrics(**{**zeros, **known})  # type: ignore[arg-type]


def test_every_number_is_shown_whatever_the_width(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("FORCE_COLOR", "1")
    with Progress(shown=True, limit=20_000) as progress:
        progress.show(reading())
        progress._bars.refresh()
        shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().err)
    words = shown.split()
    assert [word for word in line(reading()).split() if word not in words] == []
    assert "about 0:00:50 left" in shown
    assert "…" not in shown
    assert all(cell_len(part) <= 80 for part in re.split(r"[\r\n]+", shown))


def test_nothing_is_shown_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(shown=False, limit=20_000) as progress:
        progress.show(reading())
    assert capsys.readouterr().err == ""
