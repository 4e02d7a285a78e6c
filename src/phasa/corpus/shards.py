"""The files of the corpus: some units together make a shard, written whole, each by one worker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import zstandard
from msgspec.structs import replace
from numpy.typing import NDArray

from phasa.corpus.boilerplate import is_boilerplate
from phasa.corpus.document import Document, Drop
from phasa.corpus.duplicates import KEPT, read_decisions
from phasa.corpus.hashing import number_of
from phasa.corpus.kept_index import KeptIndex
from phasa.corpus.near import ENTRY
from phasa.corpus.numbering import Numbering
from phasa.corpus.row import Row, dropped_row, parquet_schema, row_of
from phasa.corpus.signals import measure
from phasa.corpus.tally import Tally
from phasa.corpus.thresholds import stop_words_for, thresholds_for
from phasa.corpus.words import engine_of, words_of
from phasa.corpus.workspace import Plan, UnitFiles, Workspace
from phasa.files import replace_file, whole_file

DATA, LINES, DROPPED = "data", "jsonl", "dropped"
"""Folders: of Parquet alone, so that programs open the folder as it is; of JSON lines; of what was left out."""
_DOCUMENTS = 20_000
_BYTES = 64 << 20
"""Documents, and packed bytes of rows, from which on a shard is full."""
_LEVEL = 9
_GROUP = 1000  # rows of Parquet at a time


class Shard(msgspec.Struct, frozen=True):
    """Which units stand together."""

    number: int
    units: tuple[int, ...]


def plan_shards(workspace: Workspace, plan: Plan) -> list[Shard]:
    """Units in their order, put together until a shard is full."""
    shards: list[Shard] = []
    units: list[int] = []
    documents = size = 0
    for unit in plan.units:
        counts = UnitFiles(workspace.unit(unit.number)).counts
        units.append(unit.number)
        documents += counts.kept
        size += counts.size
        if documents >= _DOCUMENTS or size >= _BYTES:
            shards.append(Shard(len(shards), tuple(units)))
            units, documents, size = [], 0, 0
    if units or not shards:
        shards.append(Shard(len(shards), tuple(units)))
    return shards


class ShardWriter:
    """Writes shards of a plan whose documents were all decided about."""

    def __init__(self, out: Path, plan: Plan) -> None:
        self._workspace = Workspace(out)
        self._plan = plan
        self._numbering = Numbering(self._workspace, plan)
        self._sizes = np.load(self._workspace.folder / "sizes.npy", mmap_mode="r")
        self._boilerplate = np.load(self._workspace.folder / "boilerplate.npy", mmap_mode="r")
        self._others = [KeptIndex(Path(name)) for name in plan.options.against]
        self._thresholds, _ = thresholds_for(plan.options.profile, plan.options.thresholds)
        self._stop_words = stop_words_for(plan.options.profile, self._thresholds)
        self._engine = engine_of(plan.options.profile)

    def write(self, shard: Shard) -> Tally:
        """The files of a shard, and its counts at last: where those are, the files are."""
        done = self._workspace.shard(shard.number)
        tally = Tally()
        addresses: list[tuple[int, int]] = []
        name = f"{shard.number:05}"
        with ExitStack() as stack:
            rows = _Rows(stack, self._workspace.out, name, self._plan.options.jsonl, self._plan.options.parquet)
            dropped = _Lines(stack, self._workspace.out / DROPPED / f"{name}.jsonl.zst")
            for unit in shard.units:
                for document, number in self._documents(unit):
                    addresses.append((number_of(document.url), shard.number))
                    if document.drop is not None:
                        dropped.write(dropped_row(document, document.drop))
                        tally.leave_out(document, document.drop)
                    else:
                        row = row_of(document, number, int(self._sizes[number]))
                        rows.write(row)
                        tally.keep(row, document.before)
        found = np.array(addresses, ENTRY)
        found.sort(order=("key", "doc"))
        with whole_file(done.with_suffix(".addresses.npy")) as part, part.open("wb") as file:
            np.save(file, np.unique(found))
        replace_file(done, msgspec.json.encode(tally.settle()), durable=True)
        return tally

    def _documents(self, unit: int) -> Iterator[tuple[Document, int]]:
        """Every record of a unit as it is at the end, and its number when it is in the corpus."""
        files = UnitFiles(self._workspace.unit(unit))
        decisions = read_decisions(self._workspace, unit)
        keys, ends = files.paragraphs()
        marks = is_boilerplate(keys, self._boilerplate)
        compared = 0
        for document in files.rows():
            if document.drop is not None:
                yield document, 0
                continue
            decision = decisions[compared]
            start = int(ends[compared - 1]) if compared else 0
            number = self._numbering.bases[unit] + compared
            if decision["source"] == KEPT:
                yield self._without(document, marks[start : int(ends[compared])]), number
            else:
                yield replace(document, drop=self._repeats(decision)), 0
            compared += 1

    def _repeats(self, decision: Any) -> Drop:
        source, doc = int(decision["source"]), int(decision["doc"])
        original = self._others[source - 1].address(doc) if source else self._numbering.address(doc)
        reason = "exact" if decision["exact"] else "near"
        if source:
            reason += "_before"
        return Drop("duplicates", reason, {"jaccard": round(float(decision["similarity"]), 4)}, original)

    def _without(self, document: Document, marks: NDArray[np.bool_]) -> Document:
        """The document without boilerplate, measured again."""
        if not marks.any():
            return document
        kept = [one for one, mark in zip(document.paragraphs, marks.tolist(), strict=True) if not mark]
        document = replace(document, paragraphs=tuple(kept))
        document = replace(document, words=words_of(document.text, self._engine))
        signals = document.signals | measure(document, self._stop_words) | {"boilerplate": float(marks.sum())}
        least = self._thresholds.min_words if self._plan.options.has("quality") else 1
        document = replace(document, signals=signals, words=())
        if signals["words"] >= least:
            return document
        numbers = {"words": signals["words"], "least": float(least), "boilerplate": float(marks.sum())}
        return replace(document, drop=Drop("boilerplate", "too_little_left", numbers))


class _Lines:
    """A file of JSON lines, packed with zstd."""

    def __init__(self, stack: ExitStack, path: Path) -> None:
        path.parent.mkdir(exist_ok=True)
        file = stack.enter_context(stack.enter_context(whole_file(path)).open("wb"))
        self._out = stack.enter_context(zstandard.ZstdCompressor(_LEVEL).stream_writer(file))

    def write(self, value: msgspec.Struct) -> None:
        self._out.write(msgspec.json.encode(value) + b"\n")


class _Rows:
    """The rows of a shard in the forms that were asked for."""

    def __init__(self, stack: ExitStack, out: Path, name: str, jsonl: bool, parquet: bool) -> None:
        self._jsonl = _Lines(stack, out / LINES / f"{name}.jsonl.zst") if jsonl else None
        self._batch: list[dict[str, Any]] = []
        self._parquet: Any = None
        if parquet:
            self._schema = parquet_schema()
            import pyarrow.parquet as pq

            (out / DATA).mkdir(exist_ok=True)
            part = stack.enter_context(whole_file(out / DATA / f"{name}.parquet"))
            self._parquet = stack.enter_context(pq.ParquetWriter(part, self._schema, compression="zstd"))
            stack.callback(self._flush)

    def write(self, row: Row) -> None:
        if self._jsonl is not None:
            self._jsonl.write(row)
        if self._parquet is not None:
            self._batch.append(msgspec.to_builtins(row))
            if len(self._batch) >= _GROUP:
                self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        if self._batch:
            self._parquet.write_table(pa.Table.from_pylist(self._batch, self._schema))
            self._batch = []


def write_addresses(workspace: Workspace, shards: Sequence[Shard], out: Path) -> None:
    """Which shard an address is in, for `explain`: sorted pairs of all shards. Twelve bytes of memory a record."""
    parts = [np.load(workspace.shard(shard.number).with_suffix(".addresses.npy")) for shard in shards]
    merged = np.concatenate(parts)
    merged.sort(order=("key", "doc"))
    with whole_file(out) as part, part.open("wb") as file:
        file.write(merged.tobytes())
