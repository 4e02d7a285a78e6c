"""The Collection page: what was collected, by language, domain, charset, status and size, over time and by host."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from starlette.responses import Response

from phasa.crawl.run.batch import Kind
from phasa.crawl.run.counts import DayShare, HostCount, HostOrder, Share, position_of
from phasa.crawl.run.crawl_log import Logged, parse_line
from phasa.crawl.run.prometheus import Metric
from phasa.crawl.run.status import Status, read_status
from phasa.service.charts import Chart, stacked
from phasa.service.exports import EXPORT_CALLS, FORMATS, Format, sizes_before
from phasa.service.job_shelf import Job
from phasa.service.page_view import AskedPage, PageSeen, read_record, see_page
from phasa.service.search_index import FILE, reading
from phasa.service.section import Call, NotFound, Nothing, Section, View
from phasa.service.service import Service
from phasa.service.sizes import Estimate

ROWS = 50
SHOWN = 8
MONTHS_FROM = 93  # days: more than so many are shown by month
# A key of the catalogue's [collection], and what is counted.
_CHARTS: tuple[tuple[str, Kind], ...] = (
    ("languages", "language"),
    ("domains", "domain"),
    ("charsets", "charset"),
    ("answers", "status"),
    ("types", "type"),
)
LONGEST_LINE = 100_000

Key = Annotated[str, Meta(max_length=300, description="A host, language code, status or charset.")]
Most = Annotated[int, Meta(ge=1, le=200, description="At most so many rows.")]


class Summary(msgspec.Struct, frozen=True):
    """The collection in numbers. `counted` is the share of the crawl log that the shares are from, 0 to 1."""

    status: Status
    counted: float
    problem: str
    first_day: str
    last_day: str
    shares: dict[str, list[Share]]


class CollectionPage(msgspec.Struct, frozen=True):
    """The summary with its charts by title, the largest hosts and the jobs."""

    summary: Summary
    charts: list[tuple[str, Chart]]
    hosts: list[HostCount]
    formats: tuple[Format, ...]
    jobs: list[Job]
    sizes: list[Estimate]


class AskedHosts(msgspec.Struct, frozen=True):
    """Which hosts, in which order, from where on."""

    order: Annotated[HostOrder, Meta(description="Names ascending, numbers and times descending.")] = "pages"
    domain: Annotated[str, Meta(max_length=253, description="Only hosts of this domain; then by name.")] = ""
    after: Annotated[str, Meta(max_length=300, description="Where the page before ended: its `next`.")] = ""
    most: Most = ROWS


class Hosts(msgspec.Struct, frozen=True):
    """A page of hosts. `next` is empty on the last one."""

    hosts: list[HostCount]
    order: HostOrder
    domain: str
    next: str
    first: bool


class AskedLines(msgspec.Struct, frozen=True):
    """Lines of the crawl log: of one host, language, status or charset."""

    by: Annotated[Literal["host", "language", "status", "charset"], Meta(description="By what.")] = "host"
    key: Key = ""
    before: Annotated[int, Meta(ge=0, description="Where the page before ended: its `next`; 0 = newest.")] = 0
    most: Most = ROWS


class Lines(msgspec.Struct, frozen=True):
    """Lines of the crawl log, newest first. `next` is 0 on the last page; `titles` by address, where known."""

    by: str
    key: str
    lines: list[Logged]
    next: int
    host: HostCount | None = None
    titles: dict[str, str] = {}


class AskedTimes(msgspec.Struct, frozen=True):
    """What to follow over time."""

    kind: Annotated[Kind, Meta(description="What is counted.")] = "language"


class Times(msgspec.Struct, frozen=True):
    """Counts per day, or per month over long times; `key` is '' for all that are not among the most frequent."""

    kind: str
    keys: list[str]
    rows: list[DayShare]


def _summary(service: Service, asked: Nothing) -> Summary:
    counts, reader = service.counts, service.log_reader
    first, last, _ = counts.days()
    kinds: tuple[Kind, ...] = ("language", "domain", "charset", "status", "type", "size")
    shares: dict[str, list[Share]] = {kind: counts.shares(kind, 100) for kind in kinds}
    shares["size"].sort(key=lambda share: int(share.key))
    return Summary(read_status(service.collection), reader.counted, reader.problem, first, last, shares)


def _times(service: Service, asked: AskedTimes) -> Times:
    keys = [share.key for share in service.counts.shares(asked.kind, 6)]
    width = 7 if service.counts.days()[2] > MONTHS_FROM else 10
    return Times(asked.kind, keys, service.counts.over_time(asked.kind, keys, width))


def _page(service: Service, asked: Nothing) -> CollectionPage:
    return CollectionPage(
        _summary(service, asked),
        _charts(service),
        service.counts.hosts("pages", "", SHOWN),
        FORMATS,
        service.jobs.all()[:5],
        sizes_before(service, asked),
    )


def _charts(service: Service) -> list[tuple[str, Chart]]:
    drawn: list[tuple[str, Chart | None]] = []
    for title, kind in _CHARTS:
        times = _times(service, AskedTimes(kind))
        drawn.append((title, stacked(times.rows, times.keys)))
        if kind == "status":
            drawn.append(("bytes", stacked(times.rows, times.keys, weight="bytes")))
    return [(title, chart) for title, chart in drawn if chart is not None]


def _hosts(service: Service, asked: AskedHosts) -> Hosts:
    domain = asked.domain.strip().strip(".").lower()
    found = service.counts.hosts(asked.order, asked.after, asked.most + 1, domain)
    more = found[asked.most :]
    shown = found[: asked.most]
    onward = position_of(shown[-1], asked.order, domain) if more else ""
    return Hosts(shown, asked.order, domain, onward, not asked.after)


def _lines(service: Service, asked: AskedLines) -> Lines:
    """Raises NotFound for a host that was never asked."""
    host = service.counts.host(asked.key) if asked.by == "host" else None
    if asked.by == "host" and host is None:
        raise NotFound(f"{asked.key or 'no host'}: nothing was fetched from there; see the list of hosts")
    places = service.counts.lines(asked.by, asked.key, asked.before or 1 << 62, asked.most + 1)
    lines: list[Logged] = []
    if places:
        with service.collection.log_file.open("rb") as log:
            for place in places[: asked.most]:
                log.seek(place)
                line = parse_line(log.readline(LONGEST_LINE).decode("utf-8", "replace"))
                lines += [line] if line else []
    onward = places[asked.most - 1] if len(places) > asked.most else 0
    with reading(service.folder / FILE) as index:
        titles = index.titles([line.url for line in lines]) if index is not None else {}
    return Lines(asked.by, asked.key, lines, onward, host, titles)


def _see(service: Service, asked: AskedPage) -> PageSeen:
    seen = see_page(service.collection, asked, service.replay)
    with reading(service.folder / FILE) as index:
        near = index.near(seen.url) if index is not None else []
    return msgspec.structs.replace(seen, near=near)


def _record(service: Service, asked: AskedPage) -> Response:
    return read_record(service.collection, asked)


def _metrics(service: Service) -> list[Metric]:
    languages = service.counts.shares("language", 20)
    statuses = service.counts.shares("status", 20)
    return [
        *(
            Metric("language_pages_total", "Pages judged, by language.", share.pages, (("language", share.key),))
            for share in languages
        ),
        *(Metric("fetches_total", "Fetches by answer.", share.fetches, (("answer", share.key),)) for share in statuses),
        Metric("log_counted_ratio", "Share of the crawl that is counted.", service.log_reader.counted),
    ]


section = Section(
    name="Collection",
    path="/collection",
    views=(
        View("/collection", "collection.html", _page),
        View("/collection/hosts", "hosts.html", _hosts, AskedHosts),
        View("/collection/pages", "pages.html", _lines, AskedLines),
        View("/collection/page", "page.html", _see, AskedPage),
    ),
    calls=(
        Call("GET", "/api/collection", "The collection in numbers.", _summary, Summary),
        Call("GET", "/api/collection/times", "Counts over time.", _times, Times, AskedTimes),
        Call("GET", "/api/collection/hosts", "Hosts, a page at a time.", _hosts, Hosts, AskedHosts),
        Call("GET", "/api/collection/pages", "Fetches, newest first, a page at a time.", _lines, Lines, AskedLines),
        Call("GET", "/api/collection/page", "One page: text, keywords, evidence.", _see, PageSeen, AskedPage),
        Call(
            *("GET", "/api/collection/record", "The WARC record of a page.", _record),
            *(None, AskedPage, "application/warc"),
        ),
        *EXPORT_CALLS,
    ),
    metrics=_metrics,
)
