"""Pages whose authors gave them tags, for `bench/keywords.py` and `bench/training/keywords_model.py`.

Home pages with meta keywords (Thai, Persian); article pages of news sites with their publishers' own tags, at least
five elements; Thai news with the names in them, marked by hand.
"""

from __future__ import annotations

import gzip
import html
import json
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from phasa.errors import InputError
from phasa.overview.reading import Reading, read_content

ARTICLES = (
    "extract-fundus/fundus.tar.xz",
    "extract-newspaper/newspaper4k.tar.xz",
    "extract-newspaper/goose3.tar.xz",
    "extract-readability/test-pages.tar.xz",
    "extract-aeb/html.tar.xz",
    "extract-trafilatura/html.tar.xz",
)
LEAST_ELEMENTS = 5
FEWEST_TAGS, MOST_TAGS = 3, 30
_META = re.compile(rb"<meta[^>]+(?:article:tag|news_keywords|name=[\"']?keywords)[^>]*>", re.IGNORECASE)
_CONTENT = re.compile(r"content=([\"'])(.*?)\1", re.DOTALL)


class Tagged(NamedTuple):
    """A page, and the tags that its author gave it."""

    reading: Reading
    tags: list[str]


def home_pages(data: Path, language: str, extractor: str = "phasa") -> Iterator[Tagged]:
    rows = (data / "keywords-pages" / f"meta-keywords-{language}.jsonl").read_text(encoding="utf-8").splitlines()
    gold = {row["page"]: row["keywords"] for row in map(json.loads, rows)}
    with tarfile.open(data / "pages-homepages2018" / "pages.tar.xz") as bundle:
        for member in bundle:
            name = member.name.removeprefix("./")
            file = bundle.extractfile(member) if name in gold else None
            if file is None:
                continue
            try:
                yield Tagged(read_content(file.read(), name, method=extractor, language=language), gold[name])
            except InputError:
                continue


def articles(data: Path) -> Iterator[Tagged]:
    for archive in ARTICLES:
        with tarfile.open(data / archive) as bundle:
            for member in bundle:
                if not re.search(r"\.html(\.gz)?$", member.name) or "expected" in member.name:
                    continue
                file = bundle.extractfile(member)
                if file is None:
                    continue
                page = gzip.decompress(file.read()) if member.name.endswith(".gz") else file.read()
                tags = author_tags(page)
                if not FEWEST_TAGS <= len(tags) <= MOST_TAGS:
                    continue
                try:
                    reading = read_content(page, member.name)
                except InputError:
                    continue
                if len(reading.texts) >= LEAST_ELEMENTS:
                    yield Tagged(reading, tags)


def author_tags(page: bytes) -> list[str]:
    """The tags that a page's head declares, each once."""
    found: dict[str, None] = {}
    for meta in _META.findall(page):
        if content := _CONTENT.search(meta.decode("utf-8", "replace")):
            parts = re.split(r"[,;،]", html.unescape(content[2]))
            found |= dict.fromkeys(part.strip() for part in parts if part.strip())
    return list(found)


def news(data: Path, most: int) -> Iterator[Tagged]:
    with gzip.open(data / "thainest-news" / "news.jsonl.gz", "rt", encoding="utf-8") as lines:
        for number, row in enumerate(map(json.loads, lines)):
            if number >= most:
                return
            names = [name if isinstance(name, str) else name[0] for name in row["names"][:10]]
            texts = (row["title"], row["lead"], *row["body"].split("\n"))
            yield Tagged(Reading(row["id"], row["title"], texts, "th"), names)


def all_sets(data: Path, most_news: int) -> dict[str, Iterator[Tagged]]:
    """Every set by its name."""
    return {
        "th home pages": home_pages(data, "th"),
        "fa home pages": home_pages(data, "fa"),
        "articles": articles(data),
        "th news, names": news(data, most_news),
    }
