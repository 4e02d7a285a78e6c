"""The published tables on the Lab page: each experiment that can be repeated, and its tables and claims beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from phasa.papers import EXPERIMENTS
from phasa.service.job_shelf import Job
from phasa.service.section import Call, NotFound, Nothing, Section, View
from phasa.service.service import Service

MOST_BYTES = 20_000_000
Cell = str | int | float | bool | None


class Published(msgspec.Struct, frozen=True):
    """Experiments that can be repeated. `written`: when their report was, None for never; `job`: one that runs now."""

    name: str
    about: str
    written: float | None
    job: str


class Table(msgspec.Struct, frozen=True):
    """A table of a section; the published values stand beside ours as its columns say."""

    section: str
    text: str
    title: str
    header: list[str]
    rows: list[list[Cell]]
    note: str = ""


class Claim(msgspec.Struct, frozen=True):
    """What was published, and whether it holds here, with the figures."""

    source: str
    text: str
    holds: bool
    detail: str


class Tables(msgspec.Struct, frozen=True):
    """The report of one experiment. `report`: its page with the curves, when it is there."""

    experiment: str
    title: str
    summary: str
    tables: list[Table]
    claims: list[Claim]
    report: str = ""
    written: float = 0.0


class AskedTables(msgspec.Struct, frozen=True):
    """Which experiments."""

    name: Annotated[str, Meta(min_length=1, max_length=40, description="As `phasa lab reproduce list` names them.")]


def published(service: Service, asked: Nothing) -> list[Published]:
    """All experiments, whether they were repeated or not."""
    running = {job.title: job.id for job in service.jobs.all() if job.task == "published_job" and not job.size}
    found = []
    for name, (_, about) in EXPERIMENTS.items():
        path = _file(service, name)
        written = path.stat().st_mtime if path.is_file() else None
        job = running.get(name, "")
        alive = job and service.jobs.get(job).state in ("waiting", "running")
        found.append(Published(name, about, written, job if alive else ""))
    return found


def _tables(service: Service, asked: AskedTables) -> Tables:
    """Raises NotFound for an experiment that is none, or whose tables are not there."""
    if asked.name not in EXPERIMENTS:
        raise NotFound(f"{asked.name}: no such experiment; there are {', '.join(EXPERIMENTS)}")
    path = _file(service, asked.name)
    try:
        if path.stat().st_size > MOST_BYTES:
            raise NotFound(f"{path.name}: too large to be shown")
        found = msgspec.json.decode(path.read_bytes(), type=Tables)
    except FileNotFoundError:
        raise NotFound(f"{asked.name}: was not repeated yet; the Lab page can do so") from None
    except (OSError, msgspec.DecodeError):
        raise NotFound(f"{path.name}: not the tables of an experiment; repeat it") from None
    report = path.with_suffix(".html")
    return msgspec.structs.replace(
        found, report=report.name if report.is_file() else "", written=path.stat().st_mtime, experiment=asked.name
    )


def _repeat(service: Service, asked: AskedTables) -> Job:
    """Raises NotFound for an experiment that is none."""
    if asked.name not in EXPERIMENTS:
        raise NotFound(f"{asked.name}: no such experiment; there are {', '.join(EXPERIMENTS)}")
    for one in published(service, Nothing()):
        if one.name == asked.name and one.job:
            return service.jobs.get(one.job)
    options = {"name": asked.name}
    folder = service.collection.path.resolve()
    return service.jobs.start(asked.name, "phasa.service.published_job", folder, f"{asked.name}.json", options)


def _file(service: Service, name: str) -> Path:
    return service.collection.reports_folder / f"{name}.json"


section = Section(
    name="",
    path="/lab",
    views=(View("/lab/tables/{name}", "tables.html", _tables, AskedTables),),
    calls=(
        Call("GET", "/api/lab/published", "Published experiments.", published, list[Published]),
        Call("GET", "/api/lab/published/{name}", "Tables and claims of one.", _tables, Tables, AskedTables),
        Call(
            *("POST", "/api/lab/published/{name}", "Repeat one, in small.", _repeat),
            *(Job, AskedTables),
            then="/jobs/{0.id}",
        ),
    ),
)
