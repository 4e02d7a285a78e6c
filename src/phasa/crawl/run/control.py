"""Control of a running crawl from another process: pause, resume, stop, other budgets, more seeds.

Orders are kept in the collection (control.json); the crawl looks once a second and obeys. They stay until they are
changed: a crawl that was paused or slowed down is so after a restart, too. Seeds are added to seeds.txt, where a person
would add them; a running crawl plants what is new there. So it is with a sample (`estimate`): it is fetched next.
"""

from __future__ import annotations

import fcntl
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

from phasa.collection import Collection, CollectionSettings
from phasa.crawl.loop import Crawl
from phasa.crawl.run.estimate import SAMPLE, Sampling
from phasa.crawl.seeds import plant, read_seeds
from phasa.crawl.strategy import Seed, Strategy
from phasa.errors import CollectionError, InputError, PhasaError
from phasa.files import replace_file
from phasa.frontier.budgets import Budgets
from phasa.frontier.politeness import Politeness
from phasa.frontier.protocol import Frontier
from phasa.web.url import Url, parse

FILE = "control.json"
LOOK_EVERY = 1.0
MOST_SEEDS = 10_000

_logger = logging.getLogger(__name__)

_Amount = Annotated[float, Meta(ge=0, le=1e12)]


class Orders(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the crawl was told. A budget that is None is as the settings say; 0 means no limit."""

    paused: bool = False
    stop: float | None = None
    """Runs that began before this moment end; later ones do not mind."""
    pages: Annotated[int, Meta(ge=0, le=10**12)] | None = None
    """Pages in all, over every run."""
    seconds: _Amount | None = None
    """Time of one run; a pause counts."""
    megabytes: _Amount | None = None
    """Body megabytes of one run."""
    delay: Annotated[float, Meta(ge=0, le=86_400)] | None = None
    """Seconds between two requests to one host; what a server asks for (Crawl-delay) is obeyed all the same."""

    def budgets(self, settings: CollectionSettings) -> Budgets:
        """The budgets of the settings with those ordered in their place."""
        given = {name: getattr(self, name) for name in ("pages", "seconds", "megabytes")}
        return msgspec.structs.replace(settings.budgets, **{k: v for k, v in given.items() if v is not None})

    def manners(self, settings: CollectionSettings) -> Politeness:
        """The manners of the settings with the delay ordered."""
        if self.delay is None:
            return settings.politeness
        return msgspec.structs.replace(settings.politeness, delay=self.delay)


def read_orders(collection: Collection) -> Orders:
    """The orders that stand. Raises CollectionError when the file is not what it should be."""
    path = collection.path / FILE
    try:
        return msgspec.json.decode(path.read_bytes(), type=Orders)
    except FileNotFoundError:
        return Orders()
    except (OSError, msgspec.DecodeError) as problem:
        raise CollectionError(f"{path}: not the orders of a crawl ({problem}); remove the file") from None


def give_orders(collection: Collection, **changes: object) -> Orders:
    """Change some orders and leave the others; the orders that stand then. Raises InputError for a value that cannot
    be (a negative limit)."""
    with _one_at_a_time(collection):
        values = msgspec.structs.asdict(read_orders(collection)) | changes
        try:
            orders = msgspec.convert(values, Orders)
        except msgspec.ValidationError as problem:
            raise InputError(f"order: {problem}") from None
        replace_file(collection.path / FILE, msgspec.json.encode(orders) + b"\n")
    _logger.info("%s: ordered %s", collection.path, changes)
    return orders


class Added(NamedTuple):
    """What became of addresses that somebody gave: written down, there already, and no addresses at all."""

    added: list[str]
    known: list[str]
    junk: list[str]


def add_seeds(collection: Collection, lines: Sequence[str]) -> Added:
    """Append addresses to seeds.txt; a running crawl plants them within seconds, the next run otherwise. Raises
    InputError when there are too many at once."""
    if len(lines) > MOST_SEEDS:
        raise InputError(f"{len(lines):,} seeds at once, at most {MOST_SEEDS:,}: put them into seeds.txt yourself")
    path = collection.path / collection.SEEDS
    result = Added([], [], [])
    with _one_at_a_time(collection):
        there = {seed.url for seed in read_seeds(path).seeds} if path.exists() else set()
        for line in lines:
            text = line.strip()
            if not text or text.startswith("#"):
                continue
            url = parse(text) or (parse(f"http://{text}") if "." in text and ":" not in text else None)
            if url is None or any(letter.isspace() for letter in url):
                result.junk.append(text[:200])
            elif url in there:
                result.known.append(url)
            else:
                there.add(url)
                result.added.append(url)
        if result.added:
            _append(path, result.added)
    return result


def plant_fresh(frontier: Frontier, strategy: Strategy, seeds: Sequence[Seed]) -> int:
    """Offer the seeds that were never offered before; how many."""
    states = frontier.states([Url(seed.url) for seed in seeds])
    fresh = [seed for seed, state in zip(seeds, states, strict=True) if state is None]
    if fresh:
        plant(frontier, strategy, fresh)
    return len(fresh)


class Control:
    """The ear of a running crawl. `plants`: this process plants new seeds (one of several workers does)."""

    def __init__(self, collection: Collection, began: float, *, plants: bool = True) -> None:
        self._collection = collection
        self._began = began
        self._orders = collection.path / FILE
        self._seeds = collection.path / collection.SEEDS
        self._plants = plants
        self._heard: object = None
        # The seeds of the start are planted by whoever starts the crawl.
        self._planted = _mark(self._seeds)
        self._sample = collection.path / SAMPLE
        self._drawn: object = None
        self._sampling = Sampling(collection, writes=plants)
        self._next = 0.0

    def obey(self, crawl: Crawl, now: float) -> None:
        """Look whether there is something new, and do it. What cannot be read is noted, and the crawl goes on."""
        if now < self._next:
            return
        self._next = now + LOOK_EVERY
        try:
            if (mark := _mark(self._orders)) != self._heard:
                self._heard = mark
                orders, settings = read_orders(self._collection), self._collection.settings
                crawl.obey(orders.budgets(settings), orders.manners(settings), paused=orders.paused)
                _logger.info("obeys %s", orders)
                if orders.stop is not None and orders.stop > self._began:
                    crawl.stop("stopped from another process; go on with: phasa crawl")
            if self._plants and (mark := _mark(self._seeds)) != self._planted:
                self._planted = mark
                planted = plant_fresh(crawl.parts.frontier, crawl.parts.strategy, read_seeds(self._seeds).seeds)
                _logger.info("%d new seeds in %s", planted, self._seeds)
            if (mark := _mark(self._sample)) != self._drawn:
                self._drawn = mark
                self._sampling.heard()
            if not crawl.paused:
                self._sampling.look(crawl.parts.frontier)
        except (PhasaError, OSError) as problem:
            _logger.warning("%s", problem)
            if len(crawl.errors) < 100:
                crawl.errors.append(str(problem))

    def end(self, crawl: Crawl) -> None:
        """The run has ended: count what came of the sample."""
        crawl.parts.frontier.commit()
        self._sampling.look(crawl.parts.frontier)


def _mark(path: Path) -> tuple[int, int, int] | None:
    """Tells two states of a file apart."""
    try:
        there = path.stat()
    except OSError:
        return None
    return there.st_mtime_ns, there.st_size, there.st_ino


def _append(path: Path, lines: Sequence[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    with path.open("a+b") as file:
        end = file.seek(0, 2)
        if end:
            file.seek(end - 1)
            if file.read(1) != b"\n":
                text = "\n" + text
        file.write(text.encode())


@contextmanager
def _one_at_a_time(collection: Collection) -> Iterator[None]:
    """Two who give orders at once do so one after the other."""
    with collection.settings_file.open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
