"""Search in the collection: words, host, language, month and whether wanted, all of it in the address of the page."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote, urlencode

import msgspec
from msgspec import Meta
from starlette.responses import RedirectResponse

from phasa.crawl.run.counts import Share
from phasa.service.charts import Chart, by_time
from phasa.service.job_shelf import Job
from phasa.service.search_index import FILE, Filter, Result, reading
from phasa.service.section import Call, Nothing, Section, View
from phasa.service.service import Service
from phasa.service.upkeep import bring_up_to_date
from phasa.web.url import parse

ROWS = 30


class AskedSearch(msgspec.Struct, frozen=True):
    """Words that all occur, and what must hold besides."""

    q: Annotated[str, Meta(max_length=300, description="Words that all occur; Thai is cut into words.")] = ""
    host: Annotated[str, Meta(max_length=300, description="Only this host.")] = ""
    language: Annotated[str, Meta(max_length=20, description="Only this language.")] = ""
    month: Annotated[str, Meta(pattern="^([0-9]{4}-[0-9]{2}(-[0-9]{2})?)?$", description="A month or a day.")] = ""
    wanted: Annotated[bool, Meta(description="Only pages that were wanted.")] = False
    page: Annotated[int, Meta(ge=1, le=600, description="Which page of the list.")] = 1


class Searched(msgspec.Struct, frozen=True):
    """What was found, and what can be chosen. `indexed`: pages that can be found at all; `query`: the question as part
    of an address, without the page of the list. `trend`: matches per day, or per month over long times;
    `before_month`: the question up to a moment that a reader chooses there."""

    asked: AskedSearch
    result: Result
    indexed: int
    languages: list[Share]
    months: list[str]
    query: str
    before_month: str
    trend: Chart | None


def _search(service: Service, asked: AskedSearch) -> Searched:
    where = Filter(asked.host.strip().lower(), asked.language, asked.month, asked.wanted)
    result, indexed = Result([], 0, True, False), 0
    with reading(service.folder / FILE) as index:
        if index is not None:
            result, indexed = index.search(asked.q, where, asked.page, ROWS), index.pages()
    languages = [share for share in service.counts.shares("language", 50) if share.key != "und"]
    months = service.counts.months()
    months += [asked.month] * (bool(asked.month) and asked.month not in months)  # a day, from the chart
    rest = _query(msgspec.structs.replace(asked, month=""))
    before = f"{rest}&" if rest else ""
    return Searched(asked, result, indexed, languages, months, _query(asked), before, by_time(result.days))


def _query(asked: AskedSearch) -> str:
    given = msgspec.structs.asdict(asked) | {"page": "", "wanted": "true" if asked.wanted else ""}
    return urlencode({name: value for name, value in given.items() if value})


def _page(service: Service, asked: AskedSearch) -> Searched | RedirectResponse:
    """An address that is typed into the search is a page to be shown."""
    if asked.q.startswith(("http://", "https://")) and (url := parse(asked.q)):
        return RedirectResponse(f"/collection/page?url={quote(url, safe='')}", 303)
    return _search(service, asked)


def _index(service: Service, asked: Nothing) -> Job:
    return bring_up_to_date(service)


section = Section(
    name="",
    path="/collection",
    views=(View("/collection/search", "search.html", _page, AskedSearch),),
    calls=(
        Call("GET", "/api/collection/search", "Search in the collection.", _search, Searched, AskedSearch),
        Call(
            "POST",
            "/api/collection/index",
            "Read what is new for search and start page.",
            _index,
            Job,
            then="/jobs/{0.id}",
        ),
    ),
)
