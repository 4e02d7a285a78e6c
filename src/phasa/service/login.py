"""The login form of an application that others can reach: the token once, then a cookie."""

from __future__ import annotations

import asyncio
import logging

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from phasa.service.guards import COOKIE, Access, same
from phasa.service.routing import form_of, local_path
from phasa.service.templating import render

_logger = logging.getLogger(__name__)

PAUSE = 0.5
"""Seconds that a wrong token costs: guessing is hopeless anyway, this keeps it cheap for us."""


class _Tried(msgspec.Struct, frozen=True):
    wrong: bool
    back: str


def login_routes(access: Access) -> list[Route]:
    """GET shows the form, POST checks the token and sets the cookie; logout takes it away."""

    async def show(request: Request) -> Response:
        tried = _Tried(False, local_path(request.query_params.get("back", "/")))
        return render(request, "login.html", {"it": tried, "alone": True})

    async def check(request: Request) -> Response:
        form, back = await form_of(request)
        if not access.token:
            return RedirectResponse(back, 303)
        if not same(form.get("token", "").strip(), access.token):
            _logger.warning("sign-in with a wrong token from %s", request.client.host if request.client else "?")
            await asyncio.sleep(PAUSE)
            return render(request, "login.html", {"it": _Tried(True, back), "alone": True}, status=401)
        _logger.info("sign-in from %s", request.client.host if request.client else "?")
        response = RedirectResponse(back, 303)
        secure = request.url.scheme == "https"
        response.set_cookie(COOKIE, access.cookie(), httponly=True, samesite="strict", secure=secure)
        return response

    async def leave(request: Request) -> Response:
        await form_of(request)
        response = RedirectResponse("/login", 303)
        response.delete_cookie(COOKIE, httponly=True, samesite="strict")
        return response

    return [
        Route("/login", show, methods=["GET"]),
        Route("/login", check, methods=["POST"]),
        Route("/logout", leave, methods=["POST"]),
    ]
