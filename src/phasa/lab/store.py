"""The web graph on disk: an SQLite file with the tables `wgnode` and `wglinks` (language-specific-crawling §3.5)."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

from phasa.errors import InputError
from phasa.lab.graph import AddressList, Graph
from phasa.lab.homepages import is_homepages, read_homepages
from phasa.lab.phrases import Phrases

SCHEMA = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE wgnode (
    id INTEGER PRIMARY KEY, url TEXT NOT NULL, host TEXT, tld TEXT, repo_dir TEXT, repo_file TEXT,
    charset_meta TEXT, charset_detected TEXT, n_words INTEGER, n_known INTEGER, gamma REAL, label TEXT,
    bfs_depth INTEGER, trained INTEGER NOT NULL DEFAULT 0, status INTEGER NOT NULL DEFAULT 200, moved_to INTEGER,
    country TEXT, wanted INTEGER);
CREATE TABLE wglinks (
    src_id INTEGER NOT NULL, dst_id INTEGER, dst_url TEXT, anchor_text TEXT, anchor_gamma REAL, link_tag TEXT,
    hreflang TEXT);
"""
Row = tuple[object, ...]


def read_graph(path: Path, language: str) -> Graph:
    """The graph at a path, a stored one or a folder of labelled home pages, for crawls after a language.

    Raises InputError when there is none, or none of its pages is in the language.
    """
    if is_homepages(path):
        return read_homepages(path, language)
    if not path.is_file():
        raise InputError(f"{path}: no web graph: neither a file made by 'phasa lab graph' nor a folder of home pages")
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as store:
        try:
            return _read(store, path, language)
        except sqlite3.DatabaseError as problem:
            raise InputError(f"{path}: not a web graph: {problem}; make one with 'phasa lab graph'") from None


def write_graph(graph: Graph, path: Path, depth: np.ndarray[tuple[int], np.dtype[np.int64]] | None = None) -> None:
    """Store a graph. An existing file is replaced. Raises InputError when it cannot be written."""
    try:
        path.unlink(missing_ok=True)
        opened = sqlite3.connect(path)
    except (OSError, sqlite3.OperationalError) as problem:
        raise InputError(f"{path}: cannot be written: {problem}; name a file in a folder that exists") from None
    with closing(opened) as store, store:
        store.execute("PRAGMA journal_mode = OFF")
        store.execute("PRAGMA synchronous = OFF")
        store.executescript(SCHEMA)
        store.execute("INSERT INTO about VALUES ('target', ?)", (graph.target,))
        store.execute("INSERT INTO about VALUES ('threshold', ?)", (str(graph.threshold),))
        store.executemany(f"INSERT INTO wgnode VALUES ({','.join('?' * 18)})", _nodes(graph, depth))
        store.executemany("INSERT INTO wglinks VALUES (?,?,?,?,?,?,?)", _links(graph))
        store.execute("CREATE INDEX wglinks_src ON wglinks (src_id)")
        store.commit()


def _nodes(graph: Graph, depth: np.ndarray[tuple[int], np.dtype[np.int64]] | None) -> Iterator[Row]:
    for page in range(len(graph)):
        url = graph.url(page)
        host = urlsplit(url).hostname or ""
        charset = graph.charsets[int(graph.charset[page])]
        moved = int(graph.moved[page])
        yield (
            page, url, host, host.rpartition(".")[2], host.replace(".", "-"),
            hashlib.md5(url.encode(), usedforsecurity=False).hexdigest(), charset, charset, None, None,
            float(graph.similarity[page]), graph.languages[int(graph.language[page])],
            None if depth is None else int(depth[page]), int(graph.trained is not None and bool(graph.trained[page])),
            int(graph.status[page]), moved if moved >= 0 else None,
            "" if graph.country is None else graph.countries[int(graph.country[page])],
            None if graph.labels is None else int(graph.labels[page]),
        )  # fmt: skip


def _links(graph: Graph) -> Iterator[Row]:
    offsets, targets = graph.offsets.tolist(), graph.targets.tolist()
    similarity = None if graph.phrases is None else graph.phrases.similarity.tolist()
    numbers = None if graph.phrase is None else graph.phrase.tolist()
    names = ("", *graph.languages)
    for page in range(len(graph)):
        for link in range(offsets[page], offsets[page + 1]):
            anchor, gamma = "", 0.0
            if similarity is not None and numbers is not None and graph.phrases is not None:
                anchor, gamma = graph.phrases.texts[numbers[link]], similarity[numbers[link]]
            hint = "" if graph.hint is None else names[int(graph.hint[link])]
            yield page, targets[link], graph.url(targets[link]), anchor, gamma, "a", hint


def _read(store: sqlite3.Connection, path: Path, language: str) -> Graph:
    about = dict(store.execute("SELECT key, value FROM about"))
    if about.get("target", language) != language:
        raise InputError(f"{path}: the graph was made for '{about['target']}'; say --lang {about['target']}")
    rows = store.execute(
        "SELECT url, label, gamma, coalesce(charset_meta, charset_detected, ''), status, coalesce(moved_to, -1),"
        f" coalesce(country, ''), trained, {_wanted_column(store)} FROM wgnode ORDER BY id"
    ).fetchall()
    columns = zip(*rows, strict=True) if rows else ([],) * 9
    urls, labels, gamma, charsets, status, moved, country, trained, wanted = columns
    languages, language_of = np.unique(np.array([label or "und" for label in labels]), return_inverse=True)
    names, charset = np.unique(np.array(charsets, dtype=str), return_inverse=True)
    places, country_of = np.unique(np.array(country, dtype=str), return_inverse=True)
    links = store.execute(
        "SELECT src_id, dst_id, anchor_text, anchor_gamma, coalesce(hreflang, '') FROM wglinks"
        " WHERE dst_id IS NOT NULL ORDER BY src_id, rowid"
    ).fetchall()
    source, target, anchors, anchor_gamma, hints = zip(*links, strict=True) if links else ([],) * 5
    offsets = np.concatenate([[0], np.cumsum(np.bincount(np.array(source, np.int64), minlength=len(urls)))])
    texts: dict[str, int] = {}
    similarity: list[float] = []
    phrase = np.zeros(len(anchors), dtype=np.uint32)
    for number, (text, value) in enumerate(zip(anchors, anchor_gamma, strict=True)):
        if (known := texts.get(text)) is None:
            known = texts[text] = len(similarity)
            similarity.append(value or 0.0)
        phrase[number] = known
    codes = {code: number + 1 for number, code in enumerate(languages.tolist())}
    return Graph(
        target=language,
        addresses=AddressList(list(urls)),
        offsets=offsets.astype(np.int64),
        targets=np.array(target, dtype=np.int32),
        language=language_of.astype(np.uint8),
        languages=tuple(languages.tolist()),
        similarity=np.array([value or 0.0 for value in gamma], dtype=np.float32),
        status=np.array(status, dtype=np.uint16),
        moved=np.array(moved, dtype=np.int32),
        charset=charset.astype(np.uint8),
        charsets=tuple(names.tolist()),
        threshold=float(about.get("threshold", "0.1")),
        phrase=phrase,
        phrases=Phrases(tuple(texts), np.array(similarity), {}),
        hint=np.array([codes.get(hint, 0) for hint in hints], dtype=np.uint8),
        country=country_of.astype(np.uint8),
        countries=tuple(places.tolist()),
        trained=np.array(trained, dtype=bool) if any(trained) else None,
        labels=np.array(wanted, dtype=bool) if rows and None not in wanted else None,
    )


def _wanted_column(store: sqlite3.Connection) -> str:
    """The column of the judge's labels; graphs of before had none."""
    names = [row[1] for row in store.execute("PRAGMA table_info(wgnode)")]
    return "wanted" if "wanted" in names else "NULL"
