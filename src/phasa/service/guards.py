"""Who may ask: host names (DNS rebinding), token, origin of a POST, and the headers that bind the browser."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
import socket
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import quote

import msgspec
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from phasa.errors import SettingsError
from phasa.service.people import People
from phasa.service.who import ANYBODY, Who, introduce
from phasa.service_settings import ServiceSettings

COOKIE = "phasa_login"
SESSION_COOKIE = "phasa_session"
FORM = "application/x-www-form-urlencoded"
LEAST_TOKEN = 16
OPEN_PATHS = ("/login", "/static/")

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


# RFC 9110 §7.2: a name or an address in brackets, and perhaps a port; nothing before, between or after them.
_HOST = re.compile(
    r"(?:\[(?P<address>[0-9A-Fa-f:.]{2,45})\]|(?P<name>[^\s:/?#@\[\]\\]{1,253}))(?::(?P<port>[0-9]{0,5}))?"
)


class Access(msgspec.Struct, frozen=True):
    """Who may ask. `token` is '' when only this machine can reach us; `names` are the Host names we answer to."""

    token: str
    names: frozenset[str]
    any_address: bool

    @classmethod
    def to(
        cls, address: str = "127.0.0.1", token: str | None = None, names: Iterable[str] = (), *, people: bool = False
    ) -> Access:
        """Access to an application bound to an address; `people`: operators sign in by name. Raises SettingsError where
        a token is missing or too short."""
        if not token and not people and not is_loopback(address):
            raise SettingsError(f"{address}: others can reach this address, so a token is needed: --token")
        if token and len(token) < LEAST_TOKEN:
            raise SettingsError(f"the token has {len(token)} characters; use at least {LEAST_TOKEN}")
        known = {"localhost", "127.0.0.1", "::1", _plain(address), *map(_plain, names)}
        wide = not is_loopback(address)
        if wide:
            known.add(socket.gethostname().lower())
        return cls(token or "", frozenset(known), wide)

    def answers_to(self, host: str) -> bool:
        """Whether a Host header means us. A site that points its own name at our address is not us (DNS rebinding)."""
        found = _HOST.fullmatch(host)
        if found is None or int(found["port"] or 0) > 65_535:
            return False
        name = _plain(found["address"] or found["name"])
        return name in self.names or (self.any_address and _is_address(name))

    def cookie(self) -> str:
        """What the login cookie holds: proof of the token, not the token."""
        return hmac.new(self.token.encode(), b"phasa login 1", hashlib.sha256).hexdigest()

    def knows(self, headers: Headers) -> bool:
        """Whether a request carries the token or the cookie that was given for it."""
        if not self.token:
            return False
        if (credential := bearer(headers)) is not None:
            return same(credential, self.token)
        return same(cookie_of(headers, COOKIE), self.cookie())


def bearer(headers: Headers) -> str | None:
    """The token of an Authorization header; None where there is none."""
    scheme, _, credential = headers.get("authorization", "").partition(" ")
    return credential.strip() if scheme.lower() == "bearer" else None


def cookie_of(headers: Headers, name: str) -> str:
    """A cookie; '' where there is none."""
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return morsel.value if morsel is not None else ""


def check_proxies(bounds: ServiceSettings) -> None:
    """Raises SettingsError for proxies that are no addresses, and for a header that everybody could send."""
    for address in bounds.proxies:
        try:
            ipaddress.ip_network(address, strict=False)
        except ValueError:
            raise SettingsError(f"service.proxies: {address}: not an address or network") from None
    if bounds.proxy_header and not bounds.proxies:
        raise SettingsError("service.proxy_header: name the proxies that may send it in service.proxies")


def is_loopback(address: str) -> bool:
    """Whether only this machine can reach an address to bind to."""
    if address == "localhost":
        return True
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def same(one: str, other: str) -> bool:
    """Equal, in a time that does not tell where they differ."""
    return hmac.compare_digest(one.encode("utf-8", "surrogatepass"), other.encode("utf-8", "surrogatepass"))


def csrf_for(secret: str, who: Who) -> str:
    """The secret that the forms of somebody carry: of this process, and bound to the session of who signed in."""
    return hmac.new(secret.encode(), who.key.encode(), hashlib.sha256).hexdigest() if who.key else secret


def right_csrf(secret: str, given: str, who: Who) -> bool:
    """Whether a form carries the secret that only our own pages show, and only to whoever sends it."""
    return same(csrf_for(secret, who), given)


def own_origin(headers: Headers) -> bool:
    """Whether a request that changes something was made by our own pages, or by a program that is no browser.

    Since our pages send no referrer, browsers send their forms with the origin `null`. `Sec-Fetch-Site`, which no page
    can forge, tells them from those of other sites; browsers leave it out where the address is not on this machine,
    and then the secret that every form of ours carries must do (`right_csrf`).
    """
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None and site not in ("same-origin", "none"):
        return False
    if origin == "null":
        return site == "same-origin" or headers.get("content-type", "").startswith(FORM)
    return origin is None or origin.partition("://")[2].lower() == headers.get("host", "").lower()


class Guards:
    """ASGI middleware in front of everything."""

    def __init__(self, app: ASGIApp, access: Access, people: People, bounds: ServiceSettings) -> None:
        self.app = app
        self.access = access
        self._people = people
        self._header = bounds.proxy_header.lower()
        self._proxies = tuple(ipaddress.ip_network(address, strict=False) for address in bounds.proxies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("content-security-policy", POLICY)
                if not scope["path"].startswith("/static/"):
                    headers.setdefault("cache-control", "no-store")
            await send(message)

        refusal = self._refusal(scope)
        await (refusal or self.app)(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        headers, path = Headers(scope=scope), str(scope["path"])
        if not self.access.answers_to(headers.get("host", "")):
            return PlainTextResponse("This name is not ours. Start phasa serve with --name to allow it.\n", 421)
        if scope["method"] not in ("GET", "HEAD", "OPTIONS") and not own_origin(headers):
            return _refused(path, 403, "this request comes from another site")
        who = self._who(scope, headers)
        if who is not None:
            introduce(scope, who)
        if path.startswith(OPEN_PATHS) or who is not None:
            return None
        if path.startswith("/api/") or "text/html" not in headers.get("accept", ""):
            refused = _refused(path, 401, "a token is needed: send it as Authorization: Bearer …")
            refused.headers["www-authenticate"] = 'Bearer realm="phasa"'
            return refused
        query = scope["query_string"].decode("latin-1")
        return RedirectResponse("/login?back=" + quote(path + ("?" + query if query else ""), safe=""), 303)

    def _who(self, scope: Scope, headers: Headers) -> Who | None:
        """Who asks; None for somebody that is to sign in."""
        if self.access.knows(headers):
            return Who("token", "administer", "token")
        people = self._people.anybody()
        if not people:
            return None if self.access.token else ANYBODY
        if (credential := bearer(headers)) is not None:
            return self._people.by_token(credential)
        if self._header and (name := headers.get(self._header)) is not None and self._is_proxy(scope):
            return self._people.by_name(name)
        session = cookie_of(headers, SESSION_COOKIE)
        return self._people.by_session(session) if session else None

    def _is_proxy(self, scope: Scope) -> bool:
        """Whether the other end of the connection itself is a proxy that we trust; nothing it says of others counts."""
        try:
            address = ipaddress.ip_address((scope.get("client") or ("",))[0])
        except ValueError:
            return False
        return any(address in network for network in self._proxies)


def _plain(name: str) -> str:
    """A host name as it is compared: lower case, without the dot of the root; an address in its shortest form."""
    name = name.lower().removesuffix(".").removeprefix("[").removesuffix("]")
    try:
        return str(ipaddress.ip_address(name))
    except ValueError:
        return name


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _refused(path: str, status: int, message: str) -> Response:
    if path.startswith("/api/"):
        return Response(msgspec.json.encode({"error": message}), status, media_type="application/json")
    return PlainTextResponse(message + "\n", status)
