"""A collection put right before it is crawled: what is derived is made again where it is stale, and damage to the
frontier, from which the rest is derived, is told. After a run its files are sealed."""

from __future__ import annotations

import logging
import sqlite3
from pathlib import Path

from phasa.archive.cdxj import INDEX
from phasa.archive.digests import DIGESTS
from phasa.archive.repair import Mended, indexed_files, mend_archive
from phasa.archive.shelf import finished_sizes, has_pages
from phasa.collection import Collection
from phasa.crawl.run.crawl_log import CrawlLog, complete_log
from phasa.errors import CollectionError
from phasa.frontiers import is_begun, is_served, read_frontier
from phasa.seals import broken, seal, seal_of

CHECKED_ALWAYS = 64_000_000
"""Bytes up to which a frontier that a killed crawl left is looked through at the start."""

_logger = logging.getLogger(__name__)


def mend_before_crawl(collection: Collection) -> Mended:
    """Put the files of a collection right. The caller holds its lock. Raises CollectionError when its frontier is
    damaged or lost."""
    if problem := frontier_damage(collection):
        raise CollectionError(
            f"{collection.frontier_file}: damaged: {problem}; mend it with: phasa repair {collection.path}"
        )
    mended = mend_archive(collection.archive_folder)
    drop_damaged_duplicates(collection)
    if (problem := broken(collection.log_file)) and is_begun(collection):
        _logger.warning("%s: %s; the lines that are missing are written again", collection.log_file, problem)
        write_missing_lines(collection)
    return mended


def frontier_damage(collection: Collection, *, thorough: bool = False) -> str:
    """What is wrong with the frontier of a collection; '' when nothing is known to be. `thorough`: the whole file is
    looked through, whatever its size."""
    if is_served(collection):
        return ""  # the server looks after it
    path = collection.frontier_file
    if problem := broken(path, thorough=thorough):
        return problem
    if path.is_dir():
        return "it is a folder"
    if not path.exists() or not path.stat().st_size:
        return "it is gone, and archive/ has pages" if has_pages(collection.archive_folder) else ""
    if thorough or (seal_of(path) is None and path.stat().st_size <= CHECKED_ALWAYS):
        return _check(path)
    return ""


def _check(path: Path) -> str:
    try:
        db = sqlite3.connect(path, timeout=30.0)
        try:
            verdict = str(db.execute("PRAGMA quick_check(1)").fetchone()[0])
        finally:
            db.close()
    except sqlite3.DatabaseError as problem:
        return str(problem)
    return "" if verdict == "ok" else " ".join(verdict.split())


def write_missing_lines(collection: Collection) -> int:
    """Complete crawl.log with the lines of URLs that the frontier has and the log has not; how many."""
    with read_frontier(collection) as frontier:
        log = CrawlLog(collection.log_file)
        try:
            return complete_log(log, collection.log_file, frontier.ended())
        finally:
            log.close()


def drop_damaged_duplicates(collection: Collection) -> bool:
    """Put the table of near duplicates away when it is damaged; whether it was."""
    path = collection.duplicates_file
    if not path.exists() or not (broken(path) or _check(path)):
        return False
    _logger.warning("%s: damaged; begun again: phasa repair %s fills it from the archive", path, collection.path)
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm", f"{path.name}.seal"):
        (path.parent / name).unlink(missing_ok=True)
    return True


def seal_collection(collection: Collection) -> None:
    """Say what the files of a collection are like, now that nobody writes them."""
    archive = collection.archive_folder
    for path in (collection.frontier_file, archive / DIGESTS, collection.duplicates_file):
        if path.is_file() and _is_complete(path):
            seal(path)
    seal(collection.log_file)
    sizes = finished_sizes(archive)
    if (indexed := indexed_files(archive, sizes)) is not None and indexed <= sizes.keys():
        seal(archive / INDEX, sizes)


def _is_complete(path: Path) -> bool:
    """Whether a database is whole without its log of changes; somebody who reads it can be in the way of that."""
    db = sqlite3.connect(path, timeout=1.0)
    try:
        return bool(db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0)
    except sqlite3.OperationalError:
        return False
    finally:
        db.close()
