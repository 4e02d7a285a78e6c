"""A capture as it looked, inside the application: from the archive and from nowhere else.

The page `/replay` shows a line of captures over time and a frame. What is in the frame comes from
`/replay/TIMESTAMP~KEY/URL`, rewritten so that all it names is asked for there. Four things keep it apart from us and
from the web: the frame has no origin (`sandbox` without `allow-same-origin`, in the element and in the answer), its
policy lets it ask for nothing but such addresses, our page lets the frame go nowhere else, and no cookie is needed or
sent: the KEY, a secret of this process, is what allows the frame to ask, and without it nobody can.
"""

from __future__ import annotations

import hashlib
import hmac
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import urlencode

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from phasa import sandbox
from phasa.archive.capture import ArchiveError
from phasa.archive.cdxj import lookup
from phasa.archive.reader import Stored, get
from phasa.collection import Collection
from phasa.errors import InputError, ParserCrashedError
from phasa.service.page_view import AskedPage
from phasa.service.section import NotFound, Section, View
from phasa.service.service import Service
from phasa.web.http import PAGE_TYPES, REDIRECTS
from phasa.web.limits import Limits
from phasa.web.rewrite import rewrite_css, rewrite_html
from phasa.web.url import Url, join, parse

PATH = "/replay/"
MOST_DOTS = 200
_LIMITS = Limits()


class Dot(NamedTuple):
    """A capture on the line: when, how far along (0 to 1000), and what came."""

    time: str
    at: float
    status: str


class Replayed(msgspec.Struct, frozen=True):
    """A capture and its place among the others of its address; `frame` is what the frame shows."""

    url: str
    time: str
    dots: list[Dot]
    left_out: int
    before: str
    after: str
    frame: str


def key_of(service: Service) -> str:
    """What an address of the frame carries: proof that a page of ours gave it out."""
    return hmac.new(service.csrf.encode(), b"phasa replay 1", hashlib.sha256).hexdigest()[:32]


def _show(service: Service, asked: AskedPage) -> Replayed:
    url = parse(asked.url)
    if url is None:
        raise InputError(f"{asked.url[:200]}: not an http or https address")
    entries = lookup(service.collection.archive_folder, url) if service.collection.archive_folder.is_dir() else []
    if not entries:
        raise NotFound(f"{url[:200]}: not in the archive; its story (Crawl page) says whether it was ever fetched")
    times = [entry.timestamp for entry in entries]
    chosen = min(times, key=lambda time: abs(_moment(time) - _moment(asked.time))) if asked.time else times[-1]
    place = times.index(chosen)
    first = max(0, min(place - MOST_DOTS // 2, len(times) - MOST_DOTS))
    shown = entries[first : first + MOST_DOTS]
    begin, end = _moment(shown[0].timestamp), _moment(shown[-1].timestamp)
    dots = [
        Dot(one.timestamp, round(1000 * (_moment(one.timestamp) - begin) / max(end - begin, 1.0), 1), one.status)
        for one in shown
    ]
    return Replayed(
        url=url,
        time=chosen,
        dots=dots,
        left_out=len(entries) - len(shown),
        before=times[place - 1] if place else "",
        after=times[place + 1] if place + 1 < len(times) else "",
        frame=f"{PATH}{chosen}~{key_of(service)}/{url}",
    )


def _moment(digits: str) -> float:
    """Seconds of a time of up to 14 digits; what is missing or out of range counts as the least."""
    text = digits.ljust(14, "0")
    month, day = max(1, min(12, int(text[4:6]))), max(1, min(28, int(text[6:8])))
    exact = int(text[6:8]) - day if int(text[6:8]) > 28 else 0
    hour, minute, second = min(23, int(text[8:10])), min(59, int(text[10:12])), min(59, int(text[12:14]))
    year = max(1970, min(9998, int(text[:4])))
    return datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp() + 86_400.0 * exact


async def _raw(request: Request) -> Response:
    """What the frame asks for."""
    service: Service = request.app.state.service
    raw = request.scope.get("raw_path") or request.scope["path"].encode()
    stamp, _, address = raw.decode("latin-1").removeprefix(PATH).partition("/")
    time, _, _ = stamp.partition("~")
    query = request.scope["query_string"].decode("latin-1")
    url = parse(f"{address}?{query}" if query else address)
    if url is None or not (time.isascii() and time.isdigit() and len(time) <= 14):
        return _answer(request, PlainTextResponse("not an address of a capture\n", 400))
    if not request.scope.get(KNOWN):
        # Kept from an earlier run, or typed in: the page with the frame is what the reader wants.
        return RedirectResponse(f"/replay?{_query(url, time)}", 303)
    if request.headers.get("sec-fetch-dest") == "document":
        return RedirectResponse(f"/replay?{_query(url, time)}", 303)  # alone, a script could lead elsewhere
    found = await run_in_threadpool(_replayed, service.collection, url, time, f"{PATH}{stamp}/")
    return _answer(request, found)


def _query(url: Url, time: str) -> str:
    return urlencode({"url": url, "time": time})


def _replayed(collection: Collection, url: Url, time: str, prefix: str) -> Response:
    try:
        near = datetime.fromtimestamp(_moment(time), UTC)
        stored = get(collection.archive_folder, url, near) if collection.archive_folder.is_dir() else None
    except ArchiveError as problem:
        return PlainTextResponse(f"{problem}\n", 404)
    if stored is None:
        return PlainTextResponse("not in the archive\n", 404)
    if stored.status in REDIRECTS:
        location = next((value for name, value in stored.headers if name.lower() == "location"), "")
        target = join(url, location)
        return RedirectResponse(f"{prefix}{target}", 302) if target is not None else PlainTextResponse("moved\n", 404)
    try:
        return _document(stored, url, prefix)
    except ParserCrashedError as crash:
        return PlainTextResponse(f"cannot be shown: {crash}\n", 502)


def _document(stored: Stored, url: Url, prefix: str) -> Response:
    status = stored.status if 200 <= stored.status < 600 else 200
    given = (stored.content, url, stored.content_type, prefix, _LIMITS)
    if stored.mime in PAGE_TYPES:
        return Response(sandbox.run(rewrite_html, *given), status, media_type=stored.mime)
    if stored.mime == "text/css":
        return Response(sandbox.run(rewrite_css, *given), status, media_type="text/css")
    kind = stored.content_type if stored.content_type.isprintable() and stored.content_type.isascii() else ""
    answer = Response(stored.content, status)
    answer.headers["content-type"] = kind or "application/octet-stream"
    return answer


def _answer(request: Request, response: Response) -> Response:
    """An answer for the frame: nothing of it is of our origin, and it may ask for captures only."""
    here = f"{request.url.scheme}://{request.headers.get('host', '')}{PATH}"
    sources = "".join(f"{kind}-src {here} data: blob:; " for kind in ("img", "font", "media"))
    response.headers["content-security-policy"] = (
        f"sandbox allow-scripts; default-src 'none'; {sources}"
        f"script-src {here} 'unsafe-inline' 'unsafe-eval'; style-src {here} 'unsafe-inline'; "
        f"frame-src {here}; connect-src {here}; form-action 'none'; base-uri 'none'; webrtc 'block'"
    )
    response.headers["x-dns-prefetch-control"] = "off"
    response.headers["x-frame-options"] = "ALLOWALL"  # frames of captures have no origin that could be named
    response.headers["access-control-allow-origin"] = "*"  # fonts and modules; who asks has the key
    response.headers["cross-origin-resource-policy"] = "cross-origin"
    return response


KNOWN = "phasa.replay"


class ReplayKey:
    """ASGI middleware before the guards: an address of the frame with the right key needs neither token nor cookie."""

    def __init__(self, app: ASGIApp, service: Service, token: str) -> None:
        self._app, self._service, self._token = app, service, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and str(scope["path"]).startswith(PATH):
            stamp = str(scope["path"]).removeprefix(PATH).partition("/")[0]
            if hmac.compare_digest(stamp.partition("~")[2].encode(), key_of(self._service).encode()):
                headers = [
                    (name, value) for name, value in scope["headers"] if name not in (b"authorization", b"cookie")
                ]
                if self._token:
                    headers.append((b"authorization", b"Bearer " + self._token.encode()))
                scope = {**scope, "headers": headers, KNOWN: True}
        await self._app(scope, receive, send)


def replay_routes() -> list[Route]:
    """What frames ask for."""
    return [Route("/replay/{address:path}", _raw, methods=["GET"])]


section = Section(name="", path="/collection", views=(View("/replay", "replay.html", _show, AskedPage),))
