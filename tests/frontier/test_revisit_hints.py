"""Pages that somebody says have changed are due at once, when they were seen before that."""

from __future__ import annotations

from tests.frontier.conftest import Make

from phasa.frontier.memory import MemoryFrontier
from phasa.frontier.protocol import Ending, Offer, Seen, State, Visit
from phasa.frontier.rules import Rules
from phasa.web.url import Url

OLD, NEW, ONCE = (Url(f"http://{name}.example/") for name in ("old", "new", "once"))


def test_only_pages_that_are_visited_again_and_were_seen_before_are_hastened(make: Make) -> None:
    frontier = make(Rules())
    frontier.offer([Offer(OLD), Offer(NEW), Offer(ONCE)])
    for lease in frontier.lease(0.0, 3):
        at = 50.0 if lease.url == NEW else 10.0
        seen = None if lease.url == ONCE else Seen(at, at)
        due = None if lease.url == ONCE else 1000.0
        frontier.finish(lease, Ending(State.DONE, "200", at, visit=Visit(at), seen=seen, due=due))
    never = Url("http://never.example/")
    assert frontier.hasten([(OLD, 20.0), (NEW, 20.0), (ONCE, 20.0), (never, 20.0)], 60.0) == [OLD]
    assert frontier.next_due() == 60.0
    assert frontier.hasten([(OLD, 20.0)], 60.0) == []  # it is due already
    assert frontier.wake(60.0, 60.0, 9) == 1
    assert [lease.url for lease in frontier.lease(60.0, 9)] == [OLD]


def test_pages_that_are_due_again_are_listed_in_parts_and_can_be_given_other_moments(make: Make) -> None:
    frontier = make(Rules())
    pages = [Url(f"http://h{number}.example/") for number in range(5)]
    frontier.offer([Offer(url) for url in pages])
    for lease in frontier.lease(0.0, 5):
        number = pages.index(lease.url)
        seen, due = Seen(1.0, 10.0 + number, 2, 0.5, 9.0), None if number == 3 else 1000.0 + number
        frontier.finish(lease, Ending(State.DONE, "200", 10.0, visit=Visit(10.0), seen=seen, due=due))
    first = frontier.due_pages(-1, 3)
    rest = frontier.due_pages(first[-1].id, 3)
    listed = [*first, *rest]
    assert [(page.url, page.at, page.changes, page.seconds, page.due) for page in listed] == [
        (pages[number], 10.0 + number, 0.5, 9.0, 1000.0 + number) for number in (0, 1, 2, 4)
    ], "who is not visited again is not there"
    assert frontier.due_pages(rest[-1].id, 3) == []
    frontier.reschedule([(listed[2].id, 20.0)])
    assert frontier.next_due() == 20.0
    assert frontier.wake(30.0, 30.0, 9) == 1
    assert [page.url for page in frontier.due_pages(-1, 9)] == [pages[0], pages[1], pages[4]], "it waits"


def test_the_score_of_a_page_goes_with_it_where_it_was_judged(make: Make) -> None:
    frontier = make(Rules())
    visits = {OLD: Visit(1.0, wanted=True, score=0.25), NEW: Visit(1.0), ONCE: Visit(1.0, wanted=False, score=0.0)}
    frontier.offer([Offer(url) for url in visits])
    for lease in frontier.lease(0.0, 3):
        frontier.finish(lease, Ending(State.DONE, "200", 1.0, visit=visits[lease.url], seen=Seen(1.0, 1.0), due=9.0))
    frontier.commit()
    scores = {OLD: 0.25, NEW: None, ONCE: 0.0}
    assert {page.url: page.score for page in frontier.due_pages(-1, 9)} == scores
    assert {page.url: page.score for page in frontier.paces(9)} == scores


def test_a_number_is_kept_for_later(make: Make) -> None:
    frontier = make(Rules())
    assert frontier.note("own past") is None
    frontier.keep_note("own past", 2.5)
    frontier.keep_note("own past", 3.5)
    assert frontier.note("own past") == 3.5


def test_the_host_of_a_page_that_was_just_finished_counts_among_what_may_come(make: Make) -> None:
    """Its next links cannot be leased before the commit; who asks what is worth waiting for must hear of them."""
    frontier = make(Rules())
    good, next_one, poor = (Url(f"http://{name}") for name in ("good.example/1", "good.example/2", "poor.example/"))
    frontier.offer([Offer(good, 0.9), Offer(next_one, 0.8), Offer(poor, 0.1)])
    (lease,) = frontier.lease(0.0, 1)
    assert lease.url == good
    frontier.finish(lease, Ending(State.DONE, "200", 1.0, 2.0, visit=Visit(1.0)))
    assert frontier.best(10.0) >= 0.8
    if not isinstance(frontier, MemoryFrontier):  # which commits at once, and knows nothing of rests here
        assert frontier.best(2.0) == 0.1, "the host rests until the third second"
    frontier.commit()
    assert frontier.best(10.0) == 0.8
