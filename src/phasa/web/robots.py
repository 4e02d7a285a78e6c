"""robots.txt by RFC 9309, as lenient in reading as the file's biggest reader (Google) is.

`parse` never fails. Rules are compiled per crawler name on first use: rules without wildcards are looked up by their
length, so that a decision costs microseconds with hundreds of rules.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from phasa.web import url as urls
from phasa.web.url import Url

BYTES = 500 * 1024  # RFC 9309 §2.5: at least this much must be read; the rest may be ignored

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


class _Matcher:
    """The rules for one crawler, ready to decide: the longest matching pattern counts, allow wins a draw."""

    def __init__(self, groups: list[Group]) -> None:
        delays = [group.delay for group in groups if group.delay is not None]
        self.delay = max(delays) if delays else None
        plain: dict[int, dict[str, bool]] = {}
        wild: list[tuple[int, bool, str, re.Pattern[str]]] = []
        for group in groups:
            for pattern, allow in group.rules:
                if "*" in pattern or pattern.endswith("$"):
                    wild.append((len(pattern), allow, pattern.split("*")[0].rstrip("$"), _expression(pattern)))
                else:
                    known = plain.setdefault(len(pattern), {})
                    known[pattern] = allow or known.get(pattern, False)
        self.plain = sorted(plain.items(), reverse=True)
        self.wild = sorted(wild, key=lambda rule: rule[:2], reverse=True)

    def allowed(self, path: str) -> bool:
        length, allow = -1, True
        for size, known in self.plain:
            verdict = known.get(path[:size])
            if verdict is not None:
                length, allow = size, verdict
                break
        for size, verdict, start, expression in self.wild:
            if size < length or (size == length and allow):
                break
            if path.startswith(start) and expression.match(path):
                return verdict if size > length else verdict or allow
        return allow


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
    return seconds if 0 <= seconds < 1e9 else None


@lru_cache(maxsize=4096)
def _expression(pattern: str) -> re.Pattern[str]:
    """`*` is any run of characters, `$` at the end is the end. Runs are matched shortest first and never revisited."""
    anchored = pattern.endswith("$")
    pieces = [re.escape(piece) for piece in re.sub(r"\*+", "*", pattern[:-1] if anchored else pattern).split("*")]
    if not anchored:
        pieces = [piece for number, piece in enumerate(pieces) if piece or number == 0]
        return re.compile(_gaps(pieces), re.DOTALL)
    if len(pieces) == 1:
        return re.compile(pieces[0] + r"\Z", re.DOTALL)
    return re.compile(_gaps(pieces[:-1]) + f"(?=.*{pieces[-1]}\\Z).*\\Z", re.DOTALL)


def _gaps(pieces: list[str]) -> str:
    """Pieces with anything between them; atomic groups keep the search linear in the path for each piece."""
    return pieces[0] + "".join(f"(?>.*?{piece})" for piece in pieces[1:])
