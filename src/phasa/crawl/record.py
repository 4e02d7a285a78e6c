"""What is kept of an answer: its captures in the archive, its visit in the frontier, its line in the crawl log."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from xxhash import xxh3_64_intdigest

from phasa.archive.capture import captures_of
from phasa.archive.warc import WarcWriter
from phasa.crawl.answer import Answer, Kind
from phasa.crawl.judge import Judgement
from phasa.frontier.origins import host_of
from phasa.frontier.politeness import Politeness, pause
from phasa.frontier.protocol import Ending, Lease, State, Visit

_DIGITS = b"0123456789"
_EACH_DIGIT = tuple(_DIGITS)


class Archive(Protocol):
    """Keeps what came back."""

    def keep(self, answer: Answer, judgement: Judgement | None) -> str:
        """Write what came back, on disk before this returns; where it stands."""
        ...


class Log(Protocol):
    """Hears of every ended lease."""

    def write(self, lease: Lease, ending: Ending) -> None: ...


class WarcArchive:
    """Keeps every answer that came, with what the judge said of it."""

    def __init__(self, writer: WarcWriter) -> None:
        self.writer = writer

    def keep(self, answer: Answer, judgement: Judgement | None) -> str:
        record = ""
        if answer.exchange is not None:
            for capture in captures_of(answer.exchange, _notes(answer, judgement)):
                location = self.writer.write(capture)
                record = f"{location.file}:{location.offset}"
        return record

    def sync(self) -> None:
        self.writer.sync()


def _notes(answer: Answer, judgement: Judgement | None) -> tuple[tuple[str, str], ...]:
    """What is worth keeping with the page; later readers need not judge it again."""
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


def visit_of(
    answer: Answer, judgement: Judgement | None, now: float, record: str, words: Callable[[str], int]
) -> Visit:
    """The visit that an answer makes; `words` counts those of a wanted page."""
    text = answer.page.text if answer.page is not None else ""
    return Visit(
        at=now,
        status=answer.status,
        mime=answer.mime,
        size=answer.size,
        wanted=judgement.wanted if judgement is not None else None,
        score=judgement.score if judgement is not None else 0.0,
        language=judgement.language if judgement is not None else "",
        words=words(text) if judgement is not None and judgement.wanted and text else 0,
        digest=content_digest(text) if text else 0,
        record=record,
        seconds=answer.seconds,
        charset=answer.page.charset if answer.page is not None else "",
    )


def ending_of(
    lease: Lease, answer: Answer, visit: Visit | None, manners: Politeness, now: float, problem: str = ""
) -> Ending:
    """How a lease ends: the state of its URL, the reason, and how long its origin and its host rest.

    What a server does not answer, its rules included, is the trouble of one origin: the other one of the host goes on.
    A server that asks us to come later is busy, whatever the scheme.
    """
    kind, host = answer.kind, host_of(lease.host)
    if kind is Kind.FIRST:
        return Ending(State.WAITING, "", now, pause(manners, host, crawl_delay=answer.crawl_delay))
    failed = kind in (Kind.BUSY, Kind.FAILED)
    if failed:
        state = State.DROPPED if lease.attempts + 1 >= manners.tries else State.WAITING
    else:
        state = State.DROPPED if kind is Kind.REFUSED else State.DONE
    rest = 0.0
    if kind is not Kind.REFUSED or answer.exchange is not None:  # the host was asked for something
        rest = pause(
            manners,
            host,
            crawl_delay=answer.crawl_delay,
            retry_after=answer.retry_after,
            overloaded=kind is Kind.BUSY,
            failed=kind is Kind.FAILED,
            errors_in_row=lease.failures,
        )
    host_rest = pause(manners, host, crawl_delay=answer.crawl_delay) if kind is Kind.FAILED else None
    return Ending(state, problem or answer.reason, now, rest, answer.address, failed, visit, host_rest)


def content_digest(text: str) -> int:
    """63 bits of a page's text without its digits: the days of a calendar are one content (frontier/traps.py)."""
    data = text.encode("utf-8", "surrogatepass")
    # Taking digits out is slow, and many pages have none.
    if any(digit in data for digit in _EACH_DIGIT):
        data = data.translate(None, _DIGITS)
    return xxh3_64_intdigest(data) >> 1
