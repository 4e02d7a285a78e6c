"""From the settings of a collection to the parts of its crawl: strategy, judge, rules, archive and fetcher."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import cast

from phasa.archive.cdxj import merge
from phasa.archive.duplicates import NearDuplicates
from phasa.archive.warc import WarcWriter
from phasa.collection import Collection, CollectionSettings
from phasa.crawl.judge import Judge, LanguageJudge
from phasa.crawl.learn.knowledge import KnowledgeBase, read_knowledge
from phasa.crawl.run.recall import RecallArchive, RecallFetcher
from phasa.crawl.strategies import Circumstances, make_strategy
from phasa.crawl.strategy import Strategy
from phasa.crawl.target import target_of, traces_of
from phasa.crawl.topics.topic import TopicJudge, load_topic
from phasa.errors import SettingsError
from phasa.frontier.rules import Rules
from phasa.frontier.scope import Scope
from phasa.frontier.traps import Traps
from phasa.language.detectors import detector
from phasa.language.profile import Profile
from phasa.language.scripts import UNSPACED
from phasa.plugins import Kind, absolute, make_plugin
from phasa.sandbox import Bounds
from phasa.sandbox.pool import Pool
from phasa.web.fetch import user_agent


def strategy_of(collection: Collection, profile: Profile) -> Strategy:
    """The strategy that the settings name, with the knowledge base and what an earlier run learned, if any."""
    file = collection.models_folder / "knowledge.arff"
    knowledge: KnowledgeBase | None = read_knowledge(file) if file.is_file() else None
    settings = collection.settings
    around = Circumstances(
        target_of(profile), knowledge=knowledge, settings=settings.strategies, models=collection.models_folder
    )
    return make_strategy(absolute(settings.strategy, collection.path), around)


def judge_of(collection: Collection, profile: Profile) -> Judge:
    """Wanted is what is in the language and, when the settings name a topic, also about that."""
    settings = collection.settings
    known = detector(absolute(settings.detector, collection.path), profile)
    judge = LanguageJudge(known, profile.code, traces_of(profile), word_model=collection.word_model)
    chosen: Judge = (
        TopicJudge(load_topic(collection.models_folder / settings.topic), judge) if settings.topic else judge
    )
    if not settings.judge:
        return chosen
    mine = make_plugin(Kind.JUDGE, absolute(settings.judge, collection.path), [profile, chosen], ["judge"])
    if mine is None:
        raise SettingsError(f"setting 'judge': '{settings.judge}' is not a plug-in; write ./mine.py:Mine")
    return cast(Judge, mine)


def rules_of(settings: CollectionSettings, strategy: Strategy) -> Rules:
    """The rules of the frontier that the settings say."""
    scope, traps = Scope(settings.scope), Traps(settings.traps)
    return Rules(strategy.rediscovery, scope, traps, settings.budgets, settings.politeness)


def word_counter(profile: Profile) -> Callable[[str], int]:
    """A quick count of words: by spaces where the language has them, else an estimate of five letters a word."""
    if profile.segmenter == "spaced" and profile.scripts[0] not in UNSPACED:
        return lambda text: len(text.split())
    return lambda text: len(text) // 5


@contextmanager
def open_archive(collection: Collection, worker: int) -> Iterator[RecallArchive | None]:
    """Where the pages are kept, with its index complete at the end; None when the settings say that they are not."""
    settings = collection.settings
    if not settings.archive:
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
    return Pool(limits.parsers, bounds, ["phasa.web.body"])
