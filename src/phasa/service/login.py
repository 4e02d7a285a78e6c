"""Signing in: an operator by name and password, or whoever knows the token of this application; then a cookie."""

from __future__ import annotations

import asyncio
import logging

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from phasa.service.guards import COOKIE, SESSION_COOKIE, Access, same
from phasa.service.people import SESSION
from phasa.service.routing import form_of, local_path, note_change
from phasa.service.service import Service
from phasa.service.templating import render
from phasa.service.who import Who, introduce

_logger = logging.getLogger(__name__)

PAUSE = 0.5
"""Seconds that a wrong token costs: guessing is hopeless anyway, this keeps it cheap for us."""


class _Tried(msgspec.Struct, frozen=True):
    wrong: bool
    back: str
    people: bool
    token: bool
    wait: int = 0


def login_routes(access: Access) -> list[Route]:
    """GET shows the form, POST checks name and password (or the token) and sets a cookie; logout takes it away."""

    def tried(request: Request, back: str, wrong: bool = False, wait: int = 0) -> _Tried:
        return _Tried(wrong, back, request.app.state.service.people.anybody(), bool(access.token), wait)

    async def show(request: Request) -> Response:
        back = local_path(request.query_params.get("back", "/"))
        return render(request, "login.html", {"it": tried(request, back), "alone": True})

    async def check(request: Request) -> Response:
        form, back = await form_of(request)
        service: Service = request.app.state.service
        if not access.token and not service.people.anybody():
            return RedirectResponse(back, 303)
        address = request.client.host if request.client else "?"
        name = form.get("name", "").strip()[:80]
        keys = [f"address {address}", *([f"name {name}"] if name else [])]
        wait = service.tries.wait(*keys)
        if wait > 0:
            note_change(request, {"name": name}, 429)
            it = tried(request, back, wait=int(wait) + 1)
            page = render(request, "login.html", {"it": it, "alone": True}, status=429)
            page.headers["retry-after"] = str(int(wait) + 1)
            return page
        cookie = await _checked(service, access, form, name)
        if cookie is None:
            service.tries.failed(*keys)
            _logger.warning("wrong sign-in from %s", address)
            note_change(request, {"name": name}, 401)
            await asyncio.sleep(PAUSE)
            it = tried(request, back, wrong=True)
            return render(request, "login.html", {"it": it, "alone": True}, status=401)
        service.tries.succeeded(*keys)
        _logger.info("sign-in from %s", address)
        introduce(request.scope, service.people.by_name(name) or Who("token", "administer", "token"))
        note_change(request, {"name": name}, 200)
        response = RedirectResponse(back, 303)
        secure = request.url.scheme == "https"
        age = int(SESSION) if cookie[0] == SESSION_COOKIE else None
        response.set_cookie(*cookie, max_age=age, httponly=True, samesite="strict", secure=secure)
        return response

    async def leave(request: Request) -> Response:
        await form_of(request)
        service: Service = request.app.state.service
        if session := request.cookies.get(SESSION_COOKIE):
            service.people.sign_out(session)
        note_change(request, {}, 200)
        response = RedirectResponse("/login", 303)
        for name in (COOKIE, SESSION_COOKIE):
            response.delete_cookie(name, httponly=True, samesite="strict")
        return response

    return [
        Route("/login", show, methods=["GET"]),
        Route("/login", check, methods=["POST"]),
        Route("/logout", leave, methods=["POST"]),
    ]


async def _checked(service: Service, access: Access, form: dict[str, str], name: str) -> tuple[str, str] | None:
    """The cookie for a right sign-in; None for a wrong one."""
    if name:
        session = await run_in_threadpool(service.people.sign_in, name, form.get("password", ""))
        return (SESSION_COOKIE, session) if session else None
    if access.token and same(form.get("token", "").strip(), access.token):
        return COOKIE, access.cookie()
    return None
