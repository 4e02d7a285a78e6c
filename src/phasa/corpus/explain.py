"""Why a document is in a corpus, or is not: the step, the reason and the numbers."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np

from phasa.corpus.build import ASKED, read_summary
from phasa.corpus.hashing import number_of
from phasa.corpus.near import ENTRY
from phasa.corpus.row import DroppedRow, Row
from phasa.corpus.shards import DATA, DROPPED, LINES
from phasa.corpus.workspace import read_rows
from phasa.errors import InputError


class Explanation(msgspec.Struct, frozen=True):
    """What became of one record of an address. `step` and `reason` are empty for a document that was kept."""

    url: str
    outcome: str
    date: str
    file: str
    offset: int
    step: str = ""
    reason: str = ""
    detail: str = ""
    language: str = ""
    numbers: dict[str, float] = {}
    cluster: int = 0
    cluster_size: int = 0
    licence: str = ""
    text: str = ""


def explain(out: Path, url: str) -> list[Explanation]:
    """All records of an address, kept ones first. Raises InputError when the corpus is none or has not read it."""
    summary = read_summary(out)
    entries = np.fromfile(out / ASKED, ENTRY)
    key = np.uint64(number_of(url))
    low, high = (int(np.searchsorted(entries["key"], key, side=side)) for side in ("left", "right"))
    shards = sorted(set(entries["doc"][low:high].tolist()))
    if not shards:
        raise InputError(f"{url}: no record of that address was in the sources of {out}")
    found = [_kept(row) for shard in shards for row in _rows(out, shard, summary.options.jsonl) if row.url == url]
    for shard in shards:
        path = out / DROPPED / f"{shard:05}.jsonl.zst"
        found += [_dropped(row) for row in read_rows(path, DroppedRow) if row.url == url]
    return found


def _rows(out: Path, shard: int, jsonl: bool) -> list[Row]:
    if jsonl:
        return list(read_rows(out / LINES / f"{shard:05}.jsonl.zst", Row))
    import pyarrow.parquet as pq

    return msgspec.convert(pq.read_table(out / DATA / f"{shard:05}.parquet").to_pylist(), list[Row], strict=False)


def _kept(row: Row) -> Explanation:
    return Explanation(
        row.url, "kept", row.date, row.file, row.offset, language=f"{row.language}, score {row.score:g}",
        numbers=row.signals, cluster=row.cluster, cluster_size=row.cluster_size, licence=row.licence,
        text=row.text[:300],
    )  # fmt: skip


def _dropped(row: DroppedRow) -> Explanation:
    return Explanation(
        row.url, "dropped", row.date, row.file, row.offset, row.step, row.reason, row.detail, row.language, row.numbers,
        text=row.text,
    )  # fmt: skip
