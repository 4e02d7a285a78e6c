"""The Crawl page: what a crawl does now and did before, how it is told what to do, and the story of every URL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

import msgspec
from msgspec import Meta
from starlette.concurrency import run_in_threadpool

from phasa.crawl.run.control import MOST_SEEDS, Orders, add_seeds, give_orders
from phasa.crawl.run.estimate import MOST, USUAL, Estimate, draw_sample, read_estimate
from phasa.crawl.run.explain import Explanation, explain
from phasa.crawl.run.prometheus import Metric, crawl_metrics
from phasa.crawl.run.status import Status, is_running, read_status
from phasa.errors import InputError, PhasaError
from phasa.frontiers import read_frontier
from phasa.service.crawl_process import last_words, start_crawl, stop_crawl
from phasa.service.crawl_status import CrawlHistory, CrawlTables, crawl_history
from phasa.service.log_tail import LogLine, LogLines, LogTail
from phasa.service.scope_form import Domains, Effect, domains_of, effect_of, read_domains, write_domains
from phasa.service.section import Call, Conflict, Event, Nothing, Problem, Section, Stream, View
from phasa.service.service import LOOK_EVERY, ROWS, TABLES_EVERY, Service


class AskedPage(msgspec.Struct, frozen=True):
    """`url`: tell its story, too. `said`: what became of a form."""

    url: Annotated[str, Meta(max_length=4000)] = ""
    said: Annotated[str, Meta(max_length=200)] = ""


class AskedPoints(msgspec.Struct, frozen=True):
    points: Annotated[int, Meta(ge=2, le=2000, description="At most so many samples.")] = 400


class AskedRows(msgspec.Struct, frozen=True):
    limit: Annotated[int, Meta(ge=1, le=200, description="Rows of each table.")] = ROWS


class AskedUrl(msgspec.Struct, frozen=True):
    url: Annotated[str, Meta(min_length=1, max_length=4000, description="An http or https address, in any spelling.")]


class AskedStart(msgspec.Struct, frozen=True):
    pages: Annotated[int, Meta(ge=0, le=10**12)] | None = None
    """Pages of this run; absent: as the settings and orders say."""


class AskedSeeds(msgspec.Struct, frozen=True):
    seeds: Annotated[str, Meta(min_length=1, max_length=1_000_000, description="Addresses, one per line.")]


class AskedBudgets(msgspec.Struct, frozen=True):
    """Absent: as the settings say. 0: no limit."""

    pages: Annotated[int, Meta(ge=0, le=10**12, description="Pages in all, over every run.")] | None = None
    seconds: Annotated[float, Meta(ge=0, le=1e12, description="Time of one run, in seconds.")] | None = None
    megabytes: Annotated[float, Meta(ge=0, le=1e12, description="Body megabytes of one run.")] | None = None
    delay: Annotated[float, Meta(ge=0, le=86_400, description="Seconds between two requests to a host.")] | None = None


class AskedSample(msgspec.Struct, frozen=True):
    size: Annotated[int, Meta(ge=1, le=MOST, description="Addresses to draw.")] = USUAL


class AskedScope(msgspec.Struct, frozen=True):
    """Domains, one per line. `write`: without it nothing is changed, only its effect is told."""

    inside: Annotated[str, Meta(max_length=100_000, description="Only these and what is under them.")] = ""
    outside: Annotated[str, Meta(max_length=100_000, description="Never these, nor what is under them.")] = ""
    write: Annotated[bool, Meta(description="Write it into collection.toml.")] = False


class ScopeAnswer(msgspec.Struct, frozen=True):
    """The scope, what it does to what was collected so far, and whether it was written."""

    domains: Domains
    effect: Effect
    written: bool
    running: bool


class AddedSeeds(msgspec.Struct, frozen=True):
    """What became of the lines: written down, there already, no addresses."""

    added: list[str]
    known: list[str]
    junk: list[str]


class CrawlPage(msgspec.Struct, frozen=True, kw_only=True):
    """Everything on the page."""

    now: Status
    tables: CrawlTables
    seeds: int
    may_start: bool
    asked: str
    told: Explanation | None
    scope: Domains
    log: list[LogLine]
    estimate: Estimate | None
    trouble: str
    output: str


def _page(service: Service, asked: AskedPage) -> CrawlPage:
    collection = service.collection
    told, trouble = None, ""
    with read_frontier(collection) as frontier:
        now = read_status(collection, frontier)
        if asked.url:
            try:
                told = explain(collection, asked.url, frontier)
            except InputError as problem:
                trouble = str(problem)
    return CrawlPage(
        now=now,
        tables=service.tables_of(ROWS),
        seeds=len(collection.seeds()),
        may_start=service.local,
        asked=asked.url,
        told=told,
        scope=read_domains(collection),
        log=LogTail(collection.log_file).read(),
        estimate=read_estimate(collection),
        trouble=trouble,
        output=last_words(collection) if now.state == "never" else "",
    )


def _now(service: Service, asked: Nothing) -> Status:
    return read_status(service.collection)


def _history(service: Service, asked: AskedPoints) -> CrawlHistory:
    return crawl_history(service.collection, asked.points)


def _tables(service: Service, asked: AskedRows) -> CrawlTables:
    return service.tables_of(asked.limit)


def _why(service: Service, asked: AskedUrl) -> Explanation:
    return explain(service.collection, asked.url)


def _pause(service: Service, asked: Nothing) -> Orders:
    if not is_running(service.collection):
        raise Conflict("no crawl is running")
    return give_orders(service.collection, paused=True)


def _resume(service: Service, asked: Nothing) -> Orders:
    return give_orders(service.collection, paused=False)


def _start(service: Service, asked: AskedStart) -> Status:
    if not service.local:
        raise Conflict("a crawl is started from here only when the application is reached from this machine alone")
    start_crawl(service.collection, pages=asked.pages)
    return read_status(service.collection)


def _stop(service: Service, asked: Nothing) -> Status:
    stop_crawl(service.collection)
    return read_status(service.collection)


def _seeds(service: Service, asked: AskedSeeds) -> AddedSeeds:
    lines = asked.seeds.splitlines()
    if not any(line.strip() for line in lines):
        raise InputError("seeds: write at least one address")
    if len(lines) > MOST_SEEDS:
        raise InputError(f"seeds: at most {MOST_SEEDS:,} at once; put more into seeds.txt")
    return AddedSeeds(*add_seeds(service.collection, lines))


def _scope(service: Service, asked: AskedScope) -> ScopeAnswer:
    domains = Domains(domains_of(asked.inside), domains_of(asked.outside))
    effect = effect_of(domains, service.counts)
    if asked.write:
        write_domains(service.collection, domains)
    return ScopeAnswer(domains, effect, asked.write, is_running(service.collection))


def _budgets(service: Service, asked: AskedBudgets) -> Orders:
    return give_orders(service.collection, **msgspec.structs.asdict(asked))


def _estimate(service: Service, asked: AskedSample) -> Estimate:
    draw_sample(service.collection, asked.size)
    found = read_estimate(service.collection)
    if found is None:
        raise Conflict("the sample that was drawn is gone; draw again")
    return found


async def _events(service: Service, asked: Nothing) -> AsyncIterator[Event]:
    """The numbers once a second, the tables now and then."""
    tick = 0
    last: Status | None = None
    estimate: Estimate | None = None
    log = LogTail(service.collection.log_file)
    while True:
        try:
            now = await run_in_threadpool(service.status.get)
            # Now and then also when nothing is new, so that a connection that broke is noticed.
            if last is None or msgspec.structs.replace(now, time=last.time) != last or not tick % 15:
                last = now
                yield Event("now", now)
            if (found := read_estimate(service.collection)) is not None and found != estimate:
                estimate = found
                yield Event("estimate", found)
            if lines := await run_in_threadpool(log.read):
                yield Event("log", LogLines(lines))
            if not tick % TABLES_EVERY:
                yield Event("tables", await run_in_threadpool(service.tables.get))
        except PhasaError as problem:
            yield Event("problem", Problem(str(problem)))
        tick += 1
        await asyncio.sleep(LOOK_EVERY)


def _metrics(service: Service) -> list[Metric]:
    now = read_status(service.collection)
    return crawl_metrics(now, running=now.running, paused=now.state == "paused")


section = Section(
    name="Crawl",
    path="/crawl",
    views=(View("/crawl", "crawl.html", _page, AskedPage),),
    calls=(
        Call("GET", "/api/crawl", "The crawl at this moment.", _now, Status),
        Call("GET", "/api/crawl/history", "How it went, as columns.", _history, CrawlHistory, AskedPoints),
        Call(
            "GET",
            "/api/crawl/tables",
            "Top hosts, segments and distances.",
            _tables,
            CrawlTables,
            AskedRows,
        ),
        Call("GET", "/api/crawl/why", "The story of one URL.", _why, Explanation, AskedUrl),
        Call("POST", "/api/crawl/pause", "Fetch nothing until it is resumed.", _pause, Orders),
        Call("POST", "/api/crawl/resume", "Go on after a pause.", _resume, Orders),
        Call("POST", "/api/crawl/start", "Start a crawl in a process of its own.", _start, Status, AskedStart),
        Call("POST", "/api/crawl/stop", "End the crawl in good order.", _stop, Status),
        Call("POST", "/api/crawl/seeds", "Add seeds.", _seeds, AddedSeeds, AskedSeeds),
        Call("POST", "/api/crawl/scope", "Change the scope, or see what it would do.", _scope, ScopeAnswer, AskedScope),
        Call(
            "POST",
            "/api/crawl/estimate",
            "Draw addresses that wait, to be fetched next.",
            _estimate,
            Estimate,
            AskedSample,
        ),
        Call("POST", "/api/crawl/budgets", "Set the budgets of the crawl.", _budgets, Orders, AskedBudgets),
    ),
    streams=(
        Stream(
            "/api/crawl/events",
            "The crawl as it goes: its numbers every second, its tables every few.",
            _events,
            {"now": Status, "tables": CrawlTables, "log": LogLines, "estimate": Estimate, "problem": Problem},
        ),
    ),
    metrics=_metrics,
)
