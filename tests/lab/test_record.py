"""The record of a lab crawl: judged pages in their order, and a word when there are enough."""

from __future__ import annotations

from phasa.crawl.answer import Answer, Kind
from phasa.crawl.judge import Judgement
from phasa.lab.record import Record
from phasa.lab.replay import GraphAnswer, page_of


def _page(number: int) -> Answer:
    return GraphAnswer(Kind.PAGE, number=number)


def _number(answer: Answer, judgement: Judgement) -> int | None:
    return page_of(answer) if judgement.wanted else None


def test_pages_are_kept_in_their_order_and_what_is_not_a_page_is_not() -> None:
    record = Record(10, _number, lambda: None)
    for number in (3, 1, 2):
        assert record.keep(_page(number), Judgement(True, 1.0)) == ""
    record.keep(Answer(Kind.OTHER, "404 not found"), None)
    record.keep(_page(9), Judgement(False, 0.0))  # the value says that it does not count
    assert record.values == [3, 1, 2]


def test_it_says_when_it_is_full_and_not_before() -> None:
    full: list[int] = []
    record = Record(2, _number, lambda: full.append(len(record.values)))
    record.keep(_page(5), Judgement(True, 1.0))
    assert full == []
    record.keep(_page(6), Judgement(False, 1.0))
    record.keep(_page(7), Judgement(True, 1.0))
    assert full == [2]
