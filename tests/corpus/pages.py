"""Pages and WARC files for the tests of the corpus."""

from __future__ import annotations

import io
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from phasa.corpus.document import Document, Paragraph
from phasa.corpus.options import Options, profile_of
from phasa.corpus.row import DroppedRow, Row
from phasa.corpus.workspace import read_rows

_LISTED = """
รัฐบาล ประชาชน เศรษฐกิจ การศึกษา โรงเรียน นักเรียน มหาวิทยาลัย โครงการ ประเทศ จังหวัด
ชุมชน เกษตรกร ตลาด ราคา สินค้า บริษัท พนักงาน โรงพยาบาล แพทย์ ผู้ป่วย
ถนน สะพาน แม่น้ำ ภูเขา ทะเล อาหาร ข้าว ผลไม้ ภาษา วัฒนธรรม
ดนตรี ภาพยนตร์ กีฬา ฟุตบอล ข่าว หนังสือพิมพ์ โทรทัศน์ วิทยุ อินเทอร์เน็ต คอมพิวเตอร์
"""
WORDS = _LISTED.split()
GLUE = ["และ", "ของ", "ใน", "ที่", "เป็น", "มี", "การ", "ได้", "ให้", "จะ"]


def thai(seed: int, words: int = 120) -> str:
    """Thai text of its own for every number."""
    rng = random.Random(seed)
    return "".join(rng.choice(WORDS) + rng.choice(GLUE) + (" " if n % 6 == 5 else "") for n in range(words // 2))


def page(title: str, *paragraphs: str, head: str = "") -> bytes:
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    return (
        f'<html><head><meta charset="utf-8"><title>{title}</title>{head}</head><body><nav><a href="/">หน้าแรก</a></nav>'
        f"<article><h1>{title}</h1>{body}</article></body></html>"
    ).encode()


def write_warc(
    path: Path, pages: Iterable[tuple[str, bytes]], kind: str = "response", mime: str = "text/html; charset=utf-8"
) -> Path:
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=path.name.endswith(".gz"))
        for url, body in pages:
            head = StatusAndHeaders("200 OK", [("Content-Type", mime)], protocol="HTTP/1.1")
            more: dict[str, Any] = {"http_headers": head} if kind == "response" else {"warc_content_type": mime}
            date = {"WARC-Date": "2026-11-01T00:00:00Z"}
            writer.write_record(
                writer.create_warc_record(url, kind, payload=io.BytesIO(body), warc_headers_dict=date, **more)
            )
    return path


def options(language: str = "th", **more: Any) -> Options:
    return Options(profile=profile_of(language), **more)


def document(*paragraphs: str, words: Iterable[str] = (), **more: Any) -> Document:
    return Document(
        "http://a.example/1", "a.example", "2026-11-01T00:00:00Z", "a.warc.gz", 0,
        paragraphs=tuple(Paragraph(text) for text in paragraphs), words=tuple(words), **more,
    )  # fmt: skip


def kept(out: Path) -> dict[str, Row]:
    return {row.url: row for path in sorted((out / "jsonl").glob("*.jsonl.zst")) for row in read_rows(path, Row)}


def dropped(out: Path) -> dict[str, DroppedRow]:
    return {row.url: row for path in sorted((out / "dropped").glob("*.zst")) for row in read_rows(path, DroppedRow)}


def bytes_of(out: Path) -> dict[str, bytes]:
    """Every file of a corpus."""
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}
