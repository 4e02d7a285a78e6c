"""The task of a corpus job (phasa.service.job_process): clean, deduplicated text of one language, packed as a ZIP."""

from __future__ import annotations

import zipfile
from pathlib import Path

from phasa.corpus.build import build
from phasa.corpus.options import Options, profile_of
from phasa.corpus.personal import KINDS
from phasa.files import whole_file
from phasa.service.job_process import Order, Tell

FOLDER = "corpus"


def run(order: Order, tell: Tell) -> str:
    """Build the corpus beside the file of the order, or go on with it, and pack it. Raises PhasaError."""
    asked, out = order.options, Path(order.out)
    parquet = asked.get("form") == "parquet"
    options = Options(
        profile=profile_of(asked["language"]),
        without=() if asked.get("clean") else ("quality", "spam", "boilerplate"),
        mask=tuple(KINDS) if asked.get("mask") else (),
        parquet=parquet,
        jsonl=not parquet,
    )
    folder = out.with_name(FOLDER)
    built = build(
        *([order.collection], folder, options),
        workers=1,
        progress=lambda stage, done, of: tell(int(done), int(of), "reading pages"),
    )
    with whole_file(out) as unfinished, zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                packed.write(path, path.relative_to(folder))
    return f"{built.summary.counts.kept:,} documents, {built.summary.counts.words:,} words"
