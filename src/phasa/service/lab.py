"""The Lab page: the experiment reports in the collection's reports folder."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta
from starlette.responses import Response

from phasa.crawl.strategies import STRATEGIES
from phasa.errors import InputError
from phasa.service.job_shelf import Job
from phasa.service.own_pages import attachment, own_page
from phasa.service.published import Published, published
from phasa.service.section import Call, NotFound, Nothing, Section, View
from phasa.service.service import Service

_TITLE = re.compile(rb"<title>(.{1,300}?)</title>", re.DOTALL | re.IGNORECASE)
_KINDS = {".html": "report", ".csv": "table", ".tsv": "table", ".json": "data", ".svg": "picture"}
_HEAD = 4000
MOST_BYTES = 50_000_000
MOST_REPORTS = 500
MOST_STRATEGIES = 6
OFFERED = ("hybrid", "lswc", "nb", "best-first", "bfs")
"""Strategies that the form offers."""

Name = Annotated[str, Meta(description="A file name in the reports folder.", min_length=1, max_length=255)]


class Report(msgspec.Struct, frozen=True):
    """One file of the reports folder."""

    name: str
    kind: str
    title: str
    size: int
    time: float


class Reports(msgspec.Struct, frozen=True):
    """What is in the folder, newest first. `opened` is the report that is being read."""

    reports: list[Report]
    files: list[Report]
    opened: Report | None = None
    jobs: list[Job] = []
    strategies: list[str] = []
    published: list[Published] = []


class AskedReport(msgspec.Struct, frozen=True):
    """Which file."""

    name: Name


class AskedReports(msgspec.Struct, frozen=True):
    """Which report to open; none for the list alone."""

    report: Annotated[str, Meta(max_length=255)] = ""


def _list(service: Service, asked: Nothing) -> Reports:
    folder = service.collection.reports_folder
    found = [_report(path) for path in _files(folder)]
    found.sort(key=lambda report: (-report.time, report.name))
    pages = [report for report in found if report.kind == "report"]
    others = [report for report in found if report.kind != "report"]
    jobs = [job for job in service.jobs.all() if job.task == "lab_job"]
    offered = [name for name in OFFERED if name in STRATEGIES]
    return Reports(pages, others, None, jobs, offered, published(service, asked))


def _page(service: Service, asked: AskedReports) -> Reports:
    listed = _list(service, Nothing())
    if not asked.report:
        return listed
    opened = next((report for report in listed.reports if report.name == asked.report), None)
    if opened is None:
        raise NotFound(f"{asked.report}: no such report in {service.collection.REPORTS}/")
    return msgspec.structs.replace(listed, opened=opened)


def _show(service: Service, asked: AskedReport) -> Response:
    path = _path(service.collection.reports_folder, asked.name)
    if path.suffix == ".html":
        return own_page(path.read_bytes())
    return attachment(path.read_bytes(), path.name)


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return [path for path in folder.iterdir() if path.suffix in _KINDS and path.is_file() and not path.is_symlink()][
        :MOST_REPORTS
    ]


def _path(folder: Path, name: str) -> Path:
    """Only a file that the list shows: a name cannot lead out of the folder."""
    for path in _files(folder):
        if path.name == name and path.stat().st_size <= MOST_BYTES:
            return path
    raise NotFound(f"{name}: no such file in {folder.name}/")


def _report(path: Path) -> Report:
    about = path.stat()
    title = path.stem
    if path.suffix == ".html":
        with path.open("rb") as file:
            found = _TITLE.search(file.read(_HEAD))
        title = unescape(found[1].decode("utf-8", "replace")).strip() if found else title
    return Report(path.name, _KINDS[path.suffix], title, about.st_size, about.st_mtime)


class AskedComparison(msgspec.Struct, frozen=True):
    """Strategies to compare: on a world (its seed and size), or on the graph of this collection (no world)."""

    strategies: Annotated[str, Meta(min_length=1, max_length=200, description="Names, parted by commas.")]
    pages: Annotated[int, Meta(ge=10, le=50_000, description="Pages of each crawl.")] = 1000
    world: Annotated[int, Meta(ge=0, le=1_000_000, description="The seed of a world; 0: this collection.")] = 0
    size: Annotated[int, Meta(ge=100, le=200_000, description="Pages of the world.")] = 20_000


def _compare(service: Service, asked: AskedComparison) -> Job:
    """Raises InputError for a strategy that is none."""
    names = list(dict.fromkeys(name.strip() for name in asked.strategies.split(",") if name.strip()))
    if not names or len(names) > MOST_STRATEGIES:
        raise InputError(f"strategies: name one to {MOST_STRATEGIES}")
    if unknown := [name for name in names if name not in STRATEGIES]:
        raise InputError(f"{unknown[0][:80]}: no such strategy; known: {', '.join(STRATEGIES)}")
    world = f"{asked.world}:{asked.size}" if asked.world else ""
    options = {"strategies": ",".join(names), "pages": str(asked.pages), "world": world}
    title = f"{', '.join(names)} · {world or service.name}"
    return service.jobs.start(
        title, "phasa.service.lab_job", service.collection.path.resolve(), "comparison.html", options
    )


section = Section(
    name="Lab",
    path="/lab",
    views=(View("/lab", "lab.html", _page, AskedReports), View("/lab/file/{name}", "", _show, AskedReport)),
    calls=(
        Call("GET", "/api/lab/reports", "The reports of experiments.", _list, Reports),
        Call("POST", "/api/lab/compare", "Compare strategies.", _compare, Job, AskedComparison, then="/jobs/{0.id}"),
    ),
)
