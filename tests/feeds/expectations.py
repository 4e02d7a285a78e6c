"""feedparser's own expectations of its test documents, clause by clause, asked of our reader.

    python -m tests.feeds.expectations DATA        counts for every folder, and what does not hold in the first two

A clause names what feedparser makes of a document (`entries[0]['title'] == 'x'`, `bozo`, `encoding == 'big5'`).
Encodings are equal when they read the document alike. What we do not keep (authors, places, tags) is not asked.
"""

from __future__ import annotations

import ast
import codecs
import html
import io
import re
import sys
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from phasa.feeds.parse import read_feed
from phasa.feeds.post import Feed

_EXPECT = re.compile(r"Expect:\s*(.*?)\s*(?:-->|\n)")
_HEADER = re.compile(r"Header:\s*Content-type:\s*([^\n]*)", re.IGNORECASE)
_MARKS = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_WIDE = ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be")
_POST = {"title": "title", "link": "link", "id": "id", "guid": "id", "description": "summary", "summary": "summary"}
_HEAD = {"title": "title", "link": "link", "language": "language"}


class NotKeptError(Exception):
    """The clause is about something that we do not keep."""


class Clause(NamedTuple):
    document: str
    said: str
    holds: bool | None  # None: about something that we do not keep


def clauses(archive: Path, folders: tuple[str, ...]) -> Iterator[Clause]:
    """What each document of these folders expects."""
    with tarfile.open(archive) as tar:
        for member in tar:
            if not member.isfile() or not member.name.startswith(folders):
                continue
            body = (tar.extractfile(member) or io.BytesIO()).read()
            text = _readable(body)
            expected = _EXPECT.search(text)
            if expected is None:
                continue
            header = _HEADER.search(text)
            feed = read_feed(body, header.group(1).strip() if header else None)
            tree = ast.parse(expected.group(1), mode="eval").body
            for clause in tree.values if isinstance(tree, ast.BoolOp) else [tree]:
                try:
                    holds: bool | None = bool(_truth(clause, feed, body))
                except (NotKeptError, ValueError):
                    holds = None
                yield Clause(member.name, ast.unparse(clause), holds)


def _readable(body: bytes) -> str:
    for mark, name in zip(_MARKS, _WIDE, strict=True):
        if body.startswith(mark):
            return body.decode(name, "replace")
    for name in _WIDE:
        if name.startswith("utf-32") == (body[:4].count(0) > 2) and "Expect" in (text := body.decode(name, "replace")):
            return text
    return body.decode("latin-1")


def _truth(clause: ast.expr, feed: Feed, body: bytes) -> object:
    if isinstance(clause, ast.UnaryOp) and isinstance(clause.op, ast.Not):
        return not _truth(clause.operand, feed, body)
    if isinstance(clause, ast.Compare) and isinstance(clause.ops[0], ast.Eq):
        left, right = clause.left, ast.literal_eval(clause.comparators[0])
        if isinstance(left, ast.Name) and left.id == "encoding":
            return _same(body, feed.charset, str(right))
        found = _value(left, feed)
        # Some are HTML inside: what counts is what a browser shows.
        return html.unescape(str(found)) == html.unescape(right) if isinstance(right, str) else found == right
    return _value(clause, feed)


def _value(node: ast.expr, feed: Feed) -> object:
    match node:
        case ast.Constant(value):
            return value
        case ast.Name("bozo"):
            return not feed.kind or bool(feed.faults)
        case ast.Call(ast.Name("ord"), [inner]):
            shown = html.unescape(str(_value(inner, feed)))
            return ord(shown) if len(shown) == 1 else None
        case ast.Call(ast.Name("len"), [ast.Name("entries")]):
            return len(feed.posts)
        case ast.Subscript(owner, ast.Constant(str(name))) | ast.Attribute(owner, name):
            match owner:
                case ast.Name("feed") if name in _HEAD:
                    return getattr(feed, _HEAD[name])
                case ast.Subscript(ast.Name("entries"), ast.Constant(int(place))) if name in _POST:
                    return getattr(feed.posts[place], _POST[name]) if place < len(feed.posts) else None
    raise NotKeptError


def _same(body: bytes, ours: str, theirs: str) -> bool:
    read = (body.decode(name, "replace").lstrip("\ufeff") for name in (ours, theirs))
    return next(read) == next(read)


def main() -> None:
    archive = Path(sys.argv[1]) / "feeds-xml" / "feedparser-tests.tar.xz"
    for folder in ("encoding/", "illformed/", "wellformed/", "entities/"):
        found = list(clauses(archive, (folder,)))
        count = Counter(clause.holds for clause in found)
        print(f"{folder:<12} {count[True]:>5} hold {count[False]:>4} fail {count[None]:>5} about what we do not keep")
        if folder in ("encoding/", "illformed/") or "--all" in sys.argv:
            for clause in found:
                if clause.holds is False:
                    print(f"    {clause.document}: {clause.said}")


if __name__ == "__main__":
    main()
