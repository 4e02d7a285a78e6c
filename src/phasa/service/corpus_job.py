"""The task of a corpus job (phasa.service.job_process): clean, deduplicated text of one language, packed as a ZIP."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from phasa.corpus.build import build
from phasa.corpus.options import Options, profile_of
from phasa.corpus.personal import KINDS
from phasa.corpus.tally import Tally
from phasa.files import whole_file
from phasa.service.job_process import Order, Tell

FOLDER = "corpus"
CARD = ("README.md", "corpus.json")
"""Files of a corpus that do not grow with it."""


def run(order: Order, tell: Tell) -> str:
    """Build the corpus beside the file of the order, or go on with it, and pack it. Raises PhasaError."""
    out = Path(order.out)
    folder = out.with_name(FOLDER)
    counts = make_corpus(
        *(Path(order.collection), folder, order.options),
        progress=lambda stage, done, of: tell(int(done), int(of), "reading pages"),
    )
    pack(folder, out)
    return f"{counts.kept:,} documents, {counts.words:,} words"


def make_corpus(
    source: Path,
    folder: Path,
    asked: Mapping[str, str],
    *,
    progress: Callable[[str, float, float], None] = lambda stage, done, of: None,
) -> Tally:
    """A corpus of a collection or an archive file, as the options of an order ask for it. Raises PhasaError."""
    parquet = asked.get("form") == "parquet"
    without = () if asked.get("clean") else ("quality", "spam", "boilerplate")
    options = Options(
        profile=profile_of(asked["language"]),
        without=(*without, *(["duplicates"] if asked.get("repeats") else [])),
        mask=tuple(KINDS) if asked.get("mask") else (),
        parquet=parquet,
        jsonl=not parquet,
    )
    return build([str(source)], folder, options, workers=1, progress=progress).summary.counts


def pack(folder: Path, out: Path, names: tuple[str, ...] = ()) -> int:
    """The files of a folder (only those named, if any are) as a ZIP; its size."""
    with whole_file(out) as unfinished, zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and (not names or path.name in names):
                packed.write(path, path.relative_to(folder))
    return out.stat().st_size
