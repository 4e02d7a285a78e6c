"""From declarations to routes: questions read and checked, handlers called, answers and errors written."""

from __future__ import annotations

import inspect
import math
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from phasa.errors import CollectionError, InputError, PhasaError
from phasa.service.catalogue import Words
from phasa.service.formatting import encode
from phasa.service.guards import FORM, right_csrf
from phasa.service.section import Call, Conflict, Event, NotFound, Problem, Section, Stream, View
from phasa.service.service import Service
from phasa.service.templating import render, words_for
from phasa.service.who import Role, asker

SENTENCES = ("ended", "what_next", "errors", "message", "error", "reason", "lines")
"""Fields of what an event carries that are sentences for a person."""


class Refused(PhasaError):  # noqa: N818
    """A request that is answered with an error status of its own."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def routes_of(section: Section) -> list[Route]:
    """Everything that a page answers."""
    views = [Route(view.path, _view(section, view), methods=["GET"]) for view in section.views]
    calls = [Route(call.path, _call(call), methods=[call.method]) for call in section.calls]
    streams = [Route(stream.path, _stream(stream), methods=["GET"]) for stream in section.streams]
    return views + calls + streams


def status_of(problem: Exception) -> int:
    """The status that an error of ours is answered with."""
    match problem:
        case Refused():
            return problem.status
        case NotFound():
            return 404
        case Conflict():
            return 409
        case CollectionError():
            return 503
        case InputError():
            return 400
    return 400


def answer(value: object, status: int = 200) -> Response:
    """A value as JSON."""
    return Response(encode(value), status, media_type="application/json")


def error_page(request: Request, status: int, message: str) -> Response:
    """An error as the reader of a page, or of the API, wants it."""
    if request.url.path.startswith("/api/"):
        said = words_for(request).said(message)
        return answer(Problem(message, said if said != message else ""), status)
    return render(request, "error.html", {"status": status, "message": message}, status=status)


async def handle_error(request: Request, problem: Exception) -> Response:
    """For exceptions that are part of the interface."""
    return error_page(request, status_of(problem), " ".join(str(problem).split()))


def _view(section: Section, view: View) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        _demand(request, view.role)
        asked = question(view.asked, _parameters(request))
        it = await _run(view.handle, request.app.state.service, asked)
        if isinstance(it, Response):
            return it
        page = render(request, view.template, {"it": it, "here": section.path})
        if view.policy:
            page.headers["content-security-policy"] = view.policy
        return page

    return endpoint


def _call(call: Call) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        service: Service = request.app.state.service
        values, back = _parameters(request), ""
        if call.method == "GET":
            _demand(request, call.needs)
            return _answered(call, await _run(call.handle, service, question(call.asked, values)), "")
        status = 500
        try:
            _demand(request, call.needs)
            posted, back = await _posted(request)
            values = {**posted, **request.path_params}
            asked = question(call.asked, values, strict=not back)
            result = await _run(call.handle, service, asked)
            status = 200
        except PhasaError as problem:
            status = status_of(problem)
            raise
        finally:
            note_change(request, values, status)
        return _answered(call, result, back)

    return endpoint


def _answered(call: Call, result: Any, back: str) -> Response:
    if back:
        return RedirectResponse(call.then.format(result) if call.then else back, 303)
    return result if isinstance(result, Response) else answer(result)


def _demand(request: Request, role: Role) -> None:
    """Raises Refused when who asks may not do this."""
    who = asker(request.scope)
    if not who.may(role):
        raise Refused(403, f"{who.name}: may {who.role}, and this is for those who may {role}")


def note_change(request: Request, values: Mapping[str, object], status: int) -> None:
    """A line in the audit of what somebody changed, or tried to."""
    service: Service = request.app.state.service
    address = request.client.host if request.client else ""
    service.audit.write(asker(request.scope), address, f"{request.method} {request.url.path}", values, status)


def _stream(stream: Stream) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        asked = question(stream.asked, _parameters(request))
        service: Service = request.app.state.service
        if service.streams >= service.collection.settings.service.streams:
            raise Refused(503, "too many pages follow live events; close some (service.streams in collection.toml)")
        events = _counted(service, stream.handle(service, asked))
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(_lines(events, words_for(request)), media_type="text/event-stream", headers=headers)

    return endpoint


async def _counted(service: Service, events: AsyncIterator[Event]) -> AsyncIterator[Event]:
    service.streams += 1
    try:
        async for event in events:
            yield event
    finally:
        service.streams -= 1


async def _lines(events: AsyncIterator[Event], say: Words) -> AsyncIterator[bytes]:
    yield b"retry: 2000\n\n"
    async for event in events:
        yield b"event: " + event.name.encode() + b"\ndata: " + encode(_spoken(event.data, say)) + b"\n\n"


def _spoken(value: object, say: Words) -> object:
    """What an event carries, with its sentences in the language of who follows it."""
    if not isinstance(value, msgspec.Struct):
        return value
    said: dict[str, object] = {}
    for name in SENTENCES:
        text = getattr(value, name, None)
        if isinstance(text, str):
            said[name] = say.said(text)
        elif isinstance(text, tuple):
            said[name] = tuple(say.said(one) for one in text)
        elif isinstance(text, list):
            said[name] = [_spoken(one, say) for one in text]
    return msgspec.structs.replace(value, **said)


def question(kind: type[msgspec.Struct], values: Mapping[str, object], *, strict: bool = False) -> Any:
    """The question that a request asks. Raises InputError that names the parameter."""
    try:
        found = msgspec.convert(values, kind, strict=strict)
    except msgspec.ValidationError as problem:
        what, _, where = str(problem).partition(" - at `$.")
        raise InputError(f"{where.rstrip('`')}: {what}" if where else what) from None
    except RecursionError:
        raise InputError("nested too deep") from None
    for name in kind.__struct_fields__:
        value = getattr(found, name)
        if isinstance(value, str) and ("\0" in value or (not value.isprintable() and _broken(value))):
            raise InputError(f"{name}: not valid text")
        if isinstance(value, float) and not math.isfinite(value):
            raise InputError(f"{name}: not a number")
        if isinstance(value, int) and abs(value) >= 1 << 63:
            raise InputError(f"{name}: too large")
    return found


def _broken(text: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in text)


def _parameters(request: Request) -> dict[str, object]:
    return {**request.query_params, **request.path_params}


async def _posted(request: Request) -> tuple[dict[str, object], str]:
    """The values of a POST, and where a form is led back to ('' for JSON)."""
    kind = _kind(request)
    if kind == FORM:
        form, back = await form_of(request)
        return dict(form), back
    body = await _body(request)
    if kind != "application/json":
        # A browser may not send JSON to another site without asking first: nothing else can be forged.
        raise Refused(415, "send application/json")
    return json_of(body), ""


def json_of(body: bytes) -> dict[str, object]:
    """The object in a JSON body. Raises InputError."""
    try:
        values = msgspec.json.decode(body or b"{}")
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        raise InputError(f"the body is not JSON: {problem}") from None
    except RecursionError:
        raise InputError("the body is nested too deep") from None
    if not isinstance(values, dict):
        raise InputError("the body must be a JSON object")
    return values


async def form_of(request: Request) -> tuple[dict[str, str], str]:
    """The fields of a form of ours, and the path to lead back to. Raises Refused without the secret of our forms."""
    if _kind(request) != FORM:
        raise Refused(415, f"send {FORM}")
    body = await _body(request)
    try:
        pairs = parse_qsl(body.decode("utf-8", "replace"), max_num_fields=1000)
    except ValueError:
        raise InputError("too many fields") from None
    form = {name: value for name, value in pairs if value}
    if not right_csrf(request.app.state.service.csrf, form.pop("csrf", ""), asker(request.scope)):
        raise Refused(403, "this form is from an earlier run of the application: load the page again")
    return form, local_path(form.pop("back", "/"))


def _kind(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def _body(request: Request) -> bytes:
    try:
        return await request.body()
    except ClientDisconnect:
        raise Refused(400, "the request ended too early") from None


def local_path(path: str) -> str:
    """Only a path of this application: nobody is led elsewhere."""
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable() else "/"


async def _run(handle: Callable[..., Any], service: Service, asked: object) -> Any:
    if inspect.iscoroutinefunction(handle):
        return await handle(service, asked)
    return await run_in_threadpool(handle, service, asked)
