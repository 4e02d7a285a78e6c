"""A collection with chosen pages in it: archived, logged and done in the frontier, as a crawl would leave them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from phasa.archive.capture import Capture
from phasa.archive.warc import WarcWriter
from phasa.collection import Collection
from phasa.crawl.run.crawl_log import CrawlLog
from phasa.frontier.politeness import Politeness
from phasa.frontier.protocol import Ending, Offer, State, Visit
from phasa.frontier.rules import Rules
from phasa.frontier.sqlite import SqliteFrontier
from phasa.web.url import Url, parse

BEGIN = datetime(2026, 11, 1, 3, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Piece:
    """One page to put into a collection."""

    url: str
    body: str
    language: str = "th"
    wanted: bool = True
    evidence: str = "model: 0.99 of the letters"
    status: int = 200
    mime: str = "text/html"
    charset: str = "utf-8"
    day: int = 0


def page(title: str, *texts: str) -> str:
    paragraphs = "".join(f"<p>{text}</p>" for text in texts)
    return f"<html><head><title>{title}</title></head><body><article>{paragraphs}</article></body></html>"


def stock(path: Path, pieces: Sequence[Piece], *, language: str = "th") -> Collection:
    """The collection in a folder."""
    collection = Collection.create(path, language=language)
    frontier = SqliteFrontier(collection.frontier_file, Rules(manners=Politeness(delay=0.0, address_delay=0.0)))
    log = CrawlLog(collection.log_file)
    by_url = {parse(piece.url) or "": piece for piece in pieces}
    frontier.offer([Offer(Url(url), 1.0, 1, "http://seed.example.th/") for url in by_url])
    now = BEGIN.timestamp() + 1e7
    with WarcWriter(collection.archive_folder) as writer:
        while leases := frontier.lease(now, 100):
            for lease in leases:
                piece = by_url[lease.url]
                at = BEGIN + timedelta(days=piece.day, seconds=lease.id)
                record = writer.write(_capture(piece, lease.url, at))
                visit = Visit(
                    *(at.timestamp(), piece.status, piece.mime, len(piece.body), piece.wanted, 0.9, piece.language),
                    record=f"{record.file}:{record.offset}",
                    seconds=0.2,
                    charset=piece.charset,
                )
                ending = Ending(State.DONE, "ok", at.timestamp(), 0.0, visit=visit)
                frontier.finish(lease, ending)
                log.append(log.text([(lease, ending)]))
            frontier.commit()
            now += 1000.0
    frontier.close()
    log.close()
    return collection


def _capture(piece: Piece, url: str, at: datetime) -> Capture:
    notes = (
        *(("language", piece.language), ("wanted", "yes" if piece.wanted else "no"), ("score", "0.9000")),
        *(("evidence", piece.evidence), ("charset", piece.charset)),
    )
    return Capture(
        url=url,
        status=piece.status,
        reason="OK",
        headers=(("Content-Type", f"{piece.mime}; charset={piece.charset}"),),
        body=piece.body.encode("utf-8", "surrogatepass"),
        started=at,
        request=b"GET / HTTP/1.1\r\nHost: example\r\n\r\n",
        address="192.0.2.7",
        notes=notes,
    )


THAI = (
    "โรงพยาบาลรัฐและเอกชนเข้าร่วมโครงการบัตรทอง โรงพยาบาลใหญ่มีผู้ป่วยมากขึ้นทุกปี",
    "กระทรวงสาธารณสุขประกาศว่าผู้ถือบัตรทองเข้ารักษาที่โรงพยาบาลได้ทุกแห่ง ปี๊ป น้ำ ที่นี่ ญี่ปุ่น ฟื้นฟู กตัญญู",
    "แม่น้ำเจ้าพระยาไหลผ่านกรุงเทพมหานคร ระดับน้ำในแม่น้ำสูงขึ้นในฤดูฝน",
)
PERSIAN = (
    "دانشگاه تهران امروز نتایج آزمون سراسری را اعلام کرد و دانشجویان می‌توانند نتایج را ببینند",
    "کتابخانهٔ ملی ایران نسخه‌های خطی تازه‌ای را در دسترس پژوهشگران گذاشته است",
    "رودخانهٔ زاینده‌رود پس از ماه‌ها خشکی بار دیگر پرآب شد و مردم اصفهان شادمان شدند",
)
ENGLISH = (
    "The railway station was rebuilt after the war, and the railway carried timber to the harbour for years.",
    "Visitors to the harbour may still see the old timber sheds beside the railway.",
)


def mixed(number: int = 120, first: str = "th") -> list[Piece]:
    """Pages of several hosts, languages, charsets, answers and days."""
    texts = {"th": THAI, "fa": PERSIAN, "en": ENGLISH}
    second = "fa" if first == "th" else "th"
    hosts = ("www.ku.example.th", "news.example.th", "health.example.th", "tehran.example.ir", "old.example.com")
    pieces = []
    for n in range(number):
        language = first if n % 10 < 6 else "en" if n % 10 < 9 else second
        body = page(f"{texts[language][n % 2][:40]} {n}", *texts[language], f"{texts[language][0]} {n}")
        charset = "windows-874" if language == "th" and n % 7 == 0 else "utf-8"
        status = 404 if n % 17 == 5 else 200
        url = f"http://{hosts[n % 13 % 5]}/{('news', 'about', 'archive')[n % 3]}/{n}.html"
        pieces.append(
            Piece(url, body, language, language == first, status=status, charset=charset, day=n * 12 // number)
        )
    return pieces
