"""Many texts: Thai phrases, repeated with noise, as WET files. A tenth of them are new, the others
change an older one."""

from __future__ import annotations

import io
import random
from pathlib import Path

from warcio.warcwriter import WARCWriter

from corpus_truth import articles  # type: ignore[import-not-found]  # beside this file

_A_FILE = 20_000
_NEW = 0.1


def write_many(folder: Path, data: Path, count: int, seed: int = 1) -> None:
    """`count` texts of about 200 words in files of 20,000."""
    rng = random.Random(seed)
    phrases = [phrase for _, parts in articles(data) for part in parts for phrase in part.split() if len(phrase) > 12]
    recent: list[list[str]] = []
    for first in range(0, count, _A_FILE):
        with (folder / f"{first // _A_FILE:04}.warc.wet.gz").open("wb") as file:
            writer = WARCWriter(file, gzip=True)
            for number in range(first, min(first + _A_FILE, count)):
                if not recent or rng.random() < _NEW:
                    text = [rng.choice(phrases) for _ in range(30)]
                    recent = [*recent[-999:], text]
                else:
                    text = list(rng.choice(recent))
                    text[rng.randrange(len(text))] = rng.choice(phrases)
                lines = [" ".join(text[at : at + 10]) for at in range(0, len(text), 10)]
                writer.write_record(
                    writer.create_warc_record(
                        f"http://h{number % 997}.example/{number}",
                        "conversion",
                        payload=io.BytesIO("\n".join(lines).encode()),
                        warc_content_type="text/plain",
                        warc_headers_dict={"WARC-Date": "2026-11-01T00:00:00Z"},
                    )
                )
