"""A web graph from what was crawled: any WARC files, or the archive of a collection."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import numpy as np

from phasa.archive.reader import Stored, read_archive, read_warc
from phasa.collection import Collection
from phasa.crawl.answer import Answer, Kind
from phasa.crawl.judge import Judge, LanguageJudge
from phasa.crawl.live import out_links
from phasa.crawl.run.assembly import judge_of
from phasa.crawl.target import gammas_of, traces_of
from phasa.errors import InputError
from phasa.lab.graph import OK, AddressList, Graph
from phasa.lab.phrases import Phrases
from phasa.language.detectors import detector
from phasa.language.profile import load_profile
from phasa.web.apart import try_page
from phasa.web.html import PAGE_TAGS
from phasa.web.http import PAGE_TYPES
from phasa.web.url import join, parse

log = logging.getLogger(__name__)


def captures_of(paths: Iterable[Path]) -> Iterator[Stored]:
    """The captures of WARC files, of folders of them and of collections. Raises InputError for anything else."""
    return chain.from_iterable(_captures(path) for path in paths)


def _captures(path: Path) -> Iterator[Stored]:
    if path.is_file():
        return read_warc(path)
    folder = path / "archive" if (path / "archive").is_dir() else path
    if not folder.is_dir():
        raise InputError(f"{path}: no WARC file, no folder of them and no collection")
    return read_archive(folder)


def judge_for(paths: Sequence[Path], language: str) -> Judge:
    """The judge of the crawl that these captures are of: that of the collection, when all of them are of one, else the
    one that a new collection of the language would have."""
    folders = {path.resolve() if path.is_dir() else path.resolve().parent for path in paths}
    homes = {folder.parent if folder.name == Collection.ARCHIVE else folder for folder in folders}
    if len(homes) == 1 and ((home := homes.pop()) / Collection.SETTINGS).is_file():
        collection = Collection.open(home)
        if collection.profile.code == language:
            return judge_of(collection, collection.profile)
    return new_judge(language)


def new_judge(language: str, *, one_scale: bool = False) -> Judge:
    """The judge that a new collection of the language would have."""
    profile = load_profile(language)
    return LanguageJudge(detector("auto", profile), profile.code, traces_of(profile), one_scale=one_scale)


def graph_from(captures: Iterable[Stored], language: str, judge: Judge | None = None) -> Graph:
    """The graph of captured pages for crawls after a language, with their links to one another: labelled by the judge,
    Γ by the dictionary of the language.

    A page captured twice counts once, as it was first. Links to pages that were not captured are left out. Raises
    InputError when there is no page.
    """
    columns = _Columns(language, judge or judge_for([], language))
    for number, stored in enumerate(captures, 1):
        columns.add(stored)
        if number % 10_000 == 0:
            log.info("%d captures read, %d pages", number, len(columns.urls))
    if not columns.urls:
        raise InputError("no HTML page among the captures; nothing to make a graph from")
    return columns.graph()


class _Columns:
    """The columns of a graph as they grow."""

    def __init__(self, language: str, judge: Judge) -> None:
        profile = load_profile(language)
        self.language = language
        self.threshold = profile.threshold
        self._gammas = gammas_of(profile)
        self._gamma = traces_of(profile)
        self._judge = judge
        self._wanted: list[bool] = []
        self.urls: list[str] = []
        self._known: set[str] = set()
        self._labels: list[str] = []
        self._similarity: list[float] = []
        self._charsets: list[str] = []
        self._moved: list[str] = []
        self._links: list[tuple[list[str], list[int]]] = []
        self._anchors: dict[str, int] = {"": 0}

    def add(self, stored: Stored) -> None:
        """Take in a capture that is a page or a redirect."""
        url = parse(stored.url)
        if url is None or url in self._known:
            return
        location = next((value for name, value in stored.headers if name.lower() == "location"), "")
        moved = join(url, location) if 300 <= stored.status < 400 and location else None
        if moved is None and (not 200 <= stored.status < 300 or stored.mime not in PAGE_TYPES or stored.revisit):
            return
        self._known.add(url)
        self.urls.append(url)
        self._moved.append(moved or "")
        if moved is not None:
            self._row("und", 0.0, "", [], [])
            return
        page = try_page(stored.content, url, header=stored.content_type, hint=self.language, tags=PAGE_TAGS)
        if page is None:
            self._row("und", 0.0, "", [], [])
            return
        judgement = self._judge.judge(Answer(Kind.PAGE, page=page))
        links = out_links(page)
        numbers = [self._anchors.setdefault(anchor, len(self._anchors)) for anchor in links.anchors]
        self._row(judgement.language, self._gamma(page.text), page.charset, list(links.urls), numbers, judgement.wanted)

    def _row(
        self,
        label: str,
        similarity: float,
        charset: str,
        targets: list[str],
        anchors: list[int],
        wanted: bool = False,
    ) -> None:
        self._wanted.append(wanted)
        self._labels.append(label)
        self._similarity.append(similarity)
        self._charsets.append(charset)
        self._links.append((targets, anchors))

    def graph(self) -> Graph:
        """The columns as a graph."""
        number = {url: place for place, url in enumerate(self.urls)}
        rows = [
            [(number[url], anchor) for url, anchor in zip(targets, anchors, strict=True) if url in number]
            for targets, anchors in self._links
        ]
        languages, language_of = np.unique(self._labels, return_inverse=True)
        charsets, charset_of = np.unique(self._charsets, return_inverse=True)
        flat = [link for row in rows for link in row]
        moved = [number.get(goal, -1) for goal in self._moved]
        status = [301 if goal else OK for goal in self._moved]
        texts = tuple(self._anchors)
        return Graph(
            target=self.language,
            addresses=AddressList(self.urls),
            offsets=np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64),
            targets=np.array([target for target, _ in flat], dtype=np.int32),
            language=language_of.astype(np.uint8),
            languages=tuple(languages.tolist()),
            similarity=np.array(self._similarity, dtype=np.float32),
            status=np.array(status, dtype=np.uint16),
            moved=np.array(moved, dtype=np.int32),
            charset=charset_of.astype(np.uint8),
            charsets=tuple(charsets.tolist()),
            threshold=self.threshold,
            phrase=np.array([anchor for _, anchor in flat], dtype=np.uint32),
            phrases=Phrases(texts, np.array(self._gammas(texts)), {}),
            labels=np.array(self._wanted, dtype=bool),
        )
