"""robots.txt by RFC 9309, as lenient in reading as the file's biggest reader (Google) is.

`parse` never fails. Rules are compiled per crawler name on first use: rules without wildcards are looked up by their
length, so that a decision costs microseconds with hundreds of rules. Rules with wildcards are tried one by one, longest
first, each in one walk along the path; no more than `RULES` count.

`RobotsCache` has the file of every host that is visited: fetched once, kept a day. RFC 9309 §2.3.1: an answer of 4xx
means there are no rules; 5xx or no answer means wait, with the last known rules if there are any; redirects are
followed, up to five.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Awaitable, Callable
from itertools import chain, islice
from typing import NamedTuple

from msgspec.structs import replace

from phasa.errors import PhasaError
from phasa.web import url as urls
from phasa.web.exchange import Exchange
from phasa.web.fetch import Fetcher
from phasa.web.limits import Limits
from phasa.web.url import Url

BYTES = 500 * 1024  # RFC 9309 §2.5: at least this much must be read; the rest may be ignored

RULES = 10_000
"""Most rules for one crawler; the rest is passed over, as what comes after the bytes above is."""
DELAY = 86_400.0
"""The longest Crawl-delay that is understood, a day: what asks for more asks for as much as there is."""

_RULE_BYTES = 500  # that a rule takes besides its pattern
_LINE_BYTES = 2083 * 8
_LINES = re.compile(rb"\r\n|\r|\n")
_KEY = re.compile(rb"\s*([a-zA-Z-]+(?:[ \t]+agent|[ \t]+delay)?)[ \t]*(?::|[ \t])[ \t]*(.*?)[ \t]*\Z", re.DOTALL)
_TOKEN = re.compile(r"[a-zA-Z_-]+")
_ESCAPE = re.compile(rb"%[0-9a-fA-F]{2}|[\x80-\xff]")

# Spellings that stand for the same line, misspelt ones included, as Google's parser takes them.
_AGENT = frozenset((b"user-agent", b"useragent", b"user agent"))
_DISALLOW = frozenset((b"disallow", b"dissallow", b"dissalow", b"disalow", b"diasllow", b"disallaw"))
_SITEMAP = frozenset((b"sitemap", b"site-map"))
_DELAY = frozenset((b"crawl-delay", b"crawldelay", b"crawl delay"))


class Rule(NamedTuple):
    """A path pattern and what it says about the paths that it matches."""

    pattern: str
    allow: bool


class Group(NamedTuple):
    """What one or more crawlers may do."""

    agents: tuple[str, ...]
    rules: tuple[Rule, ...]
    delay: float | None


class Robots:
    """The rules of one host."""

    def __init__(self, groups: tuple[Group, ...] = (), sitemaps: tuple[str, ...] = ()) -> None:
        self.groups = groups
        self.sitemaps = sitemaps
        self._compiled: dict[str, _Matcher] = {}

    def allowed(self, u: Url, agent: str) -> bool:
        """Whether the crawler of this name (`phasa`, `phasa/1.0`) may fetch the address; /robots.txt always may be."""
        path = _escaped(urls.path(u).encode())
        return path == "/robots.txt" or self._matcher(agent).allowed(path)

    def delay(self, agent: str) -> float | None:
        """Crawl-delay in seconds for this crawler; None when not given."""
        return self._matcher(agent).delay

    def only_for(self, agent: str) -> Robots:
        """What concerns this crawler."""
        return Robots(tuple(self._groups_for(agent)), self.sitemaps)

    @property
    def size(self) -> int:
        """About how many bytes it takes, compiled."""
        return sum(_RULE_BYTES + len(rule.pattern) for group in self.groups for rule in group.rules)

    def _matcher(self, agent: str) -> _Matcher:
        matcher = self._compiled.get(agent)
        if matcher is None:
            matcher = self._compiled[agent] = _Matcher(self._groups_for(agent))
        return matcher

    def _groups_for(self, agent: str) -> list[Group]:
        """RFC 9309 §2.2.1: all groups that name the crawler together, else all that say `*`, else none."""
        found = _TOKEN.fullmatch(agent.partition("/")[0])
        token = found[0].lower() if found else ""
        named = [group for group in self.groups if token and token in group.agents]
        return named or [group for group in self.groups if "*" in group.agents]


class _Wild(NamedTuple):
    """A pattern with wildcards: the literal pieces between them, in order; the first stands at the beginning."""

    length: int
    allow: bool
    start: str
    pieces: tuple[str, ...]
    end: str | None  # the piece that the path must end in; None when it may end in anything
    least: int  # characters that a path must have to match

    def matches(self, path: str) -> bool:
        """Whether the path matches. Each piece is taken where it comes first: no other place leaves more room."""
        if not path.startswith(self.start) or len(path) < self.least:
            return False
        place = len(self.start)
        for piece in self.pieces:
            place = path.find(piece, place)
            if place < 0:
                return False
            place += len(piece)
        return self.end is None or (path.endswith(self.end) and len(path) - len(self.end) >= place)


class _Matcher:
    """The rules for one crawler, ready to decide: the longest matching pattern counts, allow wins a draw."""

    def __init__(self, groups: list[Group]) -> None:
        delays = [group.delay for group in groups if group.delay is not None]
        self.delay = max(delays) if delays else None
        plain: dict[int, dict[str, bool]] = {}
        wild: dict[str, bool] = {}
        self.exact: dict[str, bool] = {}  # /path$
        for pattern, allow in islice(chain.from_iterable(group.rules for group in groups), RULES):
            ends = pattern[-1] == "$"
            known = wild if "*" in pattern else self.exact if ends else plain.setdefault(len(pattern), {})
            known[pattern] = allow or known.get(pattern, False)
        self.plain = sorted(plain.items(), reverse=True)
        self.wild = sorted((_wild(*rule) for rule in wild.items()), key=lambda rule: rule[:2], reverse=True)

    def allowed(self, path: str) -> bool:
        length, allow = -1, True
        if (verdict := self.exact.get(path + "$")) is not None:
            length, allow = len(path) + 1, verdict
        else:
            for size, known in self.plain:
                if (verdict := known.get(path[:size])) is not None:
                    length, allow = size, verdict
                    break
        for rule in self.wild:
            if rule.length < length or (rule.length == length and allow):
                break
            if rule.matches(path):
                return rule.allow if rule.length > length else rule.allow or allow
        return allow


def _wild(pattern: str, allow: bool) -> _Wild:
    """`*` is any run of characters, `$` at the end is the end."""
    anchored = pattern[-1] == "$"
    first, *pieces = (pattern[:-1] if anchored else pattern).split("*")
    end = pieces.pop() if anchored else None
    middle = tuple(piece for piece in pieces if piece)
    return _Wild(len(pattern), allow, first, middle, end, len(first) + sum(map(len, middle)) + len(end or ""))


def parse(body: bytes) -> Robots:
    """The rules in a robots.txt; whatever cannot be understood is passed over."""
    body = body[:BYTES].removeprefix(b"\xef\xbb\xbf")
    groups: list[tuple[list[str], list[Rule], list[float]]] = []
    sitemaps: list[str] = []
    open_for_agents = False
    for line in _LINES.split(body):
        found = _KEY.match(line[:_LINE_BYTES].partition(b"#")[0])
        if not found:
            continue
        key, value = b" ".join(found[1].lower().split()), found[2]
        if key in _AGENT:
            if not open_for_agents:
                groups.append(([], [], []))
                open_for_agents = True
            groups[-1][0].append(_agent(value.decode("utf-8", "replace")))
        elif key in _DISALLOW or key == b"allow":
            open_for_agents = False
            # A rule before any user-agent line belongs to nobody; an empty pattern matches nothing.
            if groups and value:
                groups[-1][1].append(_rule(value, key == b"allow"))
                if key == b"allow" and value.endswith((b"/index.htm", b"/index.html")):
                    groups[-1][1].append(_rule(value[: value.rindex(b"/") + 1] + b"$", True))
        elif key in _SITEMAP:
            sitemaps.append(value.decode("utf-8", "replace"))
        elif key in _DELAY and groups:
            open_for_agents = False
            seconds = _seconds(value)
            if seconds is not None:
                groups[-1][2].append(seconds)
    return Robots(
        tuple(Group(tuple(agents), tuple(rules), max(delays) if delays else None) for agents, rules, delays in groups),
        tuple(dict.fromkeys(sitemaps)),
    )


def read_rules(body: bytes, agent: str) -> tuple[tuple[Group, ...], tuple[str, ...]]:
    """The groups of a robots.txt that concern one crawler, and its sitemaps: what `Robots` is made of, as plain values
    that can come from another process."""
    found = parse(body).only_for(agent)
    return found.groups, found.sitemaps


def _agent(value: str) -> str:
    """The product token of a user-agent line: `*`, or its leading letters, dashes and underscores."""
    if value[:1] == "*" and (len(value) == 1 or value[1].isspace()):
        return "*"
    found = _TOKEN.match(value)
    return found[0].lower() if found else ""


def _rule(value: bytes, allow: bool) -> Rule:
    return Rule(_escaped(value), allow)


def _escaped(path: bytes) -> str:
    """RFC 9309 §2.2.2: bytes outside US-ASCII as percent escapes, escapes in capitals; then octets are compared."""
    return _ESCAPE.sub(lambda m: m[0].upper() if m[0][:1] == b"%" else b"%%%02X" % m[0][0], path).decode("ascii")


def _seconds(value: bytes) -> float | None:
    try:
        seconds = float(value)
    except ValueError:
        return None
    return min(seconds, DELAY) if seconds >= 0 else None  # neither what is negative nor what is no number


DAY = DELAY
RETRY = 600.0  # seconds until a host whose rules could not be had is asked again

Fetch = Callable[[Url], Awaitable[Exchange]]
Read = Callable[[Url, bytes, str], Awaitable[tuple[tuple[Group, ...], tuple[str, ...]]]]
"""`read_rules` for the file at an address, wherever it is called."""
_LOG = logging.getLogger(__name__)

# These say that something is there but not now; everything else without an answer of its own means there are no rules.
_SILENT = (
    "dns_error connect_error tls_error timeout_connect timeout_first_byte timeout_read timeout_total too_slow "
    "closed_early protocol_error bad_header header_too_large"
)
_UNREACHABLE = frozenset(_SILENT.split())


class Ruling(NamedTuple):
    """Whether an address may be fetched. `wait` is set when that is not known yet: ask again in so many seconds."""

    allowed: bool
    wait: float | None
    delay: float | None  # Crawl-delay
    reason: str


class _Known(NamedTuple):
    robots: Robots | None  # None: nothing may be fetched for now
    expires: float
    reason: str
    size: int = 0


def robots_fetch(fetcher: Fetcher, limits: Limits | None = None) -> Fetch:
    """How a robots.txt is fetched: the fetcher with the size and the redirects of RFC 9309."""
    bounded = replace(limits or fetcher.limits, body_bytes=BYTES, decoded_bytes=BYTES, redirects=5)

    async def fetch(address: Url) -> Exchange:
        return await fetcher.fetch(address, limits=bounded)

    return fetch


async def _read_here(address: Url, body: bytes, agent: str) -> tuple[tuple[Group, ...], tuple[str, ...]]:
    return read_rules(body, agent)


class RobotsCache:
    """Rules per origin for one crawler name. `fetch` gets a robots.txt, `read` reads it; one request at a time per
    origin. At most `most` files and `most_bytes` of rules are remembered; beyond that the file with most rules goes,
    and its host is left alone."""

    def __init__(
        self,
        fetch: Fetch,
        agent: str,
        *,
        seconds: float = DAY,
        retry: float = RETRY,
        most: int = 20_000,
        most_bytes: int = 32 * 1024 * 1024,
        read: Read = _read_here,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.fetch = fetch
        self.read = read
        self.most_bytes = most_bytes
        self._bytes = 0
        self.agent = agent
        self.seconds = seconds
        self.retry = retry
        self.most = most
        self.clock = clock
        self._known: dict[str, _Known] = {}
        self._pending: dict[str, asyncio.Task[_Known]] = {}

    async def ruling(self, u: Url) -> Ruling:
        """May this address be fetched? Fetches the host's robots.txt when it is not known or a day old."""
        known = await self._of(u)
        if known.robots is None:
            return Ruling(False, max(0.0, known.expires - self.clock()), None, known.reason)
        allowed = known.robots.allowed(u, self.agent)
        reason = known.reason if allowed else "robots.txt"
        return Ruling(allowed, None, known.robots.delay(self.agent), reason)

    async def sitemaps(self, u: Url) -> tuple[Url, ...]:
        """The sitemaps that the host's robots.txt names, made absolute."""
        known = await self._of(u)
        found = (urls.join(Url(urls.origin(u) + "/"), raw) for raw in (known.robots.sitemaps if known.robots else ()))
        return tuple(dict.fromkeys(sitemap for sitemap in found if sitemap))

    async def _of(self, u: Url) -> _Known:
        origin = urls.origin(u)
        known = self._known.get(origin)
        if known is not None and known.expires > self.clock():
            return known
        task = self._pending.get(origin)
        if task is None:
            task = self._pending[origin] = asyncio.ensure_future(self._ask(origin, known))
            task.add_done_callback(lambda _: self._pending.pop(origin, None))
        return await asyncio.shield(task)

    async def _ask(self, origin: str, before: _Known | None) -> _Known:
        exchange = await self.fetch(Url(origin + "/robots.txt"))
        known = await self._judge(exchange, before)
        self._remember(origin, known)
        return known

    async def _judge(self, exchange: Exchange, before: _Known | None) -> _Known:
        now = self.clock()
        status, outcome = exchange.status, exchange.outcome
        if outcome == "blocked_address":
            return _Known(None, now + self.seconds, "blocked address")
        if 200 <= status < 300 and (outcome in ("ok", "too_large", "bomb", "bad_encoding") or exchange.body):
            # What was cut by the size limit or by a lost connection still counts as far as it came.
            try:
                rules = Robots(*await self.read(exchange.url, exchange.body, self.agent))
            except PhasaError as problem:
                _LOG.warning("%s: %s; nothing is fetched there for a day", exchange.url, problem)
                return _Known(None, now + self.seconds, f"robots.txt: {problem}")
            return _Known(rules, now + self.seconds, "robots.txt", rules.size)
        if status >= 500 or status == 429 or outcome in _UNREACHABLE:
            wait = min(max(exchange.retry_after(now) or self.retry, 1.0), self.seconds)
            reason = f"robots.txt: {status or outcome}"
            _LOG.info("%s: %s; asked again in %.0f seconds", exchange.url, status or outcome, wait)
            # RFC 9309 §2.4: old rules may be used while new ones cannot be had.
            return _Known(before.robots if before else None, now + wait, reason)
        return _Known(Robots(), now + self.seconds, f"no robots.txt: {status or outcome}")

    def _remember(self, origin: str, known: _Known) -> None:
        self._forget(origin)
        if len(self._known) >= self.most:
            for name in list(self._known)[: self.most // 10 + 1]:
                self._forget(name)
        self._known[origin] = known
        self._bytes += known.size
        while self._bytes > self.most_bytes:
            largest = max(self._known, key=lambda name: self._known[name].size)
            until = self._known[largest].expires
            self._forget(largest)
            self._known[largest] = _Known(None, until, "robots.txt has more rules than can be remembered")

    def _forget(self, origin: str) -> None:
        known = self._known.pop(origin, None)
        self._bytes -= known.size if known is not None else 0
