"""What a killed writer left behind, put right: torn tails are cut off, indexes are made again from the records."""

from __future__ import annotations

import logging
import os
import zlib
from pathlib import Path

from phasa.archive.cdxj import merge, write_sorted
from phasa.archive.reader import index_entries

_LOG = logging.getLogger(__name__)
_CHUNK = 1 << 20


def last_whole_member(path: Path) -> int:
    """The offset after the last gzip member that is complete and whose checksum holds. Reads the file once."""
    end = 0
    position = 0
    with path.open("rb") as file:
        inflate = zlib.decompressobj(31)
        while chunk := file.read(_CHUNK):
            while chunk:
                try:
                    data = inflate.decompress(chunk, _CHUNK)
                    while inflate.unconsumed_tail and not inflate.eof:
                        data = inflate.decompress(inflate.unconsumed_tail, _CHUNK)
                except zlib.error:
                    return end
                del data
                if not inflate.eof:
                    position += len(chunk)
                    break
                position += len(chunk) - len(inflate.unused_data)
                chunk = inflate.unused_data
                end = position
                inflate = zlib.decompressobj(31)
    return end


def cut_torn_tail(path: Path) -> int:
    """Truncate the file after its last whole member and return how many bytes were cut."""
    size = path.stat().st_size
    end = last_whole_member(path)
    if end < size:
        with path.open("rb+") as file:
            file.truncate(end)
            os.fsync(file.fileno())
        _LOG.warning("%s: cut %d bytes of a record that was not finished", path, size - end)
    return size - end


def index_again(folder: Path, warc_name: str) -> None:
    """Make the closed index file of one WARC file again from its records."""
    write_sorted(folder / (warc_name + ".cdxj"), [entry.line() for entry in index_entries(folder / warc_name)])
    (folder / (warc_name + ".cdxj.open")).unlink(missing_ok=True)
    _LOG.info("%s: index made again", folder / warc_name)


def index_all_again(folder: Path) -> None:
    """Make `index.cdxj` again from all finished WARC files: what a crawl does when somebody has deleted it."""
    for path in sorted(folder.glob("*.warc.gz")):
        index_again(folder, path.name)
    merge(folder)
