"""What the crawl noted next to a capture: its metadata record read back."""

from __future__ import annotations

from io import BytesIO
from itertools import islice
from pathlib import Path

from fastwarc.warc import ArchiveIterator, WarcRecordType

from phasa.archive.cdxj import Entry
from phasa.archive.damage import Damage
from phasa.archive.members import members
from phasa.archive.shelf import exists

_NEAR = 4  # records of one capture, the response among them


def read_notes(folder: Path, entry: Entry) -> dict[str, str]:
    """The notes of the capture that an index entry points at; empty when it has none, or they are damaged or gone."""
    for path in (folder / entry.filename, folder / (entry.filename + ".open")):
        if exists(path):
            return notes_at(path, entry.place)
    return {}


def notes_at(path: Path, offset: int) -> dict[str, str]:
    """The notes of the capture whose response stands at a place."""
    name = ""
    for number, piece in enumerate(islice(members(path, offset), _NEAR)):
        if isinstance(piece, Damage):  # or torn: the crawl is writing it, or was killed
            break
        try:
            record = next(iter(ArchiveIterator(BytesIO(piece.data), parse_http=False)))
        except (StopIteration, OSError):
            break
        if number == 0:
            name = record.record_id or ""
        elif record.record_type == WarcRecordType.metadata:
            if (record.headers.get("WARC-Concurrent-To") or "").strip("<>") != name.strip("<>"):
                return {}
            lines = record.reader.read().decode("utf-8", "replace").splitlines()
            return {key: value for key, _, value in (line.partition(": ") for line in lines) if key}
    return {}
