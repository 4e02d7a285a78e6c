"""What the servers of this web answer: files by address, redirects, content negotiation, robots.txt, 404."""

from __future__ import annotations

import mimetypes
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from email.utils import formatdate
from pathlib import Path
from urllib.parse import quote, unquote

from bench.debian.sites import Mount, Site

_LANGUAGE = re.compile(r"(.*?)\.([a-z]{2,3}(?:[-_][A-Za-z]{2,4})?)\.html", re.ASCII)
_FOLDER = re.compile(r"[a-z]{2,3}(?:[-_][A-Za-z]{2,4})?", re.ASCII)
HTML = "text/html"
# What the mime.types of a Debian system say; those of Python's own list, so that every machine answers the same.
_TYPES = mimetypes.MimeTypes(())
_HTML_NAMES = (".html", ".htm", ".xhtml")


@dataclass(frozen=True)
class Answer:
    """An answer before it is written: what a server says to one request."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    file: str = ""
    """The file that was answered with, links followed: pages with the same file are the same page."""


class Shelf:
    """One host: its files by path, and what else its server does."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.files: dict[str, str] = {}
        self._variants: dict[str, dict[str, str]] = {}
        self._folders: set[str] = set()
        self._moved = [(re.compile(pattern), goal) for pattern, goal in site.moved]

    def add(self, path: str, file: str) -> None:
        """A file at a path of this host."""
        self.files[path] = file
        parts = path.split("/")
        self._folders.update("/".join(parts[:end]) for end in range(1, len(parts)))
        prefix = self.site.languages
        if prefix and path.startswith(prefix):
            language, _, rest = path[len(prefix) :].partition("/")
            if rest and _FOLDER.fullmatch(language):
                self._variants.setdefault(prefix + rest, {})[language] = path
        elif self.site.variants and (found := _LANGUAGE.fullmatch(path)):
            self._variants.setdefault(found[1], {})[found[2]] = path

    def pages(self) -> Iterator[str]:
        """The paths of all HTML pages."""
        return (path for path in self.files if path.endswith(_HTML_NAMES))

    def variants(self, path: str) -> dict[str, str]:
        """The paths of the languages that a path stands for; empty for a path that is a file, or nothing."""
        name = unquote(path) + ("index.html" if path.endswith("/") else "")
        if name in self.files:
            return {}
        return self._variants.get(name) or self._variants.get(name.removesuffix(".html")) or {}

    def answer(self, path: str, accept: str) -> Answer:
        """The answer to a path (without query), for a client that sent this Accept-Language."""
        if path == "/robots.txt":
            return _text(404, "not found\n") if self.site.robots is None else _text(200, self.site.robots)
        name = unquote(path)
        if name.endswith("/"):
            name += "index.html"
        elif name in self._folders:
            return Answer(301, (("Location", quote(name) + "/"),))
        file = self.files.get(name)
        if file is not None:
            return self._file(file, name)
        if variants := self.variants(path):
            chosen = variants[prefer(accept, list(variants))]
            return self._file(
                self.files[chosen], chosen, (("Content-Location", quote(chosen)), ("Vary", "negotiate,accept-language"))
            )
        for pattern, goal in self._moved:
            if (found := pattern.fullmatch(path)) and (moved := found.expand(goal)) != path:
                return Answer(301, (("Location", moved),))
        return _text(
            404, "<html><head><title>404 Not Found</title></head><body><h1>Not Found</h1></body></html>\n", HTML
        )

    def _file(self, file: str, name: str, more: tuple[tuple[str, str], ...] = ()) -> Answer:
        try:
            with open(file, "rb") as opened:
                body, written = opened.read(), os.fstat(opened.fileno()).st_mtime
        except OSError:  # a link into a package that is not part of this web
            return _text(404, "not found\n")
        kind = content_type(name)
        if self.site.charset and kind == HTML:
            kind = f"{kind}; charset={self.site.charset}"
        headers = (("Content-Type", kind), ("Last-Modified", formatdate(written, usegmt=True)), *more)
        return Answer(200, headers, body, os.path.realpath(file))


class Web:
    """All hosts of a tree of files. A host that is none of them answers 404 to everything."""

    def __init__(self, root: Path, sites: Sequence[Site]) -> None:
        self.shelves = {site.host: Shelf(site) for site in sites}
        mounts = [(mount, site.host, _literal(mount)) for site in sites for mount in site.mounts]
        for folder, _, names in sorted(os.walk(root)):
            below = os.path.relpath(folder, root)
            fitting = [one for one in mounts if one[2].startswith(below) or below.startswith(one[2].rstrip("/"))]
            for name in sorted(names) if fitting else ():
                self._add(f"{below}/{name}", f"{folder}/{name}", fitting)

    def _add(self, name: str, file: str, mounts: Sequence[tuple[Mount, str, str]]) -> None:
        for mount, host, start in mounts:
            if name.startswith(start) and (path := mount.place(name)) is not None:
                shelf = self.shelves[host]
                # A package links page.html to page.en.html, where the site chooses the language.
                if not (shelf.site.variants and os.path.islink(file)):
                    shelf.add(path, file)
                return

    def answer(self, host: str, target: str, accept: str = "", *, secure: bool) -> Answer:
        """The answer to one request: the host it names, its target (path and query), its Accept-Language."""
        shelf = self.shelves.get(host.lower().rstrip("."))
        if shelf is None:
            return _text(404, f"no site {host} in this web\n")
        if shelf.site.secure and not secure:
            return Answer(301, (("Location", f"https://{shelf.site.host}{target}"),))
        found = shelf.answer(target.partition("?")[0], accept)
        if found.status != 301:
            return found
        return Answer(301, (("Location", origin(shelf.site) + found.headers[0][1]),))

    def urls(self) -> Iterator[str]:
        """The addresses of all pages that are files."""
        for shelf in self.shelves.values():
            yield from (origin(shelf.site) + quote(path) for path in shelf.pages())


def origin(site: Site) -> str:
    """Scheme and host of the pages of a site."""
    return f"{'https' if site.secure else 'http'}://{site.host}"


def prefer(accept: str, languages: Sequence[str]) -> str:
    """The language that an Accept-Language asks for among those there are; English, or the first, if none."""
    wanted: list[tuple[float, int, str]] = []
    for place, part in enumerate(accept.split(",")):
        tag, _, quality = part.strip().partition(";")
        number = quality.strip().removeprefix("q=")
        weight = float(number) if re.fullmatch(r"\d(\.\d*)?", number) else 1.0
        wanted.append((-weight, place, tag.strip().lower()))
    for _, _, tag in sorted(wanted):
        for language in languages:
            if tag and language.lower().replace("_", "-").partition("-")[0] == tag.partition("-")[0]:
                return language
    return "en" if "en" in languages else min(languages)


def content_type(name: str) -> str:
    """The type that Apache gives a file by its name."""
    if name.endswith(_HTML_NAMES):
        return HTML
    return _TYPES.guess_type(name)[0] or "application/octet-stream"


def _text(status: int, text: str, kind: str = "text/plain") -> Answer:
    return Answer(status, (("Content-Type", kind),), text.encode())


def _literal(mount: Mount) -> str:
    """What every file of a mount begins with, so that most files need no pattern."""
    return re.split(r"[\\(\[.]", mount.files, maxsplit=1)[0]
