"""From the settings of a collection to the parts of its crawl: strategy, judge, rules, archive and fetcher."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import msgspec

from phasa.archive.cdxj import merge
from phasa.archive.duplicates import NearDuplicates
from phasa.archive.warc import WarcWriter
from phasa.collection import Collection, CollectionSettings
from phasa.crawl.judge import Further, Judge, LanguageJudge
from phasa.crawl.learn.knowledge import KnowledgeBase, read_knowledge
from phasa.crawl.learn.lesson import KNOWLEDGE
from phasa.crawl.requisites import Requisites
from phasa.crawl.revisits import Revisits
from phasa.crawl.run.recall import RecallArchive, RecallFetcher
from phasa.crawl.segments.edges import EDGES
from phasa.crawl.segments.predictor import load_predictor
from phasa.crawl.strategies import Circumstances, make_strategy
from phasa.crawl.strategies.persian_weight import PersianWeight
from phasa.crawl.strategy import Strategy
from phasa.crawl.target import target_of, traces_of
from phasa.crawl.topics.thesaurus import read_thesaurus
from phasa.crawl.topics.topic import TopicJudge, find_topic
from phasa.crawl.wire.manager import HELD_BACK
from phasa.crawl.wire.scope import CycleScope
from phasa.errors import SettingsError
from phasa.frontier.protocol import Frontier
from phasa.frontier.rules import Rules
from phasa.frontier.scope import Scope
from phasa.frontier.traps import Traps
from phasa.language.detectors import Detector, detector
from phasa.language.detectors.persian import Mode, PersianCascade, read_stop_words
from phasa.language.profile import Profile
from phasa.language.scripts import UNSPACED
from phasa.plugins import Kind, absolute, make_plugin
from phasa.sandbox import Bounds
from phasa.sandbox.pool import Pool
from phasa.schedule.common_budget import CommonBudget
from phasa.strategy_settings import settings_for
from phasa.web.body import MODULES
from phasa.web.fetch import user_agent


def strategy_of(collection: Collection, profile: Profile) -> Strategy:
    """The strategy that the settings name, with the knowledge base and what an earlier run learned, if any."""
    settings = collection.settings
    knowledge = knowledge_of(collection)
    around = Circumstances(
        target_of(profile),
        knowledge=knowledge,
        settings=settings.strategies,
        models=collection.models_folder,
        edges=collection.reports_folder / EDGES if settings.topic else None,
        may_ask_names=not settings.server,
    )
    return make_strategy(absolute(settings.strategy, collection.path), around)


def seeder_of(collection: Collection, profile: Profile) -> PersianWeight:
    """The strategy of a crawl in cycles: `persian`, with what it finds held back for the manager. Raises SettingsError
    for another one."""
    spec = collection.settings.strategy
    if spec.partition(":")[0] not in ("persian", CollectionSettings().strategy):
        raise SettingsError(
            f"a crawl in cycles orders by the strategy 'persian', not '{spec}'; leave out one of the two"
        )
    named = spec if spec.startswith("persian") else "persian"
    around = Circumstances(target_of(profile), settings=collection.settings.strategies)
    made = make_strategy(named, around)
    assert isinstance(made, PersianWeight)
    made.hold_back(HELD_BACK)
    return made


def knowledge_of(collection: Collection) -> KnowledgeBase | None:
    """The knowledge base that the settings name; None when they name none and `phasa learn` wrote none. Raises
    SettingsError when the one they name is not there."""
    file = collection.models_folder / collection.settings.knowledge
    if file.is_file():
        return read_knowledge(file)
    if collection.settings.knowledge != KNOWLEDGE:
        raise SettingsError(f"setting 'knowledge': {file}: no such file; make one with: phasa learn DIR")
    return None


def thesaurus_of(collection: Collection) -> Further | None:
    """What looks at the words of pages in the language when the settings name a list of a topic; None otherwise."""
    settings = collection.settings
    if not settings.thesaurus:
        return None
    return read_thesaurus(collection.models_folder / settings.thesaurus, settings.thesaurus_words).look


_CASCADES = {"persian": Mode.COMBINED, "persian-meta": Mode.META, "persian-content": Mode.CONTENT}


def detector_of(collection: Collection, profile: Profile) -> Detector:
    """What finds the language of pages: the detector that the settings name, the Persian ones with `langid`."""
    settings = collection.settings
    if settings.detector not in _CASCADES:
        return detector(absolute(settings.detector, collection.path), profile)
    langid = settings.langid
    return PersianCascade(
        _CASCADES[settings.detector],
        langid.min_stopword_hits,
        read_stop_words(collection.path / langid.stopword_file) if langid.stopword_file else None,
        charsets=langid.charsets,
        ranges=langid.unicode_ranges,
        delimiters=langid.delimiters,
    )


BY_GAMMA = ("nb", "a1", "a2", "a3", "a4")
"""Strategies whose published form knows a page by Γ."""


def judge_of(collection: Collection, profile: Profile) -> Judge:
    """Wanted is what is in the language and, when the settings name a topic, also about that. How much a page is of it
    is Γ for strategies that are published so, and where a knowledge base takes part."""
    settings = collection.settings
    known = detector_of(collection, profile)
    judge = LanguageJudge(
        known,
        profile.code,
        traces_of(profile),
        thesaurus_of(collection),
        collection.word_model,
        one_scale=settings.strategy.partition(":")[0] in BY_GAMMA or knowledge_of(collection) is not None,
    )
    chosen: Judge = TopicJudge(find_topic(settings.topic, collection.models_folder), judge) if settings.topic else judge
    if not settings.judge:
        return chosen
    mine = make_plugin(Kind.JUDGE, absolute(settings.judge, collection.path), [profile, chosen], ["judge"])
    if mine is None:
        raise SettingsError(f"setting 'judge': '{settings.judge}' is not a plug-in; write ./mine.py:Mine")
    return cast(Judge, mine)


def unseen_file(collection: Collection) -> Path | None:
    """The file whose addresses the settings leave out: the one they name, for a `segment` crawl its predictor."""
    settings = collection.settings
    by_segment, segment = False, settings.strategies.segment
    if settings.strategy.partition(":")[0] == "segment":
        segment = settings_for(settings.strategies, settings.strategy).segment
        by_segment = not segment.trained
    name = settings.unseen or (segment.predictor if by_segment else "")
    return collection.models_folder / name if name else None


def seen_by_models(collection: Collection) -> Callable[[str], bool] | None:
    """What says whether an address is one that a model was learned from, which the settings leave out. None when
    nothing is left out. Raises InputError for a file that is no model and no list."""
    path = unseen_file(collection)
    if path is None:
        return None
    if path.suffix != ".txt":
        return load_predictor(path).was_trained_on
    try:
        return frozenset(path.read_text(encoding="utf-8").split()).__contains__
    except OSError as problem:
        raise SettingsError(f"setting 'unseen': {path}: {problem.strerror}") from None


def rules_of(collection: Collection, strategy: Strategy, *, in_cycles: bool = False) -> Rules:
    """The rules of the frontier that the settings say; of a crawl in cycles its domains and its cap on hosts, too."""
    settings = collection.settings
    scope, budgets = Scope(settings.scope, seen_by_models(collection)), settings.budgets
    if in_cycles:
        scope = CycleScope(settings.scope, settings.cycles.domains, seen_by_models(collection))
        if not budgets.pages_per_host:
            budgets = msgspec.structs.replace(budgets, pages_per_host=settings.cycles.pages_per_site)
    return Rules(strategy.rediscovery, scope, Traps(settings.traps), budgets, settings.politeness)


def revisits_of(collection: Collection, frontier: Frontier, now: float, workers: int) -> Revisits | None:
    """The revisits of one of so many workers; None when the settings say that a page is fetched once."""
    settings = collection.settings.fresh
    if not settings.requests_per_day:
        return None
    common = CommonBudget(collection.budget_file, "pages", settings.requests_per_day) if settings.with_feeds else None
    return Revisits(settings, frontier, now, 1 / workers, common)


def requisites_of(collection: Collection, frontier: Frontier, workers: int) -> Requisites | None:
    """The requisites of one of so many workers; None when pages are kept without them, or not at all."""
    settings = collection.settings.archive
    return Requisites(settings, frontier, workers) if settings.keep and settings.requisites else None


def word_counter(profile: Profile) -> Callable[[str], int]:
    """A quick count of words: by spaces where the language has them, else an estimate of five letters a word."""
    if profile.segmenter == "spaced" and profile.scripts[0] not in UNSPACED:
        return lambda text: len(text.split())
    return lambda text: len(text) // 5


@contextmanager
def open_archive(collection: Collection, worker: int) -> Iterator[RecallArchive | None]:
    """Where the pages are kept, with its index complete at the end; None when the settings say that they are not."""
    settings = collection.settings
    if not settings.archive.keep:
        yield None
        return
    writer = WarcWriter(
        collection.archive_folder,
        worker=worker,
        rotate_bytes=int(settings.warc_megabytes * 1e6),
        info=[
            ("robots", "obey" if settings.politeness.robots else "ignore"),
            ("http-header-user-agent", user_agent(settings.contact)),
        ],
    )
    try:
        yield RecallArchive(writer)
    finally:
        writer.close()
        merge(writer.folder)


@contextmanager
def open_duplicates(collection: Collection) -> Iterator[NearDuplicates | None]:
    """The near duplicates known so far; None when the settings say that nobody looks for them."""
    if collection.settings.near_duplicates == "off":
        yield None
        return
    duplicates = NearDuplicates(collection.duplicates_file)
    try:
        yield duplicates
    finally:
        duplicates.close()


def fetcher_of(collection: Collection) -> RecallFetcher:
    """Fetches under the limits of the settings, and asks servers for the language first."""
    settings = collection.settings
    return RecallFetcher(
        settings.limits,
        user_agent(settings.contact),
        allow_private=settings.allow_private,
        server=settings.server,
        ca_file=collection.ca_file,
        languages=f"{collection.profile.code},en;q=0.5,*;q=0.3",
        connections=settings.connections,
    )


def pool_of(settings: CollectionSettings) -> Pool:
    """The processes that read pages, under the limits of the settings."""
    limits = settings.limits
    bounds = Bounds(limits.parse_seconds, limits.parse_megabytes, limits.dear_seconds)
    return Pool(limits.parsers, bounds, MODULES)
