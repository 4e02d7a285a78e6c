"""Reports: self-contained, with what was found."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from phasa.lab.chart import COLOURS, Chart, Series, draw
from phasa.lab.report import write_files, write_html, write_text
from phasa.lab.result import Cell, Claim, Result, Section, Table


def _result() -> Result:
    chart = Chart(
        "Harvest <rate>", "pages crawled", "harvest",
        [Series("a & b", [0, 50, 100], [0.1, 0.5, 0.9], [0.1, 0.1, 0.1]), Series("perfect", [0, 100], [1, 1])], 1.0,
    )  # fmt: skip
    table = Table("Table <1>", ["method", "value"], [["x", 0.25], ["y", None], ["z", 12345]], "a note")
    claims = [Claim("E6", "a > b", True, "0.9 against 0.1"), Claim("E7", "b > a", False, "0.1 against 0.9")]
    return Result(
        "small", "A small report", "Why.", [Section("One", "Text.", [table], [chart])], claims, {"c.csv": "a\n1\n"}
    )


def test_the_page_needs_nothing_from_outside() -> None:
    page = write_html(_result())
    assert not re.search(r"(?:src|href)=|url\(|@import|<script", page)
    assert page.startswith("<!DOCTYPE html>")
    assert 'name="viewport"' in page


def test_everything_is_shown_and_escaped() -> None:
    page = write_html(_result())
    for text in ("Table &lt;1&gt;", "Harvest &lt;rate&gt;", "a &amp; b", "12,345", "0.2500", "a note", "does not hold"):
        assert text in page
    text = write_text(_result())
    assert "DOES NOT HOLD  E7: b > a" in text
    assert "Text." in text
    assert "–" in text


def test_a_title_is_said_once_and_the_numbers_of_a_column_are_alike() -> None:
    rows: list[list[Cell]] = [["1", 18.25, 0.5], ["2", 0.0, 1500.0], ["3", 2.2, 2.0]]
    table = Table("E0: one", ["hour", "error %", "mixed"], rows)
    result = Result("small", "A report", "", [Section("E0: one", "", [table])])
    assert write_text(result).count("E0: one") == 1
    assert write_html(result).count("E0: one") == 1
    lines = [line.split() for line in write_text(result).splitlines()[-3:]]
    assert [line[1] for line in lines] == ["18.250", "0.000", "2.200"]
    assert [line[2] for line in lines] == ["0.5000", "1,500.0000", "2.0000"]


def test_a_chart_has_axes_units_and_a_legend() -> None:
    drawn = draw(_result().sections[0].charts[0])
    assert "pages crawled" in drawn
    assert ">harvest<" in drawn
    assert drawn.count("stroke-width") == 4  # two lines, and two in the legend
    assert "opacity" in drawn


def test_a_chart_takes_the_colour_of_the_page_for_its_words() -> None:
    """Black words on a dark page cannot be read."""
    drawn = draw(_result().sections[0].charts[0])
    assert 'fill="currentColor"' in drawn.partition(">")[0]
    assert "#000" not in "".join(COLOURS)


def test_a_chart_without_points_is_still_a_chart() -> None:
    assert draw(Chart("nothing", "x", "y", [])).startswith("<svg")


def test_files_are_written(tmp_path: Path) -> None:
    written = write_files(_result(), tmp_path / "new")
    assert [path.name for path in written] == ["small.html", "c.csv"]
    assert (tmp_path / "new" / "c.csv").read_text() == "a\n1\n"


@pytest.mark.browser
def test_the_report_fits_a_phone(chromium: str, tmp_path: Path) -> None:
    """At 360 px the page itself does not scroll sideways, and every chart is as wide as the screen allows."""
    (page,) = [path for path in write_files(_result(), tmp_path) if path.suffix == ".html"]
    script = (
        "<script>document.title = document.documentElement.scrollWidth + ' ' + "
        "Math.round(document.querySelector('svg').getBoundingClientRect().width)</script>"
    )
    frame = tmp_path / "frame.html"
    frame.write_text(page.read_text().replace("</body>", script + "</body>"))
    outer = tmp_path / "outer.html"
    outer.write_text(
        '<body><iframe id="f" src="frame.html" style="width:360px;height:800px;border:0"></iframe><script>'
        "onload = () => { document.body.dataset.size = document.getElementById('f').contentDocument.title }</script>"
    )
    quiet = "headless no-sandbox disable-gpu no-first-run disable-background-networking disable-component-update"
    flags = [f"--{flag}" for flag in f"{quiet} disable-sync allow-file-access-from-files dump-dom".split()]
    profile = [f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=3000"]
    command = [chromium, *flags, *profile, outer.as_uri()]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False).stdout
    found = re.search(r'data-size="(\d+) (\d+)"', shown)
    assert found, shown[-500:]
    assert int(found.group(1)) <= 360
    assert int(found.group(2)) >= 300
