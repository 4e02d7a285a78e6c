"""`phasa repair`: every file of a collection is looked through; what is derived is made again from what is not.

The WARC files and the frontier are the truth. The index, the digests and the near duplicates come from the WARC files,
the log from the frontier, the counts of the application from both. The frontier itself can be made again from the WARC
files, with some loss (`rebuild`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import msgspec

from phasa.archive.cdxj import INDEX, merge
from phasa.archive.damage import noted
from phasa.archive.digests import DIGESTS
from phasa.archive.duplicates import NearDuplicates
from phasa.archive.reader import positions
from phasa.archive.repair import mend_archive
from phasa.archive.shelf import warc_files
from phasa.archive.text import page_text, read_texts
from phasa.collection import Collection
from phasa.crawl.run.counts import drop_counts
from phasa.crawl.run.mend import drop_damaged_duplicates, frontier_damage, seal_collection, write_missing_lines
from phasa.crawl.run.rebuild import rebuild_frontier as rebuilt_from
from phasa.frontier.database import Database
from phasa.frontiers import is_begun, is_served
from phasa.seals import broken, unseal


class Finding(msgspec.Struct, frozen=True):
    """A file, and what was mended in it or is wrong with it."""

    file: str
    what: str


class Repairs(msgspec.Struct, frozen=True):
    """What a repair did. `damage` could not be mended."""

    records: int
    repaired: list[Finding]
    damage: list[Finding]


def repair_collection(
    collection: Collection,
    *,
    rebuild_frontier: bool = False,
    show: Callable[[float, float | None], None] = lambda done, of: None,
) -> Repairs:
    """Look through a collection and mend it. The caller holds its lock."""
    folder, path = collection.archive_folder, collection.frontier_file
    repaired: list[Finding] = []
    damage: list[Finding] = []
    steps = _Steps(2 * len(warc_files(folder)), show)
    before = _index_lines(folder)
    with noted() as found:
        mended = mend_archive(folder, thorough=True, step=steps.step)
        records = sum(1 for file in warc_files(folder) for _ in positions(file))
    for name, cut in mended.finished.items():
        repaired.append(Finding(str(folder / name), f"was left open: finished, {cut:,} bytes of a torn record cut off"))
    if _index_lines(folder) != before:
        repaired.append(Finding(str(folder / INDEX), "made again from the WARC files"))
    if mended.digests:
        repaired.append(Finding(str(folder / DIGESTS), "made again from the WARC files"))
    damage += [Finding(str(one.path), f"damaged at byte {one.offset}: {one.what}") for one in found]
    problem = frontier_damage(collection, thorough=True)
    if rebuild_frontier:
        count = rebuilt_from(collection)
        repaired.append(Finding(str(path), f"made again from the archive: {count:,} URLs are done"))
    elif problem:
        advice = f"phasa repair {collection.path} --frontier makes it again from the archive"
        damage.append(Finding(str(path), f"{problem}; {advice}"))
    if (rebuild_frontier or not problem) and is_begun(collection):
        if not is_served(collection):
            Database(path).close()  # an older format is brought up to date
        if broken(collection.log_file):
            unseal(collection.log_file)
        if lines := write_missing_lines(collection):
            repaired.append(Finding(str(collection.log_file), f"{lines:,} missing lines written again"))
    if _mend_duplicates(collection):
        repaired.append(Finding(str(collection.duplicates_file), "made again from the archive"))
    counts = collection.path / "service" / "counts.db"
    if counts.exists():
        drop_counts(counts)
        repaired.append(Finding(str(counts), "removed: the application counts again"))
    search = collection.path / "service" / "search.db"
    if search.exists():
        for part in (search, *(search.with_name(search.name + end) for end in ("-wal", "-shm"))):
            part.unlink(missing_ok=True)
        repaired.append(Finding(str(search), "removed: the application reads the archive again"))
    if rebuild_frontier or not problem:
        seal_collection(collection)
    return Repairs(records, repaired, damage)


class _Steps:
    """Counts the files that are read."""

    def __init__(self, total: int, show: Callable[[float, float | None], None]) -> None:
        self._total = total
        self._show = show
        self._done = 0

    def step(self, path: Path) -> None:
        self._done += 1
        self._show(self._done, max(self._total, self._done))


def _index_lines(folder: Path) -> bytes:
    """The index as it stands, as a hash of its lines."""
    index = folder / INDEX
    if not index.is_file():
        return b""
    merge(folder)
    return hashlib.sha256(index.read_bytes()).digest()


def _mend_duplicates(collection: Collection) -> bool:
    """Fill the table of near duplicates again when it was damaged or is gone, and the settings want one."""
    path = collection.duplicates_file
    dropped = drop_damaged_duplicates(collection)
    wanted = collection.settings.near_duplicates != "off" and any(warc_files(collection.archive_folder))
    if not wanted or (path.exists() and not dropped):
        return dropped
    duplicates = NearDuplicates(path)
    try:
        with noted():
            for text in read_texts(collection.archive_folder, page_text):
                duplicates.seen(text.url, text.text)
    finally:
        duplicates.close()
    return True
