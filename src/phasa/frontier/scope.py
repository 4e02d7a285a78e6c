"""Scope: which URLs belong to a crawl. A rule that says no gives its reason, which `phasa why` shows."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from phasa.errors import SettingsError
from phasa.settings import Settings
from phasa.web.url import Url, host, path, surt

# What is never a page: pictures, sound, film, archives, programs, fonts, style, data.
NOT_PAGES = (
    "7z aac apk avi avif bin bmp bz2 cab css csv dat deb dmg doc docx eot epub exe flac flv gif gz ico ics iso jar jpeg"
    " jpg js json m4a m4v mid mkv mov mp3 mp4 mpeg mpg msi odp ods odt ogg ogv otf pdf png ppt pptx ps psd rar rm rpm"
    " rtf svg swf tar tgz tif tiff torrent ttf wasm wav webm webp wma wmv woff woff2 xls xlsx xz zip"
)
# Longer endings are no file name extensions: /about.our-school
_LONGEST_EXTENSION = 8


class ScopeSettings(Settings, frozen=True, kw_only=True):
    """Empty lists mean everywhere: a language crawl finds its pages wherever they are hosted."""

    domains: Annotated[
        tuple[str, ...], Meta(description='Only these domains and what is under them, for example ["ku.ac.th", "th"].')
    ] = ()
    surts: Annotated[
        tuple[str, ...],
        Meta(description='Only URLs whose SURT begins with one of these, as ["th,ac,ku)/news"].'),
    ] = ()
    patterns: Annotated[
        tuple[str, ...], Meta(description="Only URLs in which one of these regular expressions is found.")
    ] = ()
    not_domains: Annotated[tuple[str, ...], Meta(description="Never these domains, nor what is under them.")] = ()
    not_surts: Annotated[tuple[str, ...], Meta(description="Never URLs whose SURT begins with one of these.")] = ()
    not_patterns: Annotated[
        tuple[str, ...], Meta(description="Never URLs in which one of these regular expressions is found.")
    ] = ()
    not_extensions: Annotated[str, Meta(description="Never paths that end in one of these file name extensions.")] = (
        NOT_PAGES
    )
    extensions: Annotated[
        str,
        Meta(description="Only paths that end in one of these file name extensions, or in none; empty = all others."),
    ] = ""
    depth: Annotated[int, Meta(ge=0, description="Most links from a seed; 0 = no limit.")] = 0
    url_length: Annotated[int, Meta(gt=0, description="Longest address, in characters.")] = 1000
    queries: Annotated[bool, Meta(description="Take addresses with a query (?).")] = True
    form: Annotated[
        Literal["standard", "thesis"],
        Meta(
            description="How links are spelled: standard (as browsers do it), or by the seven rules of the Thai thesis "
            "(index.html and path segments '...' dropped, ~ and its kin escaped)."
        ),
    ] = "standard"
    images: Annotated[
        bool,
        Meta(
            description="Links are also those of <img src>, the fifth tag of the Thai thesis; most of them are refused "
            "by not_extensions all the same."
        ),
    ] = False
    sitemaps: Annotated[
        bool, Meta(description="Also fetch the sitemaps that robots.txt files name, and take what they list.")
    ] = False


SEEN = "the model was learned from it; other seeds, or `unseen` and `strategies.segment.trained` in the settings"
"""What is said of an address that a model was learned from."""


class Scope:
    """The rules of one crawl, compiled; `was_seen` names addresses that a model was learned from, which are no part of
    it. Raises SettingsError for a regular expression that is none."""

    def __init__(self, settings: ScopeSettings | None = None, was_seen: Callable[[str], bool] | None = None) -> None:
        rules = settings or ScopeSettings()
        self._was_seen = was_seen
        self._length = rules.url_length
        self._depth = rules.depth
        self._queries = rules.queries
        self._not_extensions = frozenset(rules.not_extensions.lower().split())
        self._extensions = frozenset(rules.extensions.lower().split())
        self._sitemaps = rules.sitemaps
        self._domains = _Domains(rules.domains)
        self._not_domains = _Domains(rules.not_domains)
        self._surts = tuple(rules.surts)
        self._not_surts = tuple(rules.not_surts)
        self._patterns = _one_pattern("patterns", rules.patterns)
        self._not_patterns = _one_pattern("not_patterns", rules.not_patterns)
        self._limited = bool(rules.domains or rules.surts or rules.patterns)

    def refuses(self, url: Url, depth: int = 0) -> str:
        """Why this URL is not in scope; '' when it is.

        A URL is in scope when no rule that begins with `not_` (nor a limit) refuses it and, if there are lists of what
        is wanted at all, at least one of them has it.
        """
        if len(url) > self._length:
            return f"longer than {self._length} characters"
        if self._depth and depth > self._depth:
            return f"more than {self._depth} links from a seed"
        way, _, query = path(url).partition("?")
        if query and not self._queries:
            return "has a query"
        if (name := _extension(way)) and self._refuses_extension(name, way):
            return f"file name extension .{name}"
        if reason := self.excludes(url):
            return reason
        if self._was_seen is not None and self._was_seen(url):
            return SEEN
        return "not in the domains, SURT prefixes or patterns of the scope" if not self._wants(url) else ""

    def excludes(self, url: Url) -> str:
        """Which rule that begins with `not_` and names places excludes this URL; '' for none."""
        if len(url) > self._length:
            return f"longer than {self._length} characters"
        if self._not_domains and (name := self._not_domains.match(host(url))):
            return f"domain {name} is excluded"
        if self._not_patterns and self._not_patterns.search(url):
            return "an excluded pattern is in it"
        if self._not_surts and surt(url).startswith(self._not_surts):
            return "its SURT prefix is excluded"
        return ""

    def _refuses_extension(self, name: str, way: str) -> bool:
        if self._sitemaps and way.lower().endswith((".xml", ".xml.gz")):
            return False
        return name in self._not_extensions or bool(self._extensions and name not in self._extensions)

    def _wants(self, url: Url) -> bool:
        if not self._limited:
            return True
        if self._domains and self._domains.match(host(url)):
            return True
        if self._surts and surt(url).startswith(self._surts):
            return True
        return bool(self._patterns and self._patterns.search(url))


def scope_text(settings: ScopeSettings) -> str:
    """What the settings of a scope say, to tell two scopes apart."""
    return msgspec.json.encode(settings).decode()


def _extension(way: str) -> str:
    """The file name extension of a path, in small letters; '' for none."""
    dot = way.rfind(".") + 1
    name = way[dot:]
    return name.lower() if dot and len(name) <= _LONGEST_EXTENSION and name.isalnum() else ""


class _Domains:
    """A set of domains that knows whether a host is one of them or under one of them."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = frozenset(name.lower().strip().lstrip(".") for name in names)

    def __bool__(self) -> bool:
        return bool(self._names)

    def match(self, name: str) -> str:
        """The domain that holds this host; '' for none."""
        while name:
            if name in self._names:
                return name
            name = name.partition(".")[2]
        return ""


def _one_pattern(key: str, patterns: Sequence[str]) -> re.Pattern[str] | None:
    for pattern in patterns:
        try:
            re.compile(pattern)
        except re.error as problem:
            raise SettingsError(f"setting 'scope.{key}': {pattern!r} is not a regular expression: {problem}") from None
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns)) if patterns else None
