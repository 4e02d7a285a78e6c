"""One page of the collection: what it says, its keywords, and why it was judged so. All of it from the archive."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta
from starlette.responses import Response

from phasa.archive.capture import ArchiveError
from phasa.archive.cdxj import Entry, lookup
from phasa.archive.notes import read_notes
from phasa.archive.reader import read_entry, resolve
from phasa.archive.shelf import exists, opened
from phasa.collection import Collection
from phasa.errors import InputError, ParserCrashedError
from phasa.service.near_pages import NearPage
from phasa.service.own_pages import attachment
from phasa.service.section import NotFound
from phasa.web.http import PAGE_TYPES
from phasa.web.url import Url, host, parse, segment_key

if TYPE_CHECKING:
    from phasa.overview.keywords import Keyword

MOST_HTML = 1_000_000
MOST_TEXT = 60_000
MOST_KEYWORDS = 30
MOST_CAPTURES = 50
_SAMPLE = "<html><title>ภาษา</title><p>ภาษาไทย زبان فارسی and a few words more, as a page has them.</p></html>"


class AskedPage(msgspec.Struct, frozen=True):
    """Which page, and which of its captures."""

    url: Annotated[str, Meta(min_length=1, max_length=8000, description="The address.")]
    time: Annotated[str, Meta(pattern="^[0-9]{0,14}$", description="14 digits of a capture; empty = newest.")] = ""


class Weighted(msgspec.Struct, frozen=True):
    """A keyword; `share` is its weight beside that of the first."""

    term: str
    share: float


class Evidence(msgspec.Struct, frozen=True):
    """Why a page was judged as it was: what the judge noted when the page came."""

    language: str
    wanted: bool | None
    score: float | None
    evidence: str
    charset: str


class PageSeen(msgspec.Struct, frozen=True):
    """A page of the archive. `cut` says that only its beginning was read; `replay` is a link, or empty."""

    url: str
    host: str
    segment: str
    title: str
    language: str
    direction: str
    status: int
    mime: str
    size: int
    time: str
    captures: list[str]
    texts: list[str]
    keywords: list[Weighted]
    evidence: Evidence | None
    cut: bool
    record: str
    replay: str
    near: list[NearPage] = []
    """Other pages of the collection whose text is nearly the same."""


def see_page(collection: Collection, asked: AskedPage, replay_at: str = "") -> PageSeen:
    """The page as it was captured. Raises InputError for no address, NotFound when it is not in the archive."""
    # These bring models: not before they are needed.
    from phasa.overview.overview import direction_of, overview_of
    from phasa.overview.reading import read_content

    url, entries, entry = _find(collection, asked)
    try:
        stored = resolve(collection.archive_folder, read_entry(collection.archive_folder, entry))
    except ArchiveError as problem:
        raise NotFound(str(problem)) from None
    notes = read_notes(collection.archive_folder, entry)
    content = stored.content if stored.mime in PAGE_TYPES else b""
    title, texts, language, keywords = "", [], notes.get("language", ""), []
    if content:
        try:
            reading = read_content(content[:MOST_HTML], url, language=_known(language))
            texts, language, title = _within(list(reading.texts), MOST_TEXT), reading.language, reading.title
            keywords = _weighted(overview_of([replace(reading, texts=tuple(texts))]).lists[100])
        except InputError:
            pass  # no page of text: shown by its facts alone
    return PageSeen(
        url=url,
        host=host(url),
        segment=segment_key(url),
        title=title if title != url else "",
        language=language,
        direction=direction_of(language),
        status=stored.status,
        mime=stored.mime,
        size=len(stored.body),
        time=entry.timestamp,
        captures=[other.timestamp for other in entries[-MOST_CAPTURES:]][::-1],
        texts=texts,
        keywords=keywords,
        evidence=_evidence(notes),
        cut=len(content) > MOST_HTML or sum(map(len, texts)) >= MOST_TEXT,
        record=f"{entry.filename}:{entry.offset}",
        replay=f"{replay_at.rstrip('/')}/{entry.timestamp}/{url}" if replay_at else "",
    )


def warm_up(language: str) -> None:
    """Load the models that a page view needs, so that the first reader does not wait for them."""
    from phasa.overview.overview import overview_of
    from phasa.overview.reading import read_content

    with suppress(ParserCrashedError):  # the application ends, and its sandbox with it
        overview_of([read_content(_SAMPLE, "http://example.org/", language=language)])


def read_record(collection: Collection, asked: AskedPage) -> Response:
    """The record of a capture as it stands in its WARC file: a gzip member, itself a valid file."""
    _, _, entry = _find(collection, asked)
    folder = collection.archive_folder
    for path in (folder / entry.filename, folder / (entry.filename + ".open")):
        if exists(path):
            with opened(path) as file:
                content = file.pread(int(entry.length), entry.place)
            return attachment(content, f"{urlsplit(entry.url).hostname}-{entry.timestamp}.warc.gz", "application/warc")
    raise NotFound(f"{entry.filename}: the file is gone from the archive")


def _find(collection: Collection, asked: AskedPage) -> tuple[Url, list[Entry], Entry]:
    url = parse(asked.url)
    if url is None:
        raise InputError(f"{asked.url[:200]}: not an http or https address")
    entries = lookup(collection.archive_folder, url) if collection.archive_folder.is_dir() else []
    if not entries:
        raise NotFound(f"{url[:200]}: not in the archive; its story (Crawl page) says whether it was ever fetched")
    chosen = next((entry for entry in entries if entry.timestamp == asked.time), None) if asked.time else entries[-1]
    if chosen is None:
        raise NotFound(f"{url[:200]}: no capture of {asked.time}; the newest is of {entries[-1].timestamp}")
    return url, entries, chosen


def _known(language: str) -> str | None:
    return language if language and language != "und" else None


def _within(texts: list[str], most: int) -> list[str]:
    kept, size = [], 0
    for text in texts:
        kept.append(text[: most - size])
        size += len(kept[-1])
        if size >= most:
            break
    return kept


def _weighted(keywords: Sequence[Keyword]) -> list[Weighted]:
    heaviest = sorted(keywords, key=lambda keyword: -keyword.weight)[:MOST_KEYWORDS]
    most = heaviest[0].weight if heaviest else 0.0
    return [Weighted(keyword.term, keyword.weight / most if most else 0.0) for keyword in heaviest]


def _evidence(notes: dict[str, str]) -> Evidence | None:
    if not notes.get("language"):
        return None
    try:
        score = float(notes.get("score", ""))
    except ValueError:
        score = None
    wanted = {"yes": True, "no": False}.get(notes.get("wanted", ""))
    return Evidence(notes["language"], wanted, score, notes.get("evidence", ""), notes.get("charset", ""))
