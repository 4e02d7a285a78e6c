"""`phasa learn`: the knowledge base of a collection, built from what its archive holds, and checked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import merge
from pathlib import Path

from phasa.archive.reader import read_warc
from phasa.collection import Collection
from phasa.crawl.answer import Answer, Kind
from phasa.crawl.judge import Judge, LanguageJudge
from phasa.crawl.learn.extraction import extract_knowledge
from phasa.crawl.learn.knowledge import KnowledgeBase, write_arff
from phasa.crawl.learn.validation import Confusion, cross_validate, weaknesses
from phasa.crawl.live import out_links
from phasa.crawl.strategy import JudgedPage
from phasa.crawl.target import target_of, traces_of
from phasa.errors import InputError
from phasa.files import replace_file
from phasa.language.detectors import detector
from phasa.plugins import absolute
from phasa.web.apart import try_page
from phasa.web.country import country_of
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
    base, trained = knowledge_of(collection, max_pages)
    collection.models_folder.mkdir(exist_ok=True)
    replace_file(collection.models_folder / KNOWLEDGE, write_arff(base))
    replace_file(collection.models_folder / TRAINED, "".join(f"{url}\n" for url in trained))
    return Lesson(base, trained, cross_validate(base, FOLDS) if len(base) >= FOLDS else None, weaknesses(base))


def knowledge_of(collection: Collection, max_pages: int = 10_000) -> tuple[KnowledgeBase, list[str]]:
    """The knowledge base of an archive and the pages it is from. Raises InputError when there is no page."""
    profile = collection.profile
    judge = LanguageJudge(
        detector(absolute(collection.settings.detector, collection.path), profile), profile.code, traces_of(profile)
    )
    label = "".join(letter for letter in profile.name.lower() if letter.isalnum()) or "wanted"
    base, trained = extract_knowledge(
        recorded_pages(collection.archive_folder, judge), target_of(profile), max_pages, label
    )
    if not len(base):
        raise InputError(
            f"{collection.archive_folder}: no page to learn from; crawl first: phasa crawl {collection.path}"
        )
    return base, trained


def recorded_pages(folder: Path, judge: Judge) -> Iterator[JudgedPage]:
    """Every HTML page of the WARC files in a folder once, judged again, with its links, in the order of the fetch."""
    files = sorted([*folder.glob("*.warc.gz"), *folder.glob("*.warc"), *folder.glob("*.warc.gz.open")])
    seen: set[Url] = set()
    for stored in merge(*(read_warc(path) for path in files), key=lambda stored: stored.time):
        url = parse(stored.url)
        if url is None or url in seen or stored.revisit or stored.status != 200 or "html" not in stored.mime:
            continue
        seen.add(url)
        page = try_page(stored.content, url, header=stored.content_type)
        if page is None:
            continue
        judgement = judge.judge(Answer(Kind.PAGE, page=page))
        yield JudgedPage(url, judgement, out_links(page), country=country_of(stored.address))
