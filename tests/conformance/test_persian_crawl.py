"""specs/persian-crawling.md §10, the row of the crawl that no other file has."""

from __future__ import annotations

from collections.abc import Sequence

from phasa.crawl.answer import Answer, Kind
from phasa.crawl.judge import Judgement, LanguageJudge
from phasa.language.detectors import detector
from phasa.language.stopwords import stop_words
from phasa.web.html import read_page
from phasa.web.url import Url

PERSIAN = "این کتاب درباره تاریخ ایران است و در آن از شهرهای بزرگ و مردم آن سخن گفته شده است. " * 4
ENGLISH = "This page is about something else and it is written in another language than the one wanted. " * 4


def page(text: str) -> Answer:
    return Answer(Kind.PAGE, page=read_page(f"<html><body><p>{text}</p></body></html>", Url("http://a.ir/")))


def test_row_30_a_hook_after_detection_receives_the_words_without_stop_words() -> None:
    heard: list[Sequence[str]] = []

    def thesaurus(answer: Answer, judgement: Judgement, words: Sequence[str]) -> Judgement:
        heard.append(words)
        return judgement._replace(wanted="ایران" in words)

    judge = LanguageJudge(detector("auto", "fa"), "fa", further=thesaurus)
    assert judge.judge(page(PERSIAN)).wanted
    assert "تاریخ" in heard[0]
    assert not set(heard[0]) & stop_words("fa")
    assert not judge.judge(page(ENGLISH)).wanted
    assert len(heard) == 1
