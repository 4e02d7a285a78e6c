"""The folder of a corpus while it is built: what each unit of work left, committed by one rename.

```
out/work/plan.json             sources, units and options: what was asked for
out/work/units/000017/         rows.jsonl.zst (every record), keys.npy, shingles.npy, paragraphs.npy …
out/work/keys/                 keys of the documents kept so far (near.py)
out/work/decisions/000017.npy  which documents of the unit repeat which
out/work/shards/00003.json     counts of a shard that is finished
```
"""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np
import zstandard
from numpy.typing import NDArray

from phasa.archive.damage import Damage
from phasa.corpus.document import Document
from phasa.corpus.hashing import number_of
from phasa.corpus.options import Options
from phasa.corpus.shingles import Hashes, Keys
from phasa.corpus.sources import Unit
from phasa.errors import InputError
from phasa.files import naming, replace_file

T = TypeVar("T")
_LEVEL = 3


class Plan(msgspec.Struct, frozen=True):
    """What was asked for; the units stand as they were found at the first start."""

    version: str
    sources: tuple[str, ...]
    addresses: tuple[str, ...]
    options: Options
    units: tuple[Unit, ...]


class UnitCounts(msgspec.Struct, frozen=True):
    """What a unit came to: its rows, those that reach the comparison, bytes on disk, and damage passed over."""

    rows: int
    kept: int
    size: int = 0
    damage: tuple[tuple[str, int, str], ...] = ()


class Workspace:
    """Paths and files of `out/work`."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.folder = out / "work"
        self.keys = self.folder / "keys"

    def begin(self, plan: Plan) -> Plan:
        """Keep the plan, or find the one of a run that was stopped. Raises InputError when that asked for another."""
        path = self.folder / "plan.json"
        for name in ("units", "decisions", "shards"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        if not path.exists():
            replace_file(path, msgspec.json.encode(plan), durable=True)
            return plan
        try:
            found = msgspec.json.decode(path.read_bytes(), type=Plan)
        except msgspec.MsgspecError:
            raise InputError(f"{path}: damaged; remove {self.folder} and give the same command again") from None
        if msgspec.structs.replace(found, units=()) != msgspec.structs.replace(plan, units=()):
            raise InputError(
                f"{self.out}: a corpus was begun there with other sources or options; give the same command to go on, "
                f"or another -o, or remove {self.folder}"
            )
        return found

    def unit(self, number: int) -> Path:
        return self.folder / "units" / f"{number:06}"

    def decisions(self, number: int) -> Path:
        return self.folder / "decisions" / f"{number:06}.npy"

    def shard(self, number: int) -> Path:
        return self.folder / "shards" / f"{number:05}.json"

    def done(self, units: Sequence[Unit]) -> list[Unit]:
        """The units that are finished."""
        return [unit for unit in units if self.unit(unit.number).is_dir()]

    @contextmanager
    def new_unit(self, number: int) -> Iterator[Path]:
        """A folder to write, which becomes the unit's when the block ends well."""
        final = self.unit(number)
        part = final.with_name(f"{final.name}.part-{socket.gethostname()}-{os.getpid()}")
        for old in final.parent.glob(f"{final.name}.part-*"):
            shutil.rmtree(old, ignore_errors=True)
        part.mkdir()
        try:
            with naming(part):
                yield part
            part.rename(final)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise


def write_unit(
    folder: Path,
    documents: Sequence[Document],
    compared: Sequence[Hashes],
    keys: Keys,
    paragraphs: Sequence[Sequence[int]],
    damage: Iterable[Damage],
) -> UnitCounts:
    """The files of a unit. `compared`, `keys` and `paragraphs` are those of the documents that were not dropped."""
    kept = [one for one in documents if one.drop is None]
    (folder / "addresses.txt").write_text("".join(f"{one.url.strip()}\n" for one in kept), "utf-8", "replace", "\n")
    np.save(folder / "hosts.npy", np.array([number_of(one.host) for one in kept], np.uint64))
    with (folder / "rows.jsonl.zst").open("wb") as file, zstandard.ZstdCompressor(_LEVEL).stream_writer(file) as out:
        for document in documents:
            out.write(msgspec.json.encode(document) + b"\n")
    np.save(folder / "keys.npy", keys)
    flat = np.concatenate(compared) if compared else np.zeros(0, np.uint32)
    np.save(folder / "shingles.npy", flat)
    np.save(folder / "ends.npy", np.cumsum([len(one) for one in compared], dtype=np.uint64))
    np.save(folder / "paragraphs.npy", np.array([key for one in paragraphs for key in one], np.uint64))
    np.save(folder / "paragraph_ends.npy", np.cumsum([len(one) for one in paragraphs], dtype=np.uint64))
    size = (folder / "rows.jsonl.zst").stat().st_size
    found = tuple((str(one.path), one.offset, one.what) for one in damage)
    counts = UnitCounts(len(documents), len(compared), size, found)
    (folder / "counts.json").write_bytes(msgspec.json.encode(counts))
    return counts


class UnitFiles:
    """Reads what `write_unit` wrote."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def counts(self) -> UnitCounts:
        return msgspec.json.decode((self.folder / "counts.json").read_bytes(), type=UnitCounts)

    def rows(self) -> Iterator[Document]:
        """Every document of the unit, in order."""
        yield from read_rows(self.folder / "rows.jsonl.zst", Document)

    def keys(self) -> Keys:
        return np.asarray(np.load(self.folder / "keys.npy"))

    def compared(self) -> tuple[Hashes, NDArray[np.uint64]]:
        """Shingles of all documents that were not dropped, one after another, and where each one's end."""
        return np.load(self.folder / "shingles.npy"), self.ends()

    def ends(self) -> NDArray[np.uint64]:
        """Where the shingles of each document end."""
        return np.asarray(np.load(self.folder / "ends.npy"))

    def paragraphs(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Keys of the paragraphs of these documents, one after another, and where each document's end."""
        return np.load(self.folder / "paragraphs.npy"), np.load(self.folder / "paragraph_ends.npy")

    def hosts(self) -> NDArray[np.uint64]:
        """A number for the host of each of these documents."""
        return np.asarray(np.load(self.folder / "hosts.npy"))

    def addresses(self) -> list[str]:
        """Their addresses."""
        return (self.folder / "addresses.txt").read_text("utf-8").split("\n")[:-1]


def read_rows(path: Path, kind: type[T]) -> Iterator[T]:
    """The JSON lines of a file that is packed with zstd. Raises InputError for one that is damaged."""
    decoder = msgspec.json.Decoder(kind)
    try:
        with path.open("rb") as file, zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True) as rows:
            for line in TextIOWrapper(rows, encoding="utf-8", newline="\n"):
                yield decoder.decode(line)
    except (zstandard.ZstdError, msgspec.MsgspecError, UnicodeDecodeError) as problem:
        raise InputError(f"{path}: damaged ({problem}); build the corpus again") from None
