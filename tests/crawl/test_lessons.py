"""What a link was worth is told to the strategy, also when it gave no page of its own: it is dead, or led elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.crawl.paper_web import PaperWeb, crawl

from phasa.crawl.answer import Answer, Kind
from phasa.crawl.leads import Lead, Leads
from phasa.crawl.strategies.breadth_first import BreadthFirst
from phasa.crawl.strategy import JudgedPage, Offers
from phasa.frontier.politeness import FREE, Politeness
from phasa.web.url import Url

SEED, THAI, ENGLISH = "http://seed.example/", "http://thai.example/", "http://english.example/"
OLD, OLDER, DEAD = "http://old.example/", "http://older.example/", "http://dead.example/"
TWO_TRIES = Politeness(delay=1.0, address_delay=0.0, tries=2, backoff=1.0)


class Pupil(BreadthFirst):
    """Writes down what it hears."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[tuple[str, bool]] = []
        self.via: dict[str, Sequence[str]] = {}

    def page(self, page: JudgedPage) -> Offers:
        self.via[page.url] = page.via
        return super().page(page)

    def lesson(self, url: str, note: bytes, wanted: bool) -> None:
        self.heard.append((url, wanted))


def moved(target: str) -> Answer:
    return Answer(Kind.MOVED, "301", 301, target=Url(target))


def taught(table: dict[str, Answer | Sequence[str]], manners: Politeness = FREE) -> Pupil:
    pupil = Pupil()
    crawl(PaperWeb(table), [SEED], strategy=pupil, manners=manners)
    return pupil


def test_a_page_names_the_addresses_that_were_redirected_to_it() -> None:
    pupil = taught({SEED: [OLDER], OLDER: moved(OLD), OLD: moved(THAI), THAI: []})
    assert pupil.via == {SEED: [], THAI: [OLDER, OLD]}
    assert pupil.heard == [], "the page itself is the lesson"


def test_a_link_that_leads_to_a_page_known_already_hears_what_that_was() -> None:
    assert taught({SEED: [THAI, OLD], THAI: [], OLD: moved(THAI)}).heard == [(OLD, True)]
    assert taught({SEED: [ENGLISH, OLD], ENGLISH: [], OLD: moved(ENGLISH)}).heard == [(OLD, False)]


def test_a_dead_link_is_a_lesson_and_so_are_those_that_led_to_it() -> None:
    pupil = taught({SEED: [OLD], OLD: moved(DEAD), DEAD: Answer(Kind.OTHER, "404", 404)})
    assert sorted(pupil.heard) == [(DEAD, False), (OLD, False)]


@pytest.mark.parametrize(
    ("answer", "heard"),
    [
        (Answer(Kind.FAILED, "robots.txt: dns_error"), 1),
        (Answer(Kind.FAILED, "timeout_connect"), 1),
        (Answer(Kind.BUSY, "503", 503), 1),
        (Answer(Kind.REFUSED, "robots.txt does not allow it"), 0),
    ],
)
def test_what_may_come_back_is_dead_at_its_last_try(answer: Answer, heard: int) -> None:
    """A host that does not exist is dead at once; what robots.txt forbids is not known to be worth anything."""
    assert taught({SEED: [DEAD], DEAD: answer}, TWO_TRIES).heard == [(DEAD, False)] * heard


def test_what_is_remembered_is_bounded() -> None:
    leads = Leads(most=3)
    for n in range(10):
        leads.moved(Lead(f"from {n}", b""), f"to {n}")
        leads.settle(f"page {n}", n % 2 == 0)
    assert [leads.verdict(f"page {n}") for n in (0, 8, 9)] == [None, True, False]
    assert leads.settle("to 0", wanted=True) == []
    assert leads.settle("to 9", wanted=True) == [Lead("from 9", b"")]
