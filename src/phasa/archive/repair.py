"""What a killed writer left behind or a disk damaged, put right from the records: torn tails are cut off, open files
are finished, index and digests are made again."""

from __future__ import annotations

import base64
import binascii
import fcntl
import logging
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from phasa.archive.capture import warc_date
from phasa.archive.cdxj import INDEX, Entry, merge, write_sorted
from phasa.archive.damage import Damage, note
from phasa.archive.digests import DIGESTS, Digests, Original
from phasa.archive.members import members
from phasa.archive.reader import Stored, entry_of, index_entries, positions
from phasa.archive.shelf import OPEN, finished_files, finished_sizes, has_pages
from phasa.seals import broken, seal_of

_LOG = logging.getLogger(__name__)

Step = Callable[[Path], None]
"""Is shown each file before it is read."""


def _silent(path: Path) -> None: ...


class Mended(NamedTuple):
    """What was put right: files that were left open with the bytes cut off each, WARC files that were indexed again,
    and whether the table of digests was made again."""

    finished: dict[str, int]
    indexed: list[str]
    digests: bool

    def __bool__(self) -> bool:
        return bool(self.finished or self.indexed or self.digests)


def mend_archive(folder: Path, *, thorough: bool = False, step: Step = _silent) -> Mended:
    """Put a folder of WARC files right. Nobody may be writing to it. `thorough`: everything is read, not only what is
    known to be stale; damage inside records is told (`phasa.archive.damage`)."""
    if not folder.is_dir():
        return Mended({}, [], False)
    again = digests_are_lost(folder)
    finished = finish_open_files(folder)
    indexed = index_all_again(folder, step) if thorough else mend_index(folder, step)
    if thorough or again:
        make_digests(folder, step)
    return Mended(finished, indexed, again)


# ── files that were left open ────────────────────────────────────────────────────────────────────


def finish_open_files(folder: Path, digests: Digests | None = None) -> dict[str, int]:
    """Close the files that killed writers left open, of whichever worker: file name -> bytes cut off. A file whose
    writer lives is left alone."""
    finished = {}
    for path in sorted(folder.glob(f"*.warc.gz{OPEN}")):
        try:
            file = os.open(path, os.O_RDWR)
        except FileNotFoundError:  # another worker was quicker
            continue
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            name = path.name.removesuffix(OPEN)
            if path.exists():
                finished[name] = _finish(folder, path, file, digests)
        except BlockingIOError:
            _LOG.info("%s: somebody is writing it", path)
        finally:
            os.close(file)
    for path in folder.glob(f"*.warc.gz.cdxj{OPEN}"):
        # Killed between the two renames of a writer that closes: the WARC is finished, its index is not.
        name = path.name.removesuffix(".cdxj" + OPEN)
        if (folder / name).exists():
            index_again(folder, name)
        elif not (folder / (name + OPEN)).exists():
            path.unlink(missing_ok=True)
    return finished


def _finish(folder: Path, path: Path, file: int, digests: Digests | None) -> int:
    """Cut a torn tail off, index the records and give the file its final name; the bytes that were cut."""
    name, size = path.name.removesuffix(OPEN), os.fstat(file).st_size
    end = last_whole_record(path)
    if end < size:
        os.ftruncate(file, end)
        os.fsync(file)
        _LOG.warning("%s: cut %d bytes of a record that was not finished", path, size - end)
    if digests is not None:
        digests.forget_from(name, end)
    if end == 0:
        path.unlink()
        (folder / f"{name}.cdxj{OPEN}").unlink(missing_ok=True)
        return size
    # First the index: whoever is killed between the two finds the file still open.
    lines = []
    for found in positions(path):
        lines.append(entry_of(path, *found).line())
        if digests is not None:
            _add_digest(digests, name, found[0], found[2])
    if digests is not None:
        digests.commit()
    write_sorted(folder / f"{name}.cdxj", lines)
    path.rename(folder / name)
    (folder / f"{name}.cdxj{OPEN}").unlink(missing_ok=True)
    return size - end


def last_whole_record(path: Path) -> int:
    """The offset after the last record that is whole, wherever others before it are damaged. Reads the file once."""
    return max((piece.end for piece in members(path) if not isinstance(piece, Damage)), default=0)


# ── the index ────────────────────────────────────────────────────────────────────────────────────


def mend_index(folder: Path, step: Step = _silent) -> list[str]:
    """Bring `index.cdxj` up to date with the finished WARC files; those that were indexed again."""
    sizes = finished_sizes(folder)
    if not sizes:
        return []
    index = folder / INDEX
    made = seal_of(index)
    parts = any(path != index for path in folder.glob("*.cdxj"))
    if made is not None and made.beside == sizes and not parts and not broken(index):
        return []
    changed = made is not None and any(sizes.get(name, size) != size for name, size in made.beside.items())
    if changed or broken(index) or not index.exists() or (indexed := indexed_files(folder, sizes)) is None:
        return index_all_again(folder, step)
    for name in sorted(indexed - sizes.keys()):
        # Its lines stay: each reader that comes upon them says so, until somebody calls for a repair.
        note(Damage(folder / name, 0, "the file is gone, and the index names its pages"))
    missing = sorted(sizes.keys() - indexed)
    for name in missing:
        step(folder / name)
        index_again(folder, name)
    merge(folder)
    return missing


def indexed_files(folder: Path, sizes: dict[str, int]) -> set[str] | None:
    """The WARC files that the closed index files know; None when a line cannot be read, is out of order, or leads
    beyond the end of its file."""
    names: set[str] = set()
    for path in folder.glob("*.cdxj"):
        before = b""
        with path.open("rb") as file:
            for line in file:
                try:
                    entry = Entry.parse(line)
                    end = int(entry.offset) + int(entry.length)
                except (ValueError, msgspec.DecodeError):
                    return None
                names.add(entry.filename)
                if line < before or not line.endswith(b"\n") or end > sizes.get(entry.filename, end):
                    return None
                before = line
    return names


def index_again(folder: Path, warc_name: str) -> None:
    """Make the closed index file of one WARC file again from its records."""
    write_sorted(folder / (warc_name + ".cdxj"), [entry.line() for entry in index_entries(folder / warc_name)])
    (folder / f"{warc_name}.cdxj{OPEN}").unlink(missing_ok=True)
    _LOG.info("%s: index made again", folder / warc_name)


def index_all_again(folder: Path, step: Step = _silent) -> list[str]:
    """Make `index.cdxj` again from all finished WARC files; their names."""
    names = sorted(finished_sizes(folder))
    for name in names:
        step(folder / name)
        index_again(folder, name)
    (folder / INDEX).unlink(missing_ok=True)
    merge(folder)
    return names


# ── the digests ──────────────────────────────────────────────────────────────────────────────────


def digests_are_lost(folder: Path) -> bool:
    """Whether the table of digests is damaged, or gone while there are records."""
    path = folder / DIGESTS
    if not path.exists():
        return has_pages(folder)
    if broken(path):
        return True
    try:
        db = sqlite3.connect(path, timeout=30)
        try:
            db.execute("SELECT count(*) FROM digest WHERE sha1 IS NULL").fetchone()
            return bool(seal_of(path) is None and db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok")
        finally:
            db.close()
    except sqlite3.DatabaseError:
        return True


def make_digests(folder: Path, step: Step = _silent) -> None:
    """Make the table of digests again from the records."""
    for name in (DIGESTS, f"{DIGESTS}-wal", f"{DIGESTS}-shm", f"{DIGESTS}.seal"):
        (folder / name).unlink(missing_ok=True)
    digests = Digests(folder / DIGESTS)
    try:
        for path in finished_files(folder):
            step(path)
            for start, _, stored in positions(path):
                _add_digest(digests, path.name, start, stored)
    finally:
        digests.close()
    _LOG.info("%s: made again", folder / DIGESTS)


def _add_digest(digests: Digests, name: str, start: int, stored: Stored) -> None:
    """Enter the body of a record at that place of a file, if it has one of its own."""
    if stored.body and stored.status == 200 and not stored.revisit:
        try:
            digest = base64.b32decode(stored.digest)
        except binascii.Error:
            return
        original = Original(stored.url, warc_date(stored.time), stored.record_id.strip("<>"))
        digests.add(digest, original, name, start)
