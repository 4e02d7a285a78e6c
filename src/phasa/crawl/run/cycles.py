"""A crawl in cycles of a collection: its journal on disk, its figures as a report (`phasa crawl --cycles`)."""

from __future__ import annotations

from pathlib import Path

import msgspec

from phasa.collection import Collection
from phasa.crawl.loop import Crawl, Outcome
from phasa.crawl.strategies.persian_weight import PersianWeight
from phasa.crawl.wire.counters import write_cycles
from phasa.crawl.wire.cycles import Journal, run_cycles
from phasa.errors import InputError
from phasa.files import replace_file

JOURNAL = "cycles.json"
REPORT = "cycles.csv"


async def crawl_in_cycles(collection: Collection, crawl: Crawl, cycles: int) -> Outcome:
    """So many more cycles; one that was cut short goes on first and is one of them."""
    strategy = crawl.parts.strategy
    assert isinstance(strategy, PersianWeight)
    collection.models_folder.mkdir(exist_ok=True)

    def keep(journal: Journal) -> None:
        replace_file(collection.models_folder / JOURNAL, msgspec.json.encode(journal))
        replace_file(collection.reports_folder / REPORT, write_cycles(journal.cycles))

    outcome, _ = await run_cycles(
        crawl,
        strategy.scoring,
        collection.settings.cycles,
        cycles,
        read_journal(collection),
        staged=collection.settings.detector.startswith("persian"),
        keep=keep,
    )
    return outcome


def read_journal(collection: Collection) -> Journal:
    """The cycles of a collection so far. Raises InputError for a file that is none."""
    path: Path = collection.models_folder / JOURNAL
    if not path.is_file():
        return Journal()
    try:
        return msgspec.json.decode(path.read_bytes(), type=Journal)
    except msgspec.DecodeError as problem:
        raise InputError(f"{path}: not a journal of cycles: {problem}; delete it to count from 1 again") from None


def cycles_table(collection: Collection) -> str:
    """The figures of all cycles, for people."""
    head = f"{'cycle':>5}{'assigned':>10}{'processed':>11}{'parsed':>8}{'wanted':>8}{'ratio':>7}{'by tag':>8}"
    lines = [head + f"{'copies':>8}{'dynamic':>9}{'seconds':>9}  wanted by domain"]
    journal = read_journal(collection)
    for one in journal.cycles:
        tlds = ", ".join(f".{tld} {count}" for tld, count in list(one.by_tld.items())[:6])
        lines.append(
            f"{one.number:>5}{one.assigned:>10}{one.processed:>11}{one.parsed:>8}{one.persian:>8}{one.ratio:>7.3f}"
            f"{one.tagged:>8}{one.duplicates:>8}{one.dynamic:>9}{one.seconds:>9.1f}  {tlds}"
        )
    if journal.begun is not None:
        lines.append(f"under way: cycle {len(journal.cycles) + 1} ({journal.stage})")
    return "\n".join(lines)
