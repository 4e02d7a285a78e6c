"""The full-text index of the collection: `service/search.db`, made from the archive, step by step, and made again when
it is gone. Thai is cut into words by our segmenter, as in the search of posts (phasa.feeds.search_words)."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
from xxhash import xxh64_hexdigest

from phasa.archive.capture import ArchiveError
from phasa.archive.notes import notes_at
from phasa.archive.reader import Stored, positions, resolve
from phasa.archive.shelf import size_of, warc_files
from phasa.archive.text import page_text
from phasa.errors import CollectionError
from phasa.feeds.search_words import query_of, words_of
from phasa.service.formatting import encode
from phasa.service.near_pages import NEAR_SCHEMA, NearPage, add_page, near_pages, remove_page
from phasa.web.http import PAGE_TYPES
from phasa.web.url import Url, host

FILE = "search.db"
VERSION = 2
MOST_TEXT = 20_000
LEAD = 240
RANKED = 20_000
"""Pages that match up to which the best come first; beyond, the newest."""
ENOUGH = 1000
"""Pages that have the last word as it was typed, from which on it is taken as whole."""
BEGUN = 3
"""Letters from which on a word may be the beginning of another one: shorter ones begin words of every page."""
_COMMIT_EVERY = 200
_SCHEMA = """
CREATE TABLE IF NOT EXISTS page (
  number INTEGER PRIMARY KEY, url TEXT UNIQUE NOT NULL, host TEXT NOT NULL, language TEXT NOT NULL, wanted INTEGER,
  title TEXT NOT NULL, lead TEXT NOT NULL, time TEXT NOT NULL, bytes INTEGER NOT NULL, line INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS page_host ON page (host, number);
CREATE INDEX IF NOT EXISTS page_language ON page (language, number);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
  title, body, facets, tokenize = "unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc'");
CREATE TABLE IF NOT EXISTS progress (file TEXT PRIMARY KEY, place INTEGER NOT NULL, size INTEGER NOT NULL);
"""


class Found(msgspec.Struct, frozen=True):
    """A page as a list shows it. `lead` is how its text begins."""

    url: str
    host: str
    language: str
    wanted: bool | None
    title: str
    lead: str
    time: str
    bytes: int


class Result(msgspec.Struct, frozen=True):
    """One page of what was found. `total` is counted up to `RANKED`; `ranked`: the best first, otherwise the newest.
    `days`: how many pages were captured on each day, oldest first, of those that are counted: the newest."""

    found: list[Found]
    total: int
    ranked: bool
    more: bool
    days: list[tuple[str, int]] = []
    whole: bool = True
    """Whether all that matches is counted."""


class LanguageSize(msgspec.Struct, frozen=True):
    """Pages in a language; `lines`: bytes as JSON lines; `repeats`: those that nearly repeat one that came before."""

    language: str
    pages: int
    lines: int
    repeats: int


class Filter(msgspec.Struct, frozen=True):
    """What must hold of a page besides its words; '' for anything. `month` is a beginning of a day: 2026-11."""

    host: str = ""
    language: str = ""
    month: str = ""
    wanted: bool = False


class SearchIndex:
    """The index of one collection. Raises CollectionError when the file cannot be opened."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self._path = path
        try:
            mode = f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rwc'}"
            self._db = sqlite3.connect(mode, uri=True, timeout=10.0)
            if not read_only:
                self._prepare()
        except sqlite3.Error as problem:
            raise CollectionError(f"{path}: {problem}; it may be deleted, it is made again") from None

    def _prepare(self) -> None:
        self._db.execute("PRAGMA journal_mode = WAL")
        if self._version() not in (0, VERSION):
            for name in ("page", "words", "progress", "band", "near"):
                self._db.execute(f"DROP TABLE IF EXISTS {name}")
        self._db.executescript(_SCHEMA + NEAR_SCHEMA)
        self._db.execute(f"PRAGMA user_version = {VERSION}")
        self._db.commit()

    def is_current(self) -> bool:
        """Whether it can be read and is of this version of phasa."""
        try:
            return self._version() == VERSION
        except sqlite3.DatabaseError:
            return False

    def _version(self) -> int:
        return int(self._db.execute("PRAGMA user_version").fetchone()[0])

    def close(self) -> None:
        self._db.close()

    def pages(self) -> int:
        """How many pages can be found."""
        return int(self._db.execute("SELECT count(*) FROM page").fetchone()[0])

    def behind(self, archive: Path) -> bool:
        """Whether the archive holds bytes that were not read yet."""
        sizes = dict(self._db.execute("SELECT file, size FROM progress"))
        return any(size_of(path) != sizes.get(_name(path)) for path in warc_files(archive))

    def update(self, archive: Path, tell: Callable[[int, int | None], None] = lambda done, of: None) -> int:
        """Read what has come into the archive since the last time; how many pages were put into the index."""
        files, added = warc_files(archive), 0
        total = sum(map(size_of, files))
        before = 0
        for path in files:
            size = size_of(path)
            row = self._db.execute("SELECT place FROM progress WHERE file = ?", (_name(path),)).fetchone()
            place = row[0] if row and row[0] <= size else 0
            if place < size:
                for number, (start, end, stored) in enumerate(positions(path, place), 1):
                    added += self._add(archive, path, start, stored)
                    place = end
                    if number % _COMMIT_EVERY == 0:
                        self._mark(path, place, 0)
                        tell(before + place, total)
                # A file that grows is read on from the last capture: what stands behind it may be half a record.
                self._mark(path, place if path.name.endswith(".open") else size, size)
            before += size
        tell(total, total)
        return added

    def _mark(self, path: Path, place: int, size: int) -> None:
        self._db.execute("INSERT OR REPLACE INTO progress VALUES (?, ?, ?)", (_name(path), place, size))
        self._db.commit()

    def _add(self, archive: Path, path: Path, start: int, stored: Stored) -> bool:
        if stored.status != 200 or not (stored.mime in PAGE_TYPES or stored.revisit):
            return False
        try:
            whole = resolve(archive, stored)
            text = page_text(whole.content, whole.url, whole.content_type) if whole.mime in PAGE_TYPES else None
        except ArchiveError:
            return False
        if text is None:
            return False
        notes = notes_at(path, start)
        wanted = {"yes": True, "no": False}.get(notes.get("wanted", ""))
        body = _clean(text.text[:MOST_TEXT])
        old = self._db.execute("SELECT number FROM page WHERE url = ?", (_clean(whole.url),)).fetchone()
        if old:  # a newer capture takes the place of the older one
            self._remove(old[0])
        found = Found(
            *(_clean(whole.url), _clean(host(Url(whole.url))), _clean(notes.get("language") or text.language), wanted),
            *(_clean(text.title[:500]), body[:LEAD], stored.time.isoformat(), len(whole.body)),
        )
        made = self._db.execute(
            "INSERT INTO page (url, host, language, wanted, title, lead, time, bytes, line)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*msgspec.structs.astuple(found), len(encode(text)) + len(found.time) + 1),
        )
        number, words = made.lastrowid or 0, words_of(body)
        add_page(self._db, number, words)
        self._db.execute(
            "INSERT INTO words (rowid, title, body, facets) VALUES (?, ?, ?, ?)",
            (number, words_of(found.title), words, facets_of(found)),
        )
        return True

    def _remove(self, number: int) -> None:
        row = self._db.execute("SELECT body FROM words WHERE rowid = ?", (number,)).fetchone()
        remove_page(self._db, number, row[0] if row else "")
        self._db.execute("DELETE FROM words WHERE rowid = ?", (number,))
        self._db.execute("DELETE FROM page WHERE number = ?", (number,))

    def sizes(self) -> list[LanguageSize]:
        """Pages by language, the most frequent first, with what their exports hold. Reads every page."""
        rows = self._db.execute(
            "SELECT language, count(*), sum(line),"
            " sum(EXISTS (SELECT 1 FROM near WHERE near.one = page.number AND near.other < page.number))"
            " FROM page GROUP BY language ORDER BY 2 DESC, 1"
        )
        return [LanguageSize(*row) for row in rows]

    def spread(self, language: str, most: int) -> list[str]:
        """Addresses of pages in a language, at most so many, evenly over the collection."""
        total = self._db.execute("SELECT count(*) FROM page WHERE language = ?", (language,)).fetchone()[0]
        step = max(1, -(-total // most))
        rows = self._db.execute(
            "SELECT url FROM (SELECT url, row_number() OVER (ORDER BY number) AS place FROM page WHERE language = ?)"
            " WHERE place % ? = 0",
            (language, step),
        )
        return [row[0] for row in rows]

    def pages_with(self, words: str, language: str) -> frozenset[int]:
        """The numbers of pages in a language that have all the words, of many the newest `RANKED`."""
        query = query_of(words).removesuffix("*")
        return (
            frozenset(number for number, _ in self._newest(_asking(query, Filter(language=language))))
            if query
            else frozenset()
        )

    def near(self, url: str) -> list[NearPage]:
        """Pages whose text is nearly that of this one, those most alike first."""
        return near_pages(self._db, _clean(url))

    def titles(self, urls: Sequence[str]) -> dict[str, str]:
        """The titles of those addresses that are known, where they have one."""
        marks = ", ".join("?" * len(urls))
        rows = self._db.execute(f"SELECT url, title FROM page WHERE url IN ({marks}) AND title <> ''", tuple(urls))
        return dict(rows.fetchall())

    def search(self, asked: str, where: Filter, page: int, most: int) -> Result:
        """Pages that hold all the words and for which the filter holds; `page` counts from 1."""
        query = query_of(asked)
        if asked.strip() and not query:
            return Result([], 0, True, False)
        asking = _asking(query.removesuffix("*"), where)
        whole_words = self._newest(asking)
        begun = self._begun(query, where, whole_words)
        matching = whole_words + begun
        whole, first = len(matching) <= RANKED, (page - 1) * most
        days = Counter(day for _, day in matching[:RANKED])
        ranked = bool(query) and whole
        if ranked:
            numbers = self._best(asking, most, first) if first < len(whole_words) else []
            rest = max(0, first - len(whole_words))
            numbers += [one for one, _ in begun[rest : rest + most - len(numbers)]]
        else:
            numbers = [one for one, _ in matching[first : first + most]]
        more = len(matching) > first + most
        return Result(self._found(numbers), min(len(matching), RANKED), ranked, more, sorted(days.items()), whole)

    def _begun(self, query: str, where: Filter, whole_words: list[tuple[int, str]]) -> list[tuple[int, str]]:
        """Number and day of pages that have the last word only as a beginning, the newest first. None where the word
        is short or frequent as it is: the index reads every page that any word with this beginning has."""
        last = query.rpartition(" AND ")[2]
        if not last.endswith("*") or len(last.strip('"*')) < BEGUN or len(whole_words) >= ENOUGH:
            return []
        asked = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)"
        if self._db.execute(asked, (_asking(last.removesuffix("*"), Filter()), ENOUGH)).fetchone()[0] >= ENOUGH:
            return []
        known = {number for number, _ in whole_words}
        return [one for one in self._newest(_asking(query, where)) if one[0] not in known]

    def _newest(self, asking: str) -> list[tuple[int, str]]:
        """Number and day of what matches, the newest first, at most one more than `RANKED`."""
        if not asking:
            question = "SELECT number, substr(time, 1, 10) FROM page ORDER BY number DESC LIMIT ?"
            return self._db.execute(question, (RANKED + 1,)).fetchall()
        return self._db.execute(
            "SELECT words.rowid, substr(page.time, 1, 10) FROM words JOIN page ON page.number = words.rowid"
            " WHERE words MATCH ? ORDER BY words.rowid DESC LIMIT ?",
            (asking, RANKED + 1),
        ).fetchall()

    def _best(self, asking: str, most: int, first: int) -> list[int]:
        rows = self._db.execute(
            "SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words, 8.0, 1.0, 0.0), rowid DESC"
            " LIMIT ? OFFSET ?",
            (asking, most, first),
        )
        return [row[0] for row in rows]

    def _found(self, numbers: Sequence[int]) -> list[Found]:
        marks = ", ".join("?" * len(numbers))
        rows = self._db.execute(
            f"SELECT number, url, host, language, wanted, title, lead, time, bytes FROM page WHERE number IN ({marks})",
            tuple(numbers),
        )
        found = {row[0]: _found(row[1:]) for row in rows}
        return [found[number] for number in numbers if number in found]


@contextmanager
def reading(path: Path) -> Iterator[SearchIndex | None]:
    """The index to be asked; None while there is none, and for one of an earlier version, which is made again."""
    if not path.is_file():
        yield None
        return
    index = SearchIndex(path, read_only=True)
    try:
        yield index if index.is_current() else None
    finally:
        index.close()


def _asking(query: str, where: Filter) -> str:
    """Words and filter as one question to the index: the columns of a million pages are too many to be read for it."""
    asked = [f"{{title body}} : ({query})"] if query else []
    return " AND ".join(asked + [f'facets : "{facet}"' for facet in _facets(where)])


def _facets(where: Filter) -> list[str]:
    facets = [_facet("h", where.host)] if where.host else []
    facets += [_facet("l", where.language)] if where.language else []
    facets += ["m" + where.month.replace("-", "")] if where.month else []
    return facets + ["wanted"] * where.wanted


def facets_of(found: Found) -> str:
    """What filters may ask of a page, as words of the index."""
    day = found.time[:10].replace("-", "")
    words = [_facet("h", found.host), _facet("l", found.language), f"m{day[:6]}", f"m{day}"]
    return " ".join(words + ["wanted"] * bool(found.wanted))


def _facet(kind: str, value: str) -> str:
    """One word for a value, whatever signs it is written with."""
    return kind + xxh64_hexdigest(value.encode())


def _found(row: tuple[str, str, str, int | None, str, str, str, int]) -> Found:
    url, name, language, wanted, title, lead, at, size = row
    return Found(url, name, language, None if wanted is None else bool(wanted), title, lead, at, size)


def _name(path: Path) -> str:
    return path.name.removesuffix(".open")


def _clean(text: str) -> str:
    """Without what no database takes."""
    return text.encode("utf-8", "replace").decode().replace("\0", "")
