"""From a collection to a crawl: the five nouns made from its settings, run, and put away in good order."""

from __future__ import annotations

import asyncio
import gc
import shutil
import signal
import sqlite3
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple

import uvloop

from phasa.archive.cdxj import merge
from phasa.archive.duplicates import NearDuplicates
from phasa.archive.warc import WarcWriter
from phasa.collection import Collection, CollectionSettings
from phasa.crawl.clock import WallClock
from phasa.crawl.judge import Judge, LanguageJudge
from phasa.crawl.learn.knowledge import KnowledgeBase, read_knowledge
from phasa.crawl.live import LiveWeb
from phasa.crawl.loop import Crawl, Outcome
from phasa.crawl.meter import Metrics, write_metrics
from phasa.crawl.record import WarcArchive
from phasa.crawl.run.control import Control, plant_fresh
from phasa.crawl.run.crawl_log import CrawlLog
from phasa.crawl.run.live_status import StatusWriter
from phasa.crawl.run.reports import write_reports
from phasa.crawl.seeds import SeedFile, read_seeds
from phasa.crawl.settle import Parts
from phasa.crawl.strategies import Circumstances, make_strategy
from phasa.crawl.strategy import Strategy
from phasa.crawl.target import target_of, traces_of
from phasa.crawl.topics.topic import TopicJudge, load_topic
from phasa.errors import CollectionError, InputError
from phasa.frontier.protocol import State, Stats
from phasa.frontier.rules import Rules
from phasa.frontier.scope import Scope
from phasa.frontier.sqlite import ALONE, Share, SqliteFrontier
from phasa.frontier.traps import Traps
from phasa.language.detect import detector
from phasa.language.profile import Profile, load_profile
from phasa.web.fetch import Fetcher, user_agent
from phasa.web.url import Url

STATE_EVERY = 30.0
METRICS_EVERY = 2.0


class Result(NamedTuple):
    """How one run of a collection went. `failures` are the seeds that gave no page, with the reasons."""

    outcome: Outcome
    metrics: Metrics
    stats: Stats
    seeds: SeedFile
    failures: list[tuple[str, str]]
    errors: list[str]


Watch = Callable[[Metrics], None]


def strategy_of(collection: Collection, profile: Profile) -> Strategy:
    """The strategy that the settings name, with the knowledge base and what an earlier run learned, if any."""
    file = collection.models_folder / "knowledge.arff"
    knowledge: KnowledgeBase | None = read_knowledge(file) if file.is_file() else None
    settings = collection.settings
    around = Circumstances(
        target_of(profile), knowledge=knowledge, settings=settings.strategies, models=collection.models_folder
    )
    return make_strategy(settings.strategy, around)


def judge_of(collection: Collection, profile: Profile) -> Judge:
    """Wanted is what is in the language and, when the settings name a topic, also about that."""
    settings = collection.settings
    judge = LanguageJudge(detector(settings.detector, profile.code), profile.code, traces_of(profile))
    if not settings.topic:
        return judge
    return TopicJudge(load_topic(collection.models_folder / settings.topic), judge)


def rules_of(settings: CollectionSettings, strategy: Strategy) -> Rules:
    """The rules of the frontier that the settings say."""
    scope, traps = Scope(settings.scope), Traps(settings.traps)
    return Rules(strategy.rediscovery, scope, traps, settings.budgets, settings.politeness)


def word_counter(profile: Profile) -> Callable[[str], int]:
    """A quick count of words: by spaces where the language has them, else an estimate of five letters a word."""
    if profile.segmenter == "spaced":
        return lambda text: len(text.split())
    return lambda text: len(text) // 5


def crawl_collection(
    collection: Collection,
    watch: Watch | None = None,
    share: Share = ALONE,
    has_more_work: Callable[[], bool] = lambda: False,
) -> Result:
    """Run or resume the crawl of a collection; the caller holds its lock. Raises PhasaError for what cannot be done.

    `share` and `may_get_work` are for one of several workers: its part of the hosts, and whether others may still
    send it something.
    """
    # A crawl makes many values and few cycles: the collector need not look through them all the time.
    before = gc.get_threshold()
    gc.set_threshold(100_000, 50, 100)
    try:
        return uvloop.run(_crawl(collection, watch, share, has_more_work))
    except sqlite3.OperationalError as problem:
        raise CollectionError(
            f"{collection.frontier_file}: {problem}; make room and run the same command again"
        ) from None
    finally:
        gc.set_threshold(*before)


async def _crawl(
    collection: Collection, watch: Watch | None, share: Share, has_more_work: Callable[[], bool]
) -> Result:
    settings = collection.settings
    profile = load_profile(settings.language)
    strategy = strategy_of(collection, profile)
    judge = judge_of(collection, profile)
    state = StateFile(collection, strategy, share)
    seeds = read_seeds(collection.path / collection.SEEDS)
    collection.reports_folder.mkdir(exist_ok=True)
    with ExitStack() as stack:
        archive = None
        if settings.archive:
            writer = WarcWriter(
                collection.archive_folder,
                worker=share.worker,
                rotate_bytes=int(settings.warc_megabytes * 1e6),
                info=_info(settings),
            )
            archive = WarcArchive(writer)
            stack.callback(_close_archive, writer)
        duplicates = None
        if settings.near_duplicates != "off":
            duplicates = NearDuplicates(collection.duplicates_file)
            stack.callback(duplicates.close)
        log = CrawlLog(collection.log_file)
        stack.callback(log.close)
        frontier = SqliteFrontier(
            collection.frontier_file,
            rules_of(settings, strategy),
            share=share,
            before_commit=archive.sync if archive is not None else lambda: None,
        )
        stack.callback(frontier.close)
        state.load()
        if share.worker == 0:
            plant_fresh(frontier, strategy, seeds.seeds)
        fetcher = Fetcher(
            settings.limits,
            user_agent(settings.contact),
            allow_private=settings.allow_private,
            server=settings.server,
            languages=f"{profile.code},en;q=0.5,*;q=0.3",
            connections=settings.connections,
        )
        async with fetcher:
            agent = "phasa" if settings.politeness.robots else ""
            web = LiveWeb(fetcher, settings.limits, agent=agent, language=profile.code, scope=settings.scope)
            clock = WallClock()
            watcher = _Watcher(collection, state, log, watch, clock, share)
            crawl = Crawl(
                Parts(web, judge, strategy, frontier, clock, archive, log, duplicates),
                manners=settings.politeness,
                budgets=settings.budgets,
                slots=settings.connections,
                choosy=settings.choosy,
                skip_duplicates=settings.near_duplicates == "skip",
                words=word_counter(profile),
                watch=watcher.look,
                has_more_work=has_more_work,
            )
            with _stopping_on_signals(crawl):
                outcome = await crawl.run()
        state.save()
        stats = frontier.stats()
        metrics = crawl.meter.read(clock.now(), stats)
        watcher.close(crawl, metrics, outcome.why)
        if share.worker == 0:
            write_metrics(metrics, collection.reports_folder)
            write_reports(frontier, collection.reports_folder)
        failures = _failed_seeds(frontier, seeds) if share.worker == 0 else []
        return Result(outcome, metrics, stats, seeds, failures, crawl.errors)


def _info(settings: CollectionSettings) -> list[tuple[str, str]]:
    info = [("robots", "obey" if settings.politeness.robots else "ignore"), ("http-header-user-agent", "")]
    return [(key, value or user_agent(settings.contact)) for key, value in info]


def _failed_seeds(frontier: SqliteFrontier, seeds: SeedFile) -> list[tuple[str, str]]:
    failures = []
    for seed in seeds.seeds[:1000]:
        story = frontier.story(Url(seed.url))
        if story is not None and story.state is not State.DONE:
            waiting = "not tried yet" if not story.attempts else story.reason or "to be tried again"
            failures.append((seed.url, story.reason if story.state is not State.WAITING else waiting))
    return failures


def _close_archive(writer: WarcWriter) -> None:
    writer.close()
    merge(writer.folder)


class StateFile:
    """What a strategy learned, kept between runs; without it a crawl goes on, only less wisely."""

    def __init__(self, collection: Collection, strategy: Strategy, share: Share) -> None:
        name = "".join(letter if letter.isalnum() else "-" for letter in strategy.name)
        self._path = collection.models_folder / f"{name}-{share.worker:02d}.state"
        self._strategy = strategy

    def load(self) -> None:
        if self._path.is_file():
            with suppress(InputError):
                self._strategy.load(self._path.read_bytes())

    def save(self) -> None:
        if state := self._strategy.save():
            self._path.parent.mkdir(exist_ok=True)
            beside = self._path.with_suffix(".new")
            beside.write_bytes(state)
            beside.replace(self._path)


class _Watcher:
    """What is done every now and then while a crawl runs."""

    def __init__(
        self,
        collection: Collection,
        state: StateFile,
        log: CrawlLog,
        watch: Watch | None,
        clock: WallClock,
        share: Share,
    ) -> None:
        self._writes = share.workers == 1
        self._control = Control(collection, clock.now(), plants=share.worker == 0)
        self._teller = StatusWriter(collection, share.worker, share.workers)
        self._collection = collection
        self._state = state
        self._log = log
        self._watch = watch
        self._clock = clock
        self._next_metrics = 0.0
        self._next_state = clock.now() + STATE_EVERY

    def look(self, crawl: Crawl) -> str:
        """Show, write down, and say why the crawl should end, if it should."""
        now = self._clock.now()
        self._control.obey(crawl, now)
        metrics = crawl.meter.read(now, crawl.parts.frontier.stats())
        self._teller.tell(crawl, metrics)
        if self._watch is not None:
            self._watch(metrics)
        if now >= self._next_state:
            self._next_state = now + STATE_EVERY
            self._state.save()
        if now < self._next_metrics:
            return ""
        self._next_metrics = now + METRICS_EVERY
        self._log.flush()
        if self._writes:
            write_metrics(metrics, self._collection.reports_folder)
        return self._disk()

    def close(self, crawl: Crawl, metrics: Metrics, why: str) -> None:
        """The last word of the run."""
        self._teller.tell(crawl, metrics, why)

    def _disk(self) -> str:
        least = self._collection.settings.budgets.free_disk_megabytes
        free = free_megabytes(self._collection.path)
        if least and free < least:
            return f"only {free:,.0f} MB of disk are free, less than free_disk_megabytes = {least:,.0f}"
        return ""


def free_megabytes(path: Path) -> float:
    """Free space of the disk that a folder is on."""
    return shutil.disk_usage(path).free / 1e6


class _stopping_on_signals:  # noqa: N801 - reads as a statement
    """Ctrl-C and SIGTERM end the crawl in good order; a second one ends it at once."""

    def __init__(self, crawl: Crawl) -> None:
        self._crawl = crawl
        self._told = False
        self._task = asyncio.current_task()

    def __enter__(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            with suppress(ValueError, NotImplementedError, RuntimeError):  # not in the main thread
                loop.add_signal_handler(number, self._stop)

    def __exit__(self, *_: object) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            with suppress(ValueError, NotImplementedError, RuntimeError):
                loop.remove_signal_handler(number)

    def _stop(self) -> None:
        if self._told and self._task is not None:
            self._task.cancel()
        self._told = True
        self._crawl.stop("stopped by you; go on with the same command")
