"""The application: every page, the API, events, metrics, and the guards in front of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from phasa.collection import Collection
from phasa.errors import PhasaError
from phasa.service.assets import asset_routes
from phasa.service.guards import Access, Guards
from phasa.service.login import login_routes
from phasa.service.metrics import metrics_routes
from phasa.service.openapi import openapi_routes
from phasa.service.routing import error_page, handle_error, routes_of
from phasa.service.sections import sections
from phasa.service.service import Service


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
    access = Access.to(address, token, names)
    service = Service(collection, replay)
    service.local = not access.any_address

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        service.start()
        yield
        service.close()

    routes = [Route("/", _home, methods=["GET"]), *login_routes(access), *asset_routes()]
    routes += [*openapi_routes(), *metrics_routes()]
    for section in sections():
        routes += routes_of(section)
    app = Starlette(
        routes=routes,
        middleware=[Middleware(Guards, access=access)],
        exception_handlers={PhasaError: handle_error, HTTPException: _http_error, Exception: _failure},
        lifespan=lifespan,
    )
    app.state.service = service
    app.state.access = access
    return app


async def _home(request: Request) -> Response:
    return RedirectResponse(sections()[0].path, 307)


async def _http_error(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    texts = {404: "There is no such page here.", 405: "This address does not take that kind of request."}
    response = error_page(request, problem.status_code, texts.get(problem.status_code, problem.detail))
    response.headers.update(problem.headers or {})
    return response


async def _failure(request: Request, problem: Exception) -> Response:
    """A fault of ours: said plainly, without what it was about. The server's log has it."""
    return error_page(request, 500, "This should not have happened; the log of phasa serve says more.")
