"""Pages that somebody says have changed are due at once, when they were seen before that."""

from __future__ import annotations

from tests.frontier.conftest import Make

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
