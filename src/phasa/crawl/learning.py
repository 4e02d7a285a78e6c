"""`phasa learn`: the knowledge base of a collection, built from what its archive holds, and checked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import merge
from pathlib import Path

from phasa.archive.reader import Stored, read_warc
from phasa.collection import Collection
from phasa.crawl.answer import Answer, Kind
from phasa.crawl.assembly import aim_of
from phasa.crawl.extraction import extract_knowledge
from phasa.crawl.judging import LanguageJudge
from phasa.crawl.knowledge import KnowledgeBase, write_arff
from phasa.crawl.live import out_links
from phasa.crawl.strategy import JudgedPage
from phasa.crawl.validation import Confusion, cross_validate, weaknesses
from phasa.errors import InputError
from phasa.language.detect import detector
from phasa.language.profile import load_profile
from phasa.web.html import read_page
from phasa.web.url import Url, parse

KNOWLEDGE = "knowledge.arff"
TRAINED = "trained.txt"
FOLDS = 10


@dataclass(frozen=True)
class Lesson:
    """What was learned: the rows, the pages they came from, the cross-validation and what is weak about it."""

    base: KnowledgeBase
    trained: list[str]
    confusion: Confusion | None
    weak: list[str]


def learn(collection: Collection, max_pages: int = 10_000) -> Lesson:
    """Build the knowledge base from the archive and write it to `models/`. Raises InputError when there is no page."""
    profile = load_profile(collection.settings.language)
    judge = LanguageJudge(detector(collection.settings.detector, profile.code), profile.code)
    label = "".join(letter for letter in profile.name.lower() if letter.isalnum()) or "wanted"
    base, trained = extract_knowledge(
        _judged(_in_order(collection.archive_folder), judge), aim_of(profile), max_pages, label
    )
    if not len(base):
        raise InputError(
            f"{collection.archive_folder}: no page to learn from; crawl first: phasa crawl {collection.path}"
        )
    collection.models_folder.mkdir(exist_ok=True)
    (collection.models_folder / KNOWLEDGE).write_text(write_arff(base), encoding="utf-8")
    (collection.models_folder / TRAINED).write_text("".join(f"{url}\n" for url in trained), encoding="utf-8")
    return Lesson(base, trained, cross_validate(base, FOLDS) if len(base) >= FOLDS else None, weaknesses(base))


def _in_order(folder: Path) -> Iterator[Stored]:
    """All captures in the order of their fetch; every file is in order already, whichever worker wrote it."""
    files = sorted([*folder.glob("*.warc.gz"), *folder.glob("*.warc"), *folder.glob("*.warc.gz.open")])
    return merge(*(read_warc(path) for path in files), key=lambda stored: stored.time)


def _judged(captures: Iterator[Stored], judge: LanguageJudge) -> Iterator[JudgedPage]:
    """The HTML pages among the captures, each URL once."""
    seen: set[Url] = set()
    for stored in captures:
        url = parse(stored.url)
        if url is None or url in seen or stored.revisit or stored.status != 200 or "html" not in stored.mime:
            continue
        seen.add(url)
        page = read_page(stored.content, url, header=stored.content_type)
        judgement = judge.judge(Answer(Kind.PAGE, page=page))
        yield JudgedPage(url, judgement, out_links(page))
