"""The start page: the collection at a glance, what runs, and what needs attention. Nothing is computed for it."""

from __future__ import annotations

import shutil
from typing import Literal

import msgspec

from phasa.crawl.run.counts import HostCount, Share
from phasa.crawl.run.status import Status, read_status
from phasa.errors import PhasaError
from phasa.feeds.store import FeedStore
from phasa.service.charts import Chart, stacked
from phasa.service.job_shelf import Job
from phasa.service.section import Call, Nothing, Section, View
from phasa.service.service import Service
from phasa.service.upkeep_job import DIGEST, Digest, read_digest

SITES = 8
LANGUAGES = 6
LITTLE_SPACE = 1_000_000_000
FAILING_SHARE = 0.3
LEAST_FETCHES = 50

Trouble = Literal["disk", "errors", "rules", "feeds", "failing", "jobs", "log"]


class Attention(msgspec.Struct, frozen=True):
    """Something that a person should look at: what, a figure, a sentence of the library, and where it is shown."""

    kind: Trouble
    figure: float = 0.0
    sentence: str = ""
    where: str = ""


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """Everything on the page."""

    status: Status
    seeds: int
    may_start: bool
    sites: list[HostCount]
    languages: list[Share]
    growth: Chart | None
    first_day: str
    last_day: str
    digest: Digest | None
    running: list[Job]
    attention: list[Attention]
    feeds: int


def _start(service: Service, asked: Nothing) -> Start:
    counts, status = service.counts, read_status(service.collection)
    code = service.profile.code
    width = 7 if counts.days()[2] > 93 else 10
    first, last, _ = counts.days()
    feeds, failing = _feeds(service)
    return Start(
        status=status,
        seeds=len(service.collection.seeds()),
        may_start=service.local,
        sites=counts.hosts("wanted", "", SITES),
        languages=sorted(counts.shares("language", LANGUAGES), key=lambda share: -share.pages),
        growth=stacked(counts.over_time("language", [code], width), [code]),
        first_day=first,
        last_day=last,
        digest=read_digest(service.folder / DIGEST),
        running=[job for job in service.jobs.all() if job.state in ("waiting", "running")],
        attention=_attention(service, status, failing),
        feeds=feeds,
    )


def _feeds(service: Service) -> tuple[int, int]:
    """Feeds that are watched, and how many of them fail."""
    path = service.collection.path / "feeds.db"
    if not path.is_file():
        return 0, 0
    try:
        with FeedStore(path, read_only=True) as store:
            found = [feed for feed in store.feeds() if not feed.retired]
            return len(found), sum(feed.failures > 0 for feed in found)
    except PhasaError:
        return 0, 0


def _attention(service: Service, status: Status, failing: int) -> list[Attention]:
    found: list[Attention] = []
    free = shutil.disk_usage(service.collection.path).free
    if free < LITTLE_SPACE:
        found.append(Attention("disk", float(free)))
    found += [Attention("errors", sentence=problem, where="/crawl") for problem in status.errors[:3]]
    if status.without_rules:
        found.append(Attention("rules", sentence=status.without_rules, where="/crawl"))
    if service.log_reader.problem:
        found.append(Attention("log", sentence=service.log_reader.problem, where="/collection"))
    answers = service.counts.shares("status", 100)
    fetches = sum(share.fetches for share in answers)
    bad = sum(share.fetches for share in answers if not share.key.startswith(("2", "3")))
    if fetches >= LEAST_FETCHES and bad > FAILING_SHARE * fetches:
        found.append(Attention("failing", bad / fetches, where="/collection#status"))
    if failing:
        found.append(Attention("feeds", float(failing), where="/feeds?order=failures#feeds"))
    broken = [job for job in service.jobs.all() if job.state == "failed"]
    found += [Attention("jobs", sentence=job.message, where=f"/jobs/{job.id}") for job in broken[:3]]
    return found


section = Section(
    name="Start",
    path="/",
    views=(View("/", "start.html", _start),),
    calls=(Call("GET", "/api/start", "The collection at a glance.", _start, Start),),
)
