"""The Lab page: the experiment reports in the collection's reports folder."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta
from starlette.responses import Response

from phasa.service.own_pages import attachment, own_page
from phasa.service.section import Call, NotFound, Nothing, Section, View
from phasa.service.service import Service

_TITLE = re.compile(rb"<title>(.{1,300}?)</title>", re.DOTALL | re.IGNORECASE)
_KINDS = {".html": "report", ".csv": "table", ".tsv": "table", ".json": "data", ".svg": "picture"}
_HEAD = 4000
MOST_BYTES = 50_000_000
MOST_REPORTS = 500

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
    return Reports(pages, [report for report in found if report.kind != "report"])


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


section = Section(
    name="Lab",
    path="/lab",
    views=(View("/lab", "lab.html", _page, AskedReports), View("/lab/file/{name}", "", _show, AskedReport)),
    calls=(Call("GET", "/api/lab/reports", "The reports of experiments.", _list, Reports),),
)
