"""What the sizes of exports are estimated from: a corpus and a Parquet file of a few hundred pages, made and measured
in a folder that goes away."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from phasa.archive.cdxj import lookup
from phasa.archive.shelf import exists, opened
from phasa.archive.text import Text, page_text, read_texts, write_jsonl, write_parquet
from phasa.collection import Collection
from phasa.extras import ExtraError
from phasa.service.corpus_job import CARD, make_corpus, pack
from phasa.service.search_index import SearchIndex
from phasa.service.sizes import CorpusSample, Sizes

SAMPLE = 200


def measured(collection: Collection, index: SearchIndex) -> Sizes:
    """Count what is in the index, and measure exports of a sample. Raises PhasaError and OSError."""
    language = collection.profile.code
    counted = index.sizes()
    with tempfile.TemporaryDirectory(prefix="phasa-sizes-") as name:
        folder = Path(name)
        sample = folder / "sample.warc.gz"
        with sample.open("wb") as file:
            for record in _records(collection, index.spread(language, SAMPLE)):
                file.write(record)
        texts = list(read_texts(folder, page_text))
        if not texts:
            return Sizes(counted)
        whole, clean = (_made(folder, sample, language, len(texts), clean) for clean in ("", "yes"))
        return Sizes(counted, _packed(folder, texts), whole, clean)


def _packed(folder: Path, texts: list[Text]) -> float:
    lines, packed = folder / "sample.jsonl", folder / "sample.parquet"
    write_jsonl(texts, lines)
    try:
        write_parquet(texts, packed)
    except ExtraError:
        return 0.0  # there is no such export then
    return packed.stat().st_size / lines.stat().st_size


def _records(collection: Collection, urls: Sequence[str]) -> Iterator[bytes]:
    """The newest capture of each address as it stands in its file: gzip members, which can be put behind each other."""
    folder = collection.archive_folder
    for url in urls:
        for entry in lookup(folder, url)[-1:]:
            for path in (folder / entry.filename, folder / (entry.filename + ".open")):
                if exists(path):
                    with opened(path) as file:
                        content = file.pread(int(entry.length), entry.place)
                    if content.startswith(b"\x1f\x8b"):
                        yield content
                    break


def _made(folder: Path, sample: Path, language: str, pages: int, clean: str) -> CorpusSample:
    """A corpus of the sample that keeps repetitions: how many there are, the whole collection knows better."""
    out = folder / f"corpus{clean}"
    counts = make_corpus(sample, out, {"language": language, "clean": clean, "repeats": "yes"})
    size = pack(out, folder / f"corpus{clean}.zip")
    fixed = pack(out, folder / f"card{clean}.zip", CARD)
    return CorpusSample(pages, counts.kept, size - fixed, fixed)
