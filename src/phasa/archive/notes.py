"""What the crawl noted next to a capture: its metadata record read back."""

from __future__ import annotations

from pathlib import Path

from fastwarc.warc import ArchiveIterator, WarcRecordType

from phasa.archive.cdxj import Entry

_NEAR = 3  # records of one capture that may follow its response


def read_notes(folder: Path, entry: Entry) -> dict[str, str]:
    """The notes of the capture that an index entry points at; empty when it has none or the file is gone."""
    for path in (folder / entry.filename, folder / (entry.filename + ".open")):
        if path.exists():
            with path.open("rb") as file:
                file.seek(int(entry.offset))
                return _after(ArchiveIterator(file, record_types=WarcRecordType.any_type, parse_http=False))
    return {}


def _after(records: ArchiveIterator) -> dict[str, str]:
    name = ""
    try:
        for number, record in enumerate(records):
            if number == 0:
                name = record.record_id or ""
            elif record.record_type == WarcRecordType.metadata:
                if (record.headers.get("WARC-Concurrent-To") or "").strip("<>") != name.strip("<>"):
                    return {}
                lines = record.reader.read().decode("utf-8", "replace").splitlines()
                pairs = (line.partition(": ") for line in lines)
                return {key: value for key, _, value in pairs if key}
            if number >= _NEAR:
                break
    except OSError:  # a torn record: the crawl is writing it, or was killed
        pass
    return {}
