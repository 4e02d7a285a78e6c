"""`make demo` as a newcomer runs it."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import time
import urllib.request
from html import unescape
from pathlib import Path

import pytest

import phasa
from phasa.collection import Collection
from tests.service.conftest import client_of
from tests.service.stock import mixed, stock

SOURCE = str(Path(phasa.__file__).resolve().parents[1])
ENDING = (
    "from pathlib import Path; from rich.console import Console; from phasa.demo.ending import look_around;"
    "import sys; look_around(Console(highlight=False, width=200), Path(sys.argv[1]))"
)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """Where the demo ran, and what it printed. It has a display and no terminal: it must end by itself."""
    folder = tmp_path_factory.mktemp("demo")
    environment = {**os.environ, "COLUMNS": "120", "PYTHONPATH": SOURCE, "DISPLAY": ":9", "BROWSER": "false"}
    words = [sys.executable, "-m", "phasa.demo"]
    return folder, subprocess.run(
        words, cwd=folder, capture_output=True, text=True, timeout=400, env=environment, stdin=subprocess.DEVNULL
    )


def test_the_demo_runs_from_an_empty_directory_and_leaves_what_it_names(
    told: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    tmp_path, shown = told
    assert shown.returncode == 0, shown.stderr
    for name in ("report.html", "cloud.html", "feeds.html"):
        assert f"demo/{name}" in shown.stdout
        assert (tmp_path / "demo" / name).stat().st_size > 5_000
    share = re.search(r"(\d+)% of what phasa fetched is Thai; breadth-first gets (\d+)%", shown.stdout)
    assert share is not None
    assert int(share[1]) > int(share[2]) + 20
    delay = re.search(r"found after ([\d.]+)\s+hours; spread\s+evenly,\s+after ([\d.]+)\.", shown.stdout)
    assert delay is not None
    assert float(delay[1]) < float(delay[2])
    for command in ("phasa init thai-web", "phasa crawl thai-web", "phasa serve thai-web"):
        assert command in shown.stdout
    assert shown.stdout.rstrip().endswith("Look around in the collection:  phasa serve demo/thai-web")


def figures(pattern: str, text: str) -> list[float]:
    """The numbers that a sentence holds."""
    found = re.search(pattern, " ".join(text.split()))
    assert found is not None, pattern
    return [float(number.replace(",", "")) for number in found.groups()]


def test_the_application_over_the_demo_shows_the_numbers_of_its_report(
    told: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    folder, shown = told
    collection = Collection.open(folder / "demo" / "thai-web")
    report = unescape(re.sub(r"<[^>]+>", " ", (folder / "demo" / "report.html").read_text(encoding="utf-8")))
    pages, share = figures(r"phasa fetched (\d+) pages; ([\d.]+)\s?% of them are Thai", report)
    feeds, polls, delay = figures(r"(\d+) feeds, (\d+) requests a day: a post is found after ([\d.]+)", shown.stdout)
    lately, hours = figures(r"still learning: (\d+) requests a day, ([\d.]+) hours", report)
    with client_of(collection) as client:
        start = client.get("/api/start").json()
        assert start["status"]["pages"] == pages
        assert round(start["status"]["harvest"] * 100, 1) == share
        assert start["feeds"] == feeds
        page = client.get("/").text
        for number in (f"{pages:,.0f}", f"{start['status']['wanted']:,}", f"{share:.1f}\N{NO-BREAK SPACE}%"):
            assert number in page, number
        listed = client.get("/api/feeds").json()
        assert listed["count"] == feeds
        assert abs(listed["dial"]["now"] - lately) <= 0.6  # rounded, and a minute later
        assert abs(listed["dial"]["achieved"] - hours) <= 0.06
        assert report.count(f"{delay:.1f} hours after") == 1  # what was printed is what was written
        assert f"{polls:.0f} requests a day in all" in report
        feeds_page = (folder / "demo" / "feeds.html").read_text(encoding="utf-8")
        titles = [one["feed"]["title"] for one in listed["feeds"]]
        assert len(titles) == feeds
        assert all(title in unescape(feeds_page) for title in titles if title)
        said = re.search(r"What (\S+) is about.+? and adverts: (.+?) cloud\.html", " ".join(report.split()))
        assert said is not None
        host, words = said[1], said[2].split(" · ")
        assert f"{host}: " + " · ".join(words) in " ".join(shown.stdout.split())
        cloud = (folder / "demo" / "cloud.html").read_text(encoding="utf-8").casefold()
        assert [word for word in words if word not in cloud] == []
        job = client.post("/api/overview", json={"host": host}).json()
        assert client.app.state.service.jobs.wait(job["id"], 200).state == "done"  # type: ignore[attr-defined]
        made = {word["term"].casefold() for word in client.get(f"/api/overview/{job['id']}").json()["keywords"]}
        assert set(words) <= made
        assert "/lab?report=report.html" in client.get("/lab").text


def test_before_a_terminal_and_a_browser_the_demo_ends_in_the_application(tmp_path: Path) -> None:
    collection = stock(tmp_path / "thai-web", mixed(5))
    opened = tmp_path / "opened.txt"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}.part && mv {opened}.part {opened}\n')
    browser.chmod(0o755)
    ours, theirs = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    environment |= {"PYTHONPATH": SOURCE, "DISPLAY": ":9", "BROWSER": f"{browser} %s"}
    process = subprocess.Popen(
        [sys.executable, "-c", ENDING, str(collection.path)], stdin=theirs, stdout=theirs, env=environment
    )
    try:
        for _ in range(600):
            if opened.exists() or process.poll() is not None:
                break
            time.sleep(0.1)
        link = opened.read_text().strip()
        with urllib.request.urlopen(link, timeout=20) as answer:
            assert b"thai-web" in answer.read()
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    finally:
        process.kill()
        os.close(ours)
        os.close(theirs)


@pytest.mark.parametrize("missing", ["terminal", "display", "not CI"])
def test_without_a_terminal_or_a_display_or_under_ci_the_demo_names_the_command_and_ends(
    tmp_path: Path, missing: str
) -> None:
    ours, theirs = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "WAYLAND_DISPLAY")}
    environment |= {"PYTHONPATH": SOURCE, "BROWSER": "false", "DISPLAY": "" if missing == "display" else ":9"}
    environment |= {"CI": "1"} if missing == "not CI" else {}
    words = [sys.executable, "-c", ENDING, str(stock(tmp_path / "thai-web", mixed(5)).path)]
    stdin = subprocess.DEVNULL if missing == "terminal" else theirs
    assert subprocess.run(words, stdin=stdin, stdout=theirs, env=environment, timeout=60).returncode == 0
    assert b"phasa serve" in os.read(ours, 10_000)
    os.close(ours)
    os.close(theirs)
