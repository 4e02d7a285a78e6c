"""The seeds of a collection: addresses to start from, one per line, junk reported by line and passed over.

A line is an address, and perhaps the feature values that a table of seeds gives it: `URL a1 a2 a3 a4`
(specs/language-specific-crawling.md, Tables 13–17). Blank lines and lines that begin with # are comments.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from phasa.crawl.strategy import Seed, Strategy
from phasa.errors import BrokenPartError, InputError, with_place
from phasa.frontier.protocol import Frontier, Offer, OfferResult
from phasa.web.url import Url, parse


class Junk(NamedTuple):
    """A line that is no seed."""

    line: int
    text: str
    why: str


class SeedFile(NamedTuple):
    """What a file of seeds holds."""

    seeds: list[Seed]
    junk: list[Junk]


def read_seeds(path: Path) -> SeedFile:
    """The seeds in a file, each address once. Raises InputError when the file is not UTF-8 text."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as problem:
        raise InputError(f"{path}: not UTF-8 text (byte {problem.start}); save it as UTF-8") from None
    seeds: dict[str, Seed] = {}
    junk: list[Junk] = []
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        url = parse(words[0]) or (parse(f"http://{words[0]}") if "." in words[0] and ":" not in words[0] else None)
        if url is None:
            junk.append(Junk(number, line.strip()[:200], "not an http or https address"))
            continue
        try:
            values = [float(word) for word in words[1:5]]
        except ValueError:
            junk.append(Junk(number, line.strip()[:200], "what follows the address must be numbers a1 a2 a3 a4"))
            continue
        seeds.setdefault(url, Seed(url, *values))
    return SeedFile(list(seeds.values()), junk)


def seed_line(seed: Seed) -> str:
    """A seed as a line of a seed file, with the values that are known of it."""
    values = [seed.parent, seed.anchor] if seed.domain is None else [*seed[1:3], seed.domain, seed.distance]
    return " ".join([seed.url, *(f"{value:g}" for value in values)] if any(values) else [seed.url])


def plant(frontier: Frontier, strategy: Strategy, seeds: Sequence[Seed]) -> list[OfferResult]:
    """Offer the seeds as the strategy ranks them; what each led to. Raises BrokenPartError when the strategy does."""
    try:
        offers = strategy.start(seeds)
        planted = [
            Offer(Url(seed.url), float(offers.priorities[place]), 0, "", offers.note(place))
            for place, seed in enumerate(seeds)
        ]
    except Exception as trouble:
        raise BrokenPartError(f"strategy {strategy.name}: {with_place(trouble, __file__)}") from trouble
    return frontier.offer(planted)
