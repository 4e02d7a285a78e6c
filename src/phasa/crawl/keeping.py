"""The archive as the loop knows it: answers become captures in WARC files."""

from __future__ import annotations

from datetime import UTC, datetime

from phasa.archive.capture import Capture
from phasa.archive.warc import WarcWriter
from phasa.crawl.answer import Answer
from phasa.crawl.judge import Judgement
from phasa.web.exchange import Exchange, Hop
from phasa.web.url import path


class WarcArchive:
    """Keeps every answer that came, with what the judge said of it."""

    def __init__(self, writer: WarcWriter) -> None:
        self.writer = writer

    def keep(self, answer: Answer, judgement: Judgement | None) -> str:
        exchange = answer.kept
        if not isinstance(exchange, Exchange):
            return ""
        record = ""
        for hop in exchange.hops:
            notes = _notes(answer, judgement) if hop is exchange else ()
            location = self.writer.write(capture(hop, notes))
            record = f"{location.file}:{location.offset}"
        return record

    def sync(self) -> None:
        self.writer.sync()


def capture(hop: Hop, notes: tuple[tuple[str, str], ...] = ()) -> Capture:
    """One request and its answer as the archive writes it."""
    head = hop.request_head.decode("utf-8", "surrogateescape").split("\r\n")
    return Capture(
        url=hop.url,
        status=hop.status,
        reason=hop.reason,
        headers=hop.headers,
        body=hop.wire_body,
        started=datetime.fromtimestamp(hop.started, UTC),
        target=path(hop.url),
        request_headers=[(name, value) for name, _, value in (line.partition(": ") for line in head[1:]) if name],
        version=hop.response_head[:8].decode("ascii", "replace") or "HTTP/1.1",
        address=hop.address,
        truncated=hop.truncated,
        notes=notes,
    )


def _notes(answer: Answer, judgement: Judgement | None) -> tuple[tuple[str, str], ...]:
    if judgement is None:
        return ()
    charset = answer.page.charset if answer.page is not None else ""
    return (
        ("language", judgement.language),
        ("wanted", "yes" if judgement.wanted else "no"),
        ("score", f"{judgement.score:.4f}"),
        ("evidence", judgement.evidence),
        ("charset", charset),
    )
