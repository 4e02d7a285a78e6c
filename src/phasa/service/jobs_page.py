"""The jobs: list, one with its progress, events, download, stop. Part of every page, so it has no place in the menu."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

import msgspec
from msgspec import Meta
from starlette.responses import FileResponse, Response

from phasa.service.jobs import Job
from phasa.service.section import Call, Event, Metric, Nothing, Section, Stream, View
from phasa.service.service import Service

LOOK_EVERY = 0.25

Id = Annotated[str, Meta(description="The id of a job.", min_length=1, max_length=40)]


class AskedJob(msgspec.Struct, frozen=True):
    """Which job."""

    id: Id


def _list(service: Service, asked: Nothing) -> list[Job]:
    return service.jobs.all()


def _get(service: Service, asked: AskedJob) -> Job:
    return service.jobs.get(asked.id)


def _stop(service: Service, asked: AskedJob) -> Job:
    return service.jobs.stop(asked.id)


def _file(service: Service, asked: AskedJob) -> Response:
    path = service.jobs.file(asked.id)
    return FileResponse(path, media_type="application/octet-stream", filename=path.name)


async def _watch(service: Service, asked: AskedJob) -> AsyncIterator[Event]:
    """The job at every change until it has ended."""
    last: Job | None = None
    while True:
        job = service.jobs.get(asked.id)
        if job != last:
            last = job
            yield Event("job", job)
        if job.state in ("done", "failed"):
            return
        await asyncio.sleep(LOOK_EVERY)


def _metrics(service: Service) -> list[Metric]:
    states = [job.state for job in service.jobs.all()]
    return [
        Metric("jobs", "Background jobs that are kept, by state.", states.count(state), (("state", state),))
        for state in ("waiting", "running", "done", "failed")
    ]


section = Section(
    name="",
    path="/jobs",
    views=(View("/jobs/{id}", "job.html", _get, AskedJob),),
    calls=(
        Call("GET", "/api/jobs", "The background jobs, newest first.", _list, list[Job]),
        Call("GET", "/api/jobs/{id}", "One job.", _get, Job, AskedJob),
        Call("GET", "/api/jobs/{id}/file", "What a job made.", _file, None, AskedJob, "application/octet-stream"),
        Call("POST", "/api/jobs/{id}/stop", "End a job.", _stop, Job, AskedJob),
    ),
    streams=(Stream("/api/jobs/{id}/events", "A job's progress.", _watch, {"job": Job}, AskedJob),),
    metrics=_metrics,
)
