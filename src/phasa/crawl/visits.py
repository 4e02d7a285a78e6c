"""What is written down of a page that came."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xxhash import xxh3_64_intdigest

from phasa.crawl.answer import Answer
from phasa.crawl.judge import Judgement
from phasa.frontier.protocol import Visit

_DIGITS = b"0123456789"
_ZERO = np.uint8(ord("0"))


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


def content_digest(text: str) -> int:
    """63 bits of a page's text without its digits: the days of a calendar are one content (frontier/traps.py)."""
    data = text.encode("utf-8", "surrogatepass")
    # Taking digits out is slow, and many pages have none.
    if (np.frombuffer(data, np.uint8) - _ZERO < 10).any():
        data = data.translate(None, _DIGITS)
    return xxh3_64_intdigest(data) >> 1
