"""The text of an archive as JSON lines or Parquet: what corpus builders take away."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path

import msgspec
from xxhash import xxh3_128_digest

from phasa.archive.reader import Stored, read_archive, resolve
from phasa.extras import needs_extra
from phasa.files import whole_file
from phasa.language.detectors import detect
from phasa.web.apart import try_page
from phasa.web.http import PAGE_TYPES
from phasa.web.url import parse

_BATCH = 1000


class Text(msgspec.Struct, frozen=True):
    """One page as text."""

    url: str
    time: str
    language: str
    score: float
    charset: str
    title: str
    text: str


Reader = Callable[[bytes, str, str], Text | None]
"""(bytes, url, content type) -> the page as text, or None to leave it out; `time` is filled in afterwards."""


def read_texts(archive: Path, read: Reader, as_of: datetime | None = None, *, every: bool = False) -> Iterator[Text]:
    """The HTML pages of the archive that were answered with 200, in the order of the capture: each as it was last seen,
    by `as_of` if that is given; with `every`, all their captures by then. Reads the archive twice unless `every`."""
    last: dict[bytes, datetime] = {}
    if not every:
        for stored in _answered(archive, as_of):
            last[_short(stored.url)] = max(stored.time, last.get(_short(stored.url), stored.time))
    for stored in _answered(archive, as_of):
        if every or last.get(_short(stored.url)) == stored.time:
            whole = resolve(archive, stored)
            if whole.mime in PAGE_TYPES and (text := _read(whole, read)):
                yield text


def _answered(archive: Path, as_of: datetime | None) -> Iterator[Stored]:
    for stored in read_archive(archive):
        page = stored.status == 200 and (stored.mime in PAGE_TYPES or stored.revisit)
        if page and (as_of is None or stored.time <= as_of):
            yield stored


def _short(url: str) -> bytes:
    """An address in a few bytes, so that many can be remembered."""
    return xxh3_128_digest(url.encode("utf-8", "surrogatepass"))


def page_text(body: bytes, address: str, content_type: str) -> Text | None:
    """The text of a page; None for an address that is none, and for a page that cannot be read."""
    url = parse(address)
    page = try_page(body, url, header=content_type) if url is not None else None
    if page is None:
        return None
    verdict = detect(page.text)
    return Text(address, "", verdict.language, verdict.score, page.charset, page.title, page.text)


def write_jsonl(texts: Iterable[Text], out: Path) -> int:
    """One JSON object per line. Returns the number of lines. The file is there when it is whole."""
    count = 0
    with whole_file(out) as unfinished, unfinished.open("wb") as file:
        for text in texts:
            file.write(msgspec.json.encode(text) + b"\n")
            count += 1
    return count


def write_parquet(texts: Iterable[Text], out: Path) -> int:
    """A Parquet file, zstd-compressed, there when it is whole. Returns the number of rows. Raises ExtraError without
    pyarrow."""
    with needs_extra("parquet", "Parquet"):
        import pyarrow as pa
        import pyarrow.parquet as pq

    columns = msgspec.structs.fields(Text)
    schema = pa.schema([(column.name, pa.float64() if column.type is float else pa.string()) for column in columns])
    count = 0
    with whole_file(out) as unfinished, pq.ParquetWriter(unfinished, schema, compression="zstd") as writer:
        batch: list[dict[str, object]] = []
        for text in texts:
            batch.append(msgspec.structs.asdict(text))
            count += 1
            if len(batch) == _BATCH:
                writer.write_table(pa.Table.from_pylist(batch, schema))
                batch = []
        writer.write_table(pa.Table.from_pylist(batch, schema))
    return count


def _read(stored: Stored, read: Reader) -> Text | None:
    text = read(stored.content, stored.url, stored.content_type)
    return msgspec.structs.replace(text, time=stored.time.isoformat()) if text else None
