"""`phasa learn`: the knowledge base of a collection, built from what its archive holds, and checked."""

from __future__ import annotations

from dataclasses import dataclass

from phasa.collection import Collection
from phasa.crawl.judging import LanguageJudge
from phasa.crawl.learn.extraction import extract_knowledge
from phasa.crawl.learn.knowledge import KnowledgeBase, write_arff
from phasa.crawl.learn.validation import Confusion, cross_validate, weaknesses
from phasa.crawl.recorded import recorded_pages
from phasa.crawl.target import target_of, traces_of
from phasa.errors import InputError
from phasa.language.detectors import detector
from phasa.language.profile import load_profile

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
    (collection.models_folder / KNOWLEDGE).write_text(write_arff(base), encoding="utf-8")
    (collection.models_folder / TRAINED).write_text("".join(f"{url}\n" for url in trained), encoding="utf-8")
    return Lesson(base, trained, cross_validate(base, FOLDS) if len(base) >= FOLDS else None, weaknesses(base))


def knowledge_of(collection: Collection, max_pages: int = 10_000) -> tuple[KnowledgeBase, list[str]]:
    """The knowledge base of an archive and the pages it is from. Raises InputError when there is no page."""
    profile = load_profile(collection.settings.language)
    judge = LanguageJudge(detector(collection.settings.detector, profile.code), profile.code, traces_of(profile))
    label = "".join(letter for letter in profile.name.lower() if letter.isalnum()) or "wanted"
    base, trained = extract_knowledge(
        recorded_pages(collection.archive_folder, judge), target_of(profile), max_pages, label
    )
    if not len(base):
        raise InputError(
            f"{collection.archive_folder}: no page to learn from; crawl first: phasa crawl {collection.path}"
        )
    return base, trained
