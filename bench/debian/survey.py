"""Everything there is in the web, once and for all: pages with their links and their language, redirects, dead links.

The language of a page is that of its file by phasa's detector on all of its text, or (`independent`) by py3langid: no
part of what is measured. Of every hundredth page both are kept, so that one sees how far they agree. Links are those
that a crawl with the settings of a new collection follows: no pictures, nothing that robots.txt refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from bench.debian.answers import HTML, Answer, Web
from bench.debian.fetch import MissingError

from phasa.crawl.live import out_links
from phasa.frontier.scope import Scope
from phasa.language.detectors import detector
from phasa.language.verdict import Document
from phasa.web import robots
from phasa.web.apart import try_page
from phasa.web.html import PAGE_TAGS
from phasa.web.url import Url, host, join, parse

NO_PAGE = 415
"""Status of what is there but is no page, for the lab: a fetch that brings nothing."""
EVERY = 100
SHORTEST = 20
SAMPLE, SAMPLES = 500, 8
"""Of a long text so many passages of so many characters are judged, spread evenly over it."""
Judge = Callable[[str], str]


class Row(msgspec.Struct, array_like=True):
    """One address. Links, anchors and hints are numbers of the tables of the survey."""

    url: int
    status: int
    moved: int = -1
    language: str = "und"
    """The truth."""
    second: str = ""
    """What the other judge says; empty where it was not asked."""
    charset: str = ""
    links: list[int] = []
    anchors: list[int] = []
    hints: list[int] = []
    variants: dict[str, Row] = {}
    """Of an address that stands for several languages: what it is in each."""

    def goals(self) -> Iterator[int]:
        """Every address that it leads to."""
        yield from self.links
        if self.moved >= 0:
            yield self.moved
        for row in self.variants.values():
            yield from row.links


class Survey(msgspec.Struct):
    """All addresses of a web. Every address that a page links to has a row."""

    urls: list[str]
    anchors: list[str]
    hints: list[str]
    rows: list[Row]

    def pages(self) -> Iterator[Row]:
        return (row for row in self.rows if row.status == 200 and not row.variants)


def langid_judge() -> Judge | None:
    """The language of a text by py3langid; None when it is not installed."""
    try:
        import py3langid
    except ImportError:
        return None

    def judge(text: str) -> str:
        words = " ".join(text.split())
        if len(words) < SHORTEST:
            return "und"
        step = max(1, (len(words) - SAMPLE) // (SAMPLES - 1))
        parts = [words[start : start + SAMPLE] for start in range(0, len(words), step)][:SAMPLES]
        return str(py3langid.classify(" ".join(parts) if step > SAMPLE else words)[0])

    return judge


def survey(web: Web, say: Callable[[str], None], langid: Judge | None = None, *, independent: bool = False) -> Survey:
    """Read every page, then everything that they link to. `langid` judges every hundredth page too; `independent`, it
    judges all, and its word counts."""
    made = _Tables(web, langid, 1 if independent else EVERY)
    waiting = [made.number(url) for url in (parse(address) for address in web.urls()) if url is not None]
    known = set(waiting)
    count = 0
    while waiting:
        found: list[int] = []
        for number in waiting:
            row = made.row(number, web)
            count += 1
            if count % 5_000 == 0:
                say(f"{count:,} addresses")
            for goal in row.goals():
                if goal not in known:
                    known.add(goal)
                    found.append(goal)
        waiting = found
    return Survey(list(made.urls), list(made.anchors), list(made.hints), made.rows)


class _Tables:
    def __init__(self, web: Web, langid: Judge | None, every: int) -> None:
        self.urls: dict[str, int] = {}
        self._names: list[str] = []
        self.anchors: dict[str, int] = {"": 0}
        self.hints: dict[str, int] = {"": 0}
        self.rows: list[Row] = []
        self._langid = langid
        self._every = every
        self._detector = detector("auto")
        self._languages: dict[str, tuple[str, str]] = {}
        self._scope = Scope()
        self._rules = {
            name: robots.parse(shelf.site.robots.encode())
            for name, shelf in web.shelves.items()
            if shelf.site.robots is not None
        }
        self._takes: dict[Url, bool] = {}

    def number(self, url: str) -> int:
        known = self.urls.setdefault(url, len(self._names))
        if known == len(self._names):
            self._names.append(url)
        return known

    def row(self, number: int, web: Web) -> Row:
        url = self._names[number]
        answer = ask(web, url)
        row = Row(number, answer.status)
        location = dict(answer.headers).get("Location")
        if location is not None and (goal := join(Url(url), location)) is not None:
            row.moved = self.number(goal)
        elif answer.status == 200:
            for code in languages_of(web, url):
                row.variants[code] = Row(number, 200)
                self._read(row.variants[code], url, ask(web, url, code))
            if not row.variants:
                self._read(row, url, answer)
        self.rows.append(row)
        return row

    def _read(self, row: Row, url: str, answer: Answer) -> None:
        kind = dict(answer.headers)["Content-Type"]
        page = try_page(answer.body, Url(url), header=kind, tags=PAGE_TAGS) if kind.startswith(HTML) else None
        if page is None:
            row.status = NO_PAGE
            return
        if answer.file not in self._languages:
            asked = self._langid is not None and len(self._languages) % self._every == 0
            second = self._langid(page.text) if self._langid is not None and asked else ""
            declared = page.lang or (page.languages[0] if page.languages else None)
            ours = self._detector.judge(Document(page.text, page.charset, declared)).language
            self._languages[answer.file] = (second, ours) if self._every == 1 else (ours, second)
        row.language, row.second = self._languages[answer.file]
        row.charset = page.charset
        if "nofollow" in page.robots:
            return
        links = out_links(page)
        for place, goal in enumerate(links.urls):
            if not self._taken(Url(goal)):
                continue
            row.links.append(self.number(goal))
            row.anchors.append(self.anchors.setdefault(links.anchors[place], len(self.anchors)))
            hint = links.hints[place] if links.hints else ""
            row.hints.append(self.hints.setdefault(hint, len(self.hints)))

    def _taken(self, url: Url) -> bool:
        """Whether a new collection would fetch it: it is in scope, and robots.txt allows it."""
        if url not in self._takes:
            rules = self._rules.get(host(url))
            self._takes[url] = not self._scope.refuses(url) and (rules is None or rules.allowed(url, "phasa"))
        return self._takes[url]


def ask(web: Web, url: str, accept: str = "") -> Answer:
    """What the web answers to an address."""
    parts = urlsplit(url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return web.answer(parts.hostname or "", target, accept, secure=parts.scheme == "https")


def languages_of(web: Web, url: str) -> list[str]:
    """The languages among which the client of this address chooses; none for a page that is only one."""
    parts = urlsplit(url)
    shelf = web.shelves.get(parts.hostname or "")
    return list(shelf.variants(parts.path)) if shelf is not None else []


def kept_survey(folder: Path, web: Web, part: str, say: Callable[[str], None], *, independent: bool = False) -> Survey:
    """The survey of the web in a folder, made when it is not there or older than a package; `part` names a web of some
    hosts only. Raises MissingError."""
    name = "-".join(["survey", *filter(None, [part.replace(",", "+")]), *(["independent"] if independent else [])])
    file = folder / f"{name}.msgpack"
    newest = max((place.stat().st_mtime for place in (folder / "packages").iterdir()), default=0.0)
    if file.is_file() and file.stat().st_mtime > newest:
        return msgspec.msgpack.decode(file.read_bytes(), type=Survey)
    langid = langid_judge()
    if independent and langid is None:
        raise MissingError("py3langid is not installed; pip install -c constraints.txt -e '.[bench]'")
    made = survey(web, say, langid, independent=independent)
    Path(f"{file}.new").write_bytes(msgspec.msgpack.encode(made))
    Path(f"{file}.new").replace(file)
    return made
