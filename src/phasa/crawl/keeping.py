"""The archive as the loop knows it: answers become captures in WARC files."""

from __future__ import annotations

from phasa.archive.capture import captures_of
from phasa.archive.warc import WarcWriter
from phasa.crawl.answer import Answer
from phasa.crawl.judge import Judgement
from phasa.web.exchange import Exchange


class WarcArchive:
    """Keeps every answer that came, with what the judge said of it."""

    def __init__(self, writer: WarcWriter) -> None:
        self.writer = writer

    def keep(self, answer: Answer, judgement: Judgement | None) -> str:
        exchange = answer.kept
        record = ""
        if isinstance(exchange, Exchange):
            for capture in captures_of(exchange, _notes(answer, judgement)):
                location = self.writer.write(capture)
                record = f"{location.file}:{location.offset}"
        return record

    def sync(self) -> None:
        self.writer.sync()


def _notes(answer: Answer, judgement: Judgement | None) -> tuple[tuple[str, str], ...]:
    """What is worth keeping beside the page; later readers need not judge it again."""
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
