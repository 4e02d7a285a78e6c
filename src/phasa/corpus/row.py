"""What a corpus has of each document: a row of its shards, or one among those that were left out."""

from __future__ import annotations

from typing import Any

import msgspec

from phasa.corpus.document import Document, Drop, Paragraph
from phasa.corpus.personal import KINDS as MASKS
from phasa.corpus.signals import COMMONEST, REPEATED
from phasa.corpus.spam import KINDS as SPAM
from phasa.extras import needs_extra

SIGNALS = (
    "words", "characters", "paragraphs", "mean_word", "letters", "stop_share", "stop_words", "distinct_words",
    "symbols", "bullets", "ellipsis", "line_ends", "lines_per_word", "links", "repeated_lines",
    "repeated_line_characters", "compressed", "machine", *(f"top_{n}" for n in COMMONEST),
    *(f"repeated_{n}" for n in REPEATED), "language_share", "other_paragraphs", *SPAM, "boilerplate",
)  # fmt: skip
"""The names of all signals, in the order of the columns."""
_SAMPLE = 300


class Row(msgspec.Struct, frozen=True):
    """A document that was kept."""

    url: str
    host: str
    date: str
    title: str
    text: str
    paragraphs: tuple[Paragraph, ...]
    language: str
    score: float
    signals: dict[str, float]
    cluster: int
    cluster_size: int
    licence: str
    author: str
    published: str
    page: str
    masked: dict[str, int]
    file: str
    offset: int


class DroppedRow(msgspec.Struct, frozen=True):
    """A record that was left out, and why. `text` is the beginning of what it said."""

    url: str
    date: str
    step: str
    reason: str
    numbers: dict[str, float]
    detail: str
    language: str
    title: str
    text: str
    file: str
    offset: int


def row_of(document: Document, cluster: int, cluster_size: int) -> Row:
    """The row of a document that stays."""
    return Row(
        url=document.url, host=document.host, date=document.time, title=document.title, text=document.text,
        paragraphs=document.paragraphs, language=document.language, score=document.score,
        signals={name: float(document.signals.get(name, 0.0)) for name in SIGNALS},
        cluster=cluster, cluster_size=cluster_size, licence=document.licence, author=document.author,
        published=document.date, page=document.page, masked=document.masked, file=document.file,
        offset=document.offset,
    )  # fmt: skip


def dropped_row(document: Document, drop: Drop) -> DroppedRow:
    """The row of one that does not."""
    return DroppedRow(
        document.url, document.time, drop.step, drop.reason, drop.numbers, drop.detail, document.language,
        document.title[:_SAMPLE], document.text[:_SAMPLE], document.file, document.offset,
    )  # fmt: skip


def parquet_schema() -> Any:
    """The columns of the Parquet shards: those of `Row`. Raises ExtraError without pyarrow."""
    with needs_extra("parquet", "Parquet"):
        import pyarrow as pa

    text, whole, real = pa.string(), pa.int64(), pa.float64()
    paragraph = pa.struct([("text", text), ("kind", text), ("level", whole), ("language", text), ("links", real)])
    kinds: dict[str, Any] = {
        "paragraphs": pa.list_(paragraph),
        "signals": pa.struct([(name, real) for name in SIGNALS]),
        "masked": pa.struct([(name, whole) for name in MASKS]),
        "score": real,
        "cluster": whole,
        "cluster_size": whole,
        "offset": whole,
    }
    return pa.schema([(field.name, kinds.get(field.name, text)) for field in msgspec.structs.fields(Row)])
