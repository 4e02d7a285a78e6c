"""The Overview page: what a page, a site or a part of the collection is about, as the variable tag cloud."""

from __future__ import annotations

from typing import Annotated

import msgspec
from markupsafe import Markup
from msgspec import Meta

from phasa.crawl.run.counts import HostCount, SegmentCount, Share
from phasa.errors import InputError
from phasa.service.cloud_job import DATA, FRAGMENT, CloudWord, Context, OverviewData
from phasa.service.formatting import plain
from phasa.service.guards import POLICY
from phasa.service.job_shelf import Job
from phasa.service.jobs import AskedJob, Id
from phasa.service.own_pages import own_page
from phasa.service.section import Call, NotFound, Nothing, Section, View
from phasa.service.service import Service
from phasa.web.url import parse

TASK = "phasa.service.cloud_job"
OFFERED = 200

Text = Annotated[str, Meta(max_length=2000)]


class AskedOverview(msgspec.Struct, frozen=True):
    """What to look at: a page of the web (`web`), or pages of the collection for which all that is given holds."""

    web: Annotated[Text, Meta(description="An address to fetch now.")] = ""
    multi: Annotated[bool, Meta(description="Also the pages of its host that it links to.")] = False
    url: Annotated[Text, Meta(description="A page of the collection.")] = ""
    host: Annotated[Text, Meta(description="A host of the collection.")] = ""
    segment: Annotated[Text, Meta(description="A website segment: an address that ends with a slash.")] = ""
    month: Annotated[str, Meta(pattern="^([0-9]{4}-[0-9]{2})?$", description="A month, as 2026-11.")] = ""
    language: Annotated[str, Meta(max_length=20, description="A language code.")] = ""


class Choices(msgspec.Struct, frozen=True):
    """What can be chosen: the largest hosts and segments, all months and languages; and the overviews made so far."""

    hosts: list[HostCount]
    segments: list[SegmentCount]
    months: list[str]
    languages: list[Share]
    made: list[Job]
    private: bool


class OverviewPage(msgspec.Struct, frozen=True):
    """One overview: its job, and the cloud when it is done."""

    job: Job
    fragment: str
    language: str


class AskedKeyword(msgspec.Struct, frozen=True):
    """A keyword of an overview."""

    id: Id
    term: Annotated[str, Meta(min_length=1, max_length=200, description="The keyword.")]


class OverviewAnswer(msgspec.Struct, frozen=True):
    """An overview. `chart`: (percentage of unique weights, number of keywords)."""

    job: Job
    title: str
    language: str
    direction: str
    pages: int
    chart: list[tuple[int, int]]
    keywords: list[CloudWord]


def _choices(service: Service, asked: Nothing) -> Choices:
    counts = service.counts
    return Choices(
        counts.hosts("wanted", "", OFFERED),
        counts.segments("wanted", OFFERED),
        counts.months(),
        [share for share in counts.shares("language", 50) if share.key != "und"],
        _made(service),
        service.collection.settings.allow_private,
    )


def _made(service: Service) -> list[Job]:
    return [job for job in service.jobs.all() if job.task == TASK.rsplit(".", 1)[-1]]


def _start(service: Service, asked: AskedOverview) -> Job:
    """Raises InputError for an address that is none."""
    options = {name: str(value) for name, value in msgspec.structs.asdict(asked).items() if value}
    if asked.web:
        address = asked.web if "://" in asked.web else f"https://{asked.web}"
        if parse(address) is None:
            raise InputError(f"{plain(asked.web, 200)}: not a usable web address")
        options = {"source": "web", "url": address, "multi": "yes" if asked.multi else ""}
        title = address + (" and what it links to" if asked.multi else "")
    else:
        options.pop("multi", None)
        title = " · ".join(options.values()) or service.name
    path = service.collection.path.resolve()
    return service.jobs.start(plain(title, 200), TASK, path, "cloud.html", options)


def _show(service: Service, asked: AskedJob) -> OverviewPage:
    job = _job(service, asked.id)
    if job.state != "done":
        return OverviewPage(job, "", "")
    # Our own markup: the overview's template escaped what came from pages.
    fragment = service.jobs.beside(job.id, FRAGMENT).read_text(encoding="utf-8")
    return OverviewPage(job, Markup(fragment), _data(service, job.id).language)


def _alone(service: Service, asked: AskedJob) -> object:
    _job(service, asked.id)
    return own_page(service.jobs.file(asked.id).read_bytes())


def _answer(service: Service, asked: AskedJob) -> OverviewAnswer:
    """Raises NotFound while the overview is not ready."""
    job, data = _job(service, asked.id), _data(service, asked.id)
    return OverviewAnswer(job, data.title, data.language, data.direction, data.pages, data.chart, data.keywords)


def _contexts(service: Service, asked: AskedKeyword) -> list[Context]:
    _job(service, asked.id)
    found = _data(service, asked.id).contexts.get(asked.term)
    if found is None:
        raise NotFound(f"{plain(asked.term, 80)}: not among the keywords of this overview")
    return found


def _job(service: Service, id: str) -> Job:
    job = service.jobs.get(id)
    if job.task != TASK.rsplit(".", 1)[-1]:
        raise NotFound(f"{id}: not an overview")
    return job


def _data(service: Service, id: str) -> OverviewData:
    return msgspec.json.decode(service.jobs.beside(id, DATA).read_bytes(), type=OverviewData)


section = Section(
    name="Overview",
    path="/overview",
    views=(
        View("/overview", "overview.html", _choices),
        # The picture of a cloud is drawn from a blob that its script made.
        View("/overview/{id}", "cloud.html", _show, AskedJob, POLICY.replace("data:", "data: blob:")),
        View("/overview/{id}/alone", "", _alone, AskedJob),
    ),
    calls=(
        Call("GET", "/api/overview/choices", "What can be looked at.", _choices, Choices),
        Call(
            *("POST", "/api/overview", "Make an overview.", _start),
            *(Job, AskedOverview),
            then="/overview/{0.id}",
        ),
        Call("GET", "/api/overview/{id}", "An overview as data.", _answer, OverviewAnswer, AskedJob),
        Call(
            *("GET", "/api/overview/{id}/contexts", "Where a keyword stands in the text.", _contexts),
            *(list[Context], AskedKeyword),
        ),
    ),
)
