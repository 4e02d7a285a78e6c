"""`phasa learn`: the knowledge base of a collection, built from what its archive holds, and checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import merge
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from phasa.archive.reader import read_warc
from phasa.archive.shelf import warc_files
from phasa.collection import Collection
from phasa.crawl.answer import Answer, Kind
from phasa.crawl.judge import Judge, LanguageJudge
from phasa.crawl.learn.extraction import extract_knowledge
from phasa.crawl.learn.features import link_features, path_after
from phasa.crawl.learn.knowledge import KnowledgeBase, write_arff
from phasa.crawl.learn.validation import Confusion, cross_validate, weaknesses
from phasa.crawl.live import out_links
from phasa.crawl.strategy import JudgedPage, Seed
from phasa.crawl.target import Target, target_of, traces_of
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


class Check(NamedTuple):
    """How good the knowledge base was when it had so many rows (§8: measure it again and again while it is built)."""

    rows: int
    wanted: int
    accuracy: float
    f: float
    """Of the wanted class."""
    other_f: float


@dataclass(frozen=True)
class Lesson:
    """What was learned: the rows, the pages they came from, the cross-validation and what is weak about it."""

    base: KnowledgeBase
    trained: list[str]
    confusion: Confusion | None
    weak: list[str]
    checks: list[Check]
    """Its accuracy while it grew."""


def learn(collection: Collection, max_pages: int = 10_000, every: int = 1000) -> Lesson:
    """Build the knowledge base from the archive and write it to `models/`. Raises InputError when there is no page."""
    base, trained = knowledge_of(collection, max_pages)
    collection.models_folder.mkdir(exist_ok=True)
    replace_file(collection.models_folder / KNOWLEDGE, write_arff(base))
    replace_file(collection.models_folder / TRAINED, "".join(f"{url}\n" for url in trained))
    confusion = cross_validate(base, FOLDS) if len(base) >= FOLDS else None
    return Lesson(base, trained, confusion, weaknesses(base), checks_of(base, every))


def checks_of(base: KnowledgeBase, every: int) -> list[Check]:
    """The accuracy of a knowledge base after each `every` rows, in the order in which they came, and at its end."""
    marks = [*range(every, len(base), every), len(base)] if every else []
    found = []
    for rows in marks:
        if rows < FOLDS:
            continue
        so_far = KnowledgeBase(base.features[:rows], base.wanted[:rows], base.label)
        table = cross_validate(so_far, FOLDS)
        found.append(Check(rows, int(so_far.wanted.sum()), table.accuracy, table.wanted()[2], table.other()[2]))
    return found


def starting_urls(pages: Iterable[JudgedPage], target: Target) -> list[Seed]:
    """The links of an initial group of pages, as the starting URLs of a crawl with their feature values (§4.6): a1 is Γ
    of the page, a2 of the anchor, a4 ln 2 when the page is in the language. Of several pages the first counts."""
    group = list(pages)
    known = {page.url for page in group}
    found: dict[str, Seed] = {}
    for page in group:
        paths = np.full(len(page.links), float(path_after(page.judgement.wanted, 0)))
        for url, (parent, anchor, domain, distance) in zip(
            page.links.urls, link_features(page, paths, target).tolist(), strict=True
        ):
            if url not in known:
                found.setdefault(url, Seed(url, parent, anchor, domain, distance))
    return list(found.values())


def knowledge_of(collection: Collection, max_pages: int = 10_000) -> tuple[KnowledgeBase, list[str]]:
    """The knowledge base of an archive and the pages it is from. Raises InputError when there is no page."""
    profile = collection.profile
    judge = judge_by_gamma(collection)
    label = "".join(letter for letter in profile.name.lower() if letter.isalnum()) or "wanted"
    base, trained = extract_knowledge(
        recorded_pages(collection.archive_folder, judge, profile.code), target_of(profile), max_pages, label
    )
    if not len(base):
        raise InputError(
            f"{collection.archive_folder}: no page to learn from; crawl first: phasa crawl {collection.path}"
        )
    return base, trained


def judge_by_gamma(collection: Collection) -> LanguageJudge:
    """The judge of the collection's detector, with Γ as the score of every page."""
    profile = collection.profile
    known = detector(absolute(collection.settings.detector, collection.path), profile)
    return LanguageJudge(known, profile.code, traces_of(profile), one_scale=True)


def starts_of(collection: Collection, pages: int) -> list[Seed]:
    """Starting URLs from the first pages of a collection. Raises InputError when it has none."""
    judge = judge_by_gamma(collection)
    group = list(islice(recorded_pages(collection.archive_folder, judge, collection.profile.code), pages))
    if not group:
        raise InputError(f"{collection.archive_folder}: no page to start from; crawl: phasa crawl {collection.path}")
    return starting_urls(group, target_of(collection.profile))


def recorded_pages(folder: Path, judge: Judge, hint: str | None = None) -> Iterator[JudgedPage]:
    """Every HTML page of the WARC files in a folder once, judged again, with its links, in the order of the fetch."""
    seen: set[Url] = set()
    for stored in merge(*(read_warc(path) for path in warc_files(folder)), key=lambda stored: stored.time):
        url = parse(stored.url)
        if url is None or url in seen or stored.revisit or stored.status != 200 or "html" not in stored.mime:
            continue
        seen.add(url)
        page = try_page(stored.content, url, header=stored.content_type, hint=hint)
        if page is None:
            continue
        judgement = judge.judge(Answer(Kind.PAGE, page=page))
        yield JudgedPage(url, judgement, out_links(page), country=country_of(stored.address))
