"""A corpus from sources: units of work in parallel, then duplicates in order, then shards in parallel, then the card.

Each stage commits by renaming files; whatever is there is not done again. So the same command goes on where a killed
one stopped, and what comes out does not depend on where that was, nor on the number of workers.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import shutil
from array import array
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import msgspec
import numpy as np
import zstandard

from phasa import __version__
from phasa.archive.damage import Damage, note
from phasa.corpus.boilerplate import repeated_paragraphs
from phasa.corpus.card import CARD, SUMMARY, Summary, card, funnel_of
from phasa.corpus.duplicates import KEPT, cluster_sizes, deduplicate, read_decisions
from phasa.corpus.kept_index import ADDRESSES, ENDS, FOLDER, KEYS, SHINGLES, KeptIndex
from phasa.corpus.near import KeyIndex
from phasa.corpus.numbering import Numbering
from phasa.corpus.options import Options
from phasa.corpus.row import parquet_schema
from phasa.corpus.shards import Shard, ShardWriter, plan_shards, write_addresses
from phasa.corpus.sources import Unit, find_units
from phasa.corpus.tally import Tally, add_up
from phasa.corpus.thresholds import thresholds_for
from phasa.corpus.worker import do_unit
from phasa.corpus.workspace import Plan, UnitFiles, Workspace
from phasa.errors import InputError
from phasa.files import replace_file, whole_file
from phasa.processes import die_with_parent

ASKED = "index/addresses.u64"
"""Which shard has which address."""
T = TypeVar("T")
Progress = Callable[[str, float, float], None]
"""Told the name of the stage, how much of it is done, and of how much."""


class Runner(Protocol):
    """Does a job for each item, somewhere, with so many workers; the items as they are done."""

    def __call__(self, job: Callable[[T], None], items: Sequence[T], workers: int) -> Iterator[tuple[T, None]]: ...


class Built(NamedTuple):
    """What came of it: the summary, whether anything was done, and sources that could not be used."""

    summary: Summary
    fresh: bool
    problems: tuple[str, ...]


def build(
    sources: Sequence[str],
    out: Path,
    options: Options,
    *,
    addresses: frozenset[str] = frozenset(),
    workers: int = 0,
    progress: Progress = lambda stage, done, of: None,
    run: Runner | None = None,
) -> Built:
    """Build the corpus, or what is missing of it. `run` is what does the units of work, and the shards: processes of
    this machine when it is not given. The corpus has the same bytes whatever it is. Raises InputError when nothing can
    be read, when another corpus is there, or when a worker is killed; OSError when it cannot be written."""
    thresholds_for(options.profile, options.thresholds)
    if options.parquet:
        parquet_schema()
    for other in options.against:
        KeptIndex(Path(other))
    found = find_units(sources)
    plan = Plan(__version__, tuple(sources), tuple(sorted(addresses)), options, found.units)
    out.mkdir(parents=True, exist_ok=True)
    if (out / SUMMARY).exists():
        summary = read_summary(out)
        if (summary.sources, summary.options) != (plan.sources, plan.options):
            raise InputError(f"{out}: another corpus is there already; give another -o")
        shutil.rmtree(out / "work", ignore_errors=True)
        return Built(summary, False, found.problems)
    workspace = Workspace(out)
    plan = workspace.begin(plan)
    count = workers or os.cpu_count() or 1
    run = run or _run
    _read_all(workspace, plan, addresses, count, progress, run)
    deduplicate(workspace, plan, lambda done: progress("duplicates", done, len(plan.units)))
    _prepare(workspace, plan)
    shards = plan_shards(workspace, plan)
    tally = _write_all(workspace, plan, shards, count, progress, run)
    summary = _finish(workspace, plan, shards, tally)
    return Built(summary, True, found.problems)


def read_summary(out: Path) -> Summary:
    """corpus.json of a finished corpus. Raises InputError when there is none."""
    try:
        return msgspec.json.decode((out / SUMMARY).read_bytes(), type=Summary)
    except FileNotFoundError:
        begun = (out / "work").is_dir()
        what = "is not finished; give the command that began it again" if begun else "no corpus is there"
        raise InputError(f"{out}: {what}") from None
    except msgspec.MsgspecError as problem:
        raise InputError(f"{out / SUMMARY}: not the summary of a corpus ({problem})") from None


def _read_all(
    workspace: Workspace, plan: Plan, addresses: frozenset[str], workers: int, progress: Progress, run: Runner
) -> None:
    done = {unit.number for unit in workspace.done(plan.units)}
    waiting = [unit for unit in plan.units if unit.number not in done]
    total = sum(unit.size for unit in plan.units)
    finished = float(sum(unit.size for unit in plan.units if unit.number in done))
    job = partial(_do_unit, workspace.out, options=plan.options, wanted=addresses)
    for unit, _ in run(job, waiting, workers):
        finished += unit.size
        progress("pages", finished, total)
    for unit in plan.units:
        for path, offset, what in UnitFiles(workspace.unit(unit.number)).counts.damage:
            note(Damage(Path(path), offset, what))


def _do_unit(out: Path, unit: Unit, options: Options, wanted: frozenset[str]) -> None:
    if not Workspace(out).unit(unit.number).is_dir():  # a task that is done again may have ended well before
        do_unit(out, unit, options, wanted)


def _prepare(workspace: Workspace, plan: Plan) -> None:
    """What the writers of shards need to know of the whole."""
    numbering = Numbering(workspace, plan)
    _save(workspace.folder / "sizes.npy", lambda: cluster_sizes(workspace, plan, numbering.total))
    wanted = plan.options.has("boilerplate")
    _save(
        workspace.folder / "boilerplate.npy",
        lambda: repeated_paragraphs(workspace, plan) if wanted else np.zeros(0, np.uint64),
    )


def _save(path: Path, make: Callable[[], Any]) -> None:
    if not path.exists():
        with whole_file(path) as part, part.open("wb") as file:
            np.save(file, make())


def _write_all(
    workspace: Workspace, plan: Plan, shards: Sequence[Shard], workers: int, progress: Progress, run: Runner
) -> Tally:
    waiting = [shard for shard in shards if not workspace.shard(shard.number).exists()]
    finished = len(shards) - len(waiting)
    for _ in run(partial(_write_shard, workspace.out, plan), waiting, workers):
        finished += 1
        progress("shards", finished, len(shards))
    return add_up(msgspec.json.decode(workspace.shard(shard.number).read_bytes(), type=Tally) for shard in shards)


_writers: dict[Path, ShardWriter] = {}


def _write_shard(out: Path, plan: Plan, shard: Shard) -> None:
    if Workspace(out).shard(shard.number).exists():
        return
    if out not in _writers:
        _writers.clear()
        _writers[out] = ShardWriter(out, plan)
    _writers[out].write(shard)


def _finish(workspace: Workspace, plan: Plan, shards: Sequence[Shard], tally: Tally) -> Summary:
    out = workspace.out
    _keep_index(workspace, plan)
    write_addresses(workspace, shards, out / ASKED)
    thresholds, origin = thresholds_for(plan.options.profile, plan.options.thresholds)
    damage = [
        f"{Path(path).name}: damaged at byte {offset}: {what}"
        for unit in plan.units
        for path, offset, what in UnitFiles(workspace.unit(unit.number)).counts.damage
    ]
    summary = Summary(
        phasa=__version__, language=plan.options.profile.code, name=plan.options.profile.name, sources=plan.sources,
        addresses=len(plan.addresses), options=plan.options, thresholds=thresholds, thresholds_from=origin,
        shards=len(shards), units=len(plan.units), damage=tuple(damage), funnel=funnel_of(tally), counts=tally,
    )  # fmt: skip
    replace_file(out / CARD, card(summary))
    replace_file(out / SUMMARY, msgspec.json.format(msgspec.json.encode(summary), indent=1), durable=True)
    shutil.rmtree(workspace.folder, ignore_errors=True)
    return summary


def _keep_index(workspace: Workspace, plan: Plan) -> None:
    """The index that the next corpus is made against: of the documents that stay; the others are gaps in it."""
    folder = workspace.out / FOLDER
    folder.mkdir(exist_ok=True)
    KeyIndex(workspace.keys).merge_all(folder / KEYS)
    ends, size = array("Q"), 0
    with (
        whole_file(folder / SHINGLES) as part,
        part.open("wb") as flat,
        whole_file(folder / ADDRESSES) as packed,
        packed.open("wb") as file,
        zstandard.ZstdCompressor(9).stream_writer(file) as lines,
    ):
        for unit in plan.units:
            files = UnitFiles(workspace.unit(unit.number))
            stays = read_decisions(workspace, unit.number)["source"] == KEPT
            hashes, places = files.compared()
            start = 0
            for address, end, kept in zip(files.addresses(), places.tolist(), stays.tolist(), strict=True):
                if kept:
                    flat.write(np.asarray(hashes[start:end]).tobytes())
                    size += end - start
                lines.write(f"{address if kept else ''}\n".encode())
                ends.append(size)
                start = end
    with whole_file(folder / ENDS) as part, part.open("wb") as file:
        file.write(ends.tobytes())


def _run(job: Callable[[T], None], items: Sequence[T], workers: int) -> Iterator[tuple[T, None]]:
    """Do the job for each item, in this process or in as many as there are workers; the items as they are done."""
    if workers <= 1 or len(items) <= 1:
        for item in items:
            job(item)
            yield item, None
        return
    with _pool(min(workers, len(items))) as pool:
        rest = iter(items)
        under_way: dict[Future[None], T] = {}
        try:
            while True:
                for item in rest:
                    under_way[pool.submit(job, item)] = item
                    if len(under_way) >= 2 * workers:
                        break
                if not under_way:
                    return
                ready, _ = wait(under_way, return_when=FIRST_COMPLETED)
                for future in ready:
                    item = under_way.pop(future)
                    future.result()
                    yield item, None
        except BrokenProcessPool:
            raise InputError(
                "a worker was killed, perhaps for want of memory; give the same command again with fewer --workers"
            ) from None


@contextmanager
def _pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_start_worker)
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=True, cancel_futures=True)
        raise
    pool.shutdown()


def _start_worker() -> None:
    die_with_parent()
    logging.getLogger("phasa").setLevel(logging.ERROR)  # what is passed over is told once, by the parent
