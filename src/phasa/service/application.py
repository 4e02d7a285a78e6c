"""The application: every page, the API, events, metrics, and the guards in front of them."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response

from phasa.collection import Collection
from phasa.errors import PhasaError
from phasa.service import browse, crawl, feeds, jobs, lab, overview, people_page, published, search, start
from phasa.service import replay as replays
from phasa.service.assets import asset_routes
from phasa.service.catalogue import words
from phasa.service.gate import Gate
from phasa.service.guards import Access, Guards, check_proxies
from phasa.service.login import login_routes
from phasa.service.metrics import metrics_routes
from phasa.service.openapi import openapi_routes
from phasa.service.routing import error_page, handle_error, routes_of
from phasa.service.service import Service
from phasa.service.templating import words_for

SECTIONS = (
    *(start.section, crawl.section, browse.section, search.section),
    *(feeds.section, overview.section, lab.section, published.section, people_page.section),
    *(jobs.section, replays.section),
)
"""The pages of the application in the order of the menu."""

_logger = logging.getLogger(__name__)


def create_app(
    collection: Collection,
    *,
    token: str | None = None,
    address: str = "127.0.0.1",
    names: Iterable[str] = (),
    replay: str = "",
) -> Starlette:
    """The application over a collection, to be bound to `address`; `names` are further Host names that mean it.

    `replay` is where the collection can be replayed (a pywb of the same archive), for links: TIMESTAMP/URL is added.

    Raises SettingsError when others can reach the address and there is no token.
    """
    service = Service(collection, replay)
    access = Access.to(address, token, names, people=service.people.anybody())
    check_proxies(collection.settings.service)
    service.local = not access.any_address

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        service.start()
        _logger.info("%s: the web application begins", collection.path)
        yield
        service.close()
        _logger.info("%s: the web application has ended", collection.path)

    routes = [*login_routes(access), *asset_routes(), *replays.replay_routes()]
    routes += [*openapi_routes(SECTIONS), *metrics_routes(SECTIONS)]
    for section in SECTIONS:
        routes += routes_of(section)
    app = Starlette(
        routes=routes,
        middleware=[
            Middleware(replays.ReplayKey, service=service, token=access.token),
            Middleware(Guards, access=access, people=service.people, bounds=collection.settings.service),
            Middleware(Gate, bounds=collection.settings.service),
        ],
        exception_handlers={
            PhasaError: handle_error,
            HTTPException: _http_error,
            sqlite3.OperationalError: _busy,
            Exception: _failure,
        },
        lifespan=lifespan,
    )
    app.state.service = service
    app.state.access = access
    app.state.menu = [section for section in SECTIONS if section.name]
    return app


async def _http_error(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    key = f"error.s{problem.status_code}"
    say = words("en") if request.url.path.startswith("/api/") else words_for(request)
    response = error_page(request, problem.status_code, str(say(key)) if say.has(key) else problem.detail)
    response.headers.update(problem.headers or {})
    return response


async def _busy(request: Request, problem: Exception) -> Response:
    """A database that others write to for longer than we wait, or that cannot be written now (a full disk)."""
    _logger.warning("%s %s: %s", request.method, request.url.path, problem)
    response = error_page(request, 503, f"The collection cannot be used just now ({problem}); try again in a moment.")
    response.headers["retry-after"] = "5"
    return response


async def _failure(request: Request, problem: Exception) -> Response:
    """A fault of ours: said plainly, without what it was about. The server's log has it."""
    _logger.error("%s %s failed", request.method, request.url.path, exc_info=problem)
    return error_page(request, 500, "This should not have happened; the log of phasa serve says more.")
