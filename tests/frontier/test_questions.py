"""Questions change nothing: not one of them commits, flushes or writes, whatever is kept back."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from phasa.frontier.index import IndexOptions
from phasa.frontier.politeness import Politeness
from phasa.frontier.protocol import Ending, Offer, State, Visit
from phasa.frontier.rules import Rules
from phasa.frontier.sqlite import SqliteFrontier
from phasa.web.url import Url

A, B, C, NEW = (Url(f"http://{name}.example/") for name in ("a", "b", "c", "new"))
QUESTIONS: dict[str, Callable[[SqliteFrontier], object]] = {
    "states": lambda frontier: frontier.states([A, B, C, NEW]),
    "settled": lambda frontier: frontier.settled([A, B, C, NEW]),
    "repeats": lambda frontier: frontier.repeats([A, B, C, NEW], [0.0, 0.0, 0.0, 0.0]),
    "waiting": lambda frontier: [frontier.waiting(host, 5) for host in ("a.example", "b.example", "new.example")],
    "waiting for none": lambda frontier: frontier.waiting("b.example", 0),
    "next_ready": lambda frontier: frontier.next_ready(1e6),
    "stats": lambda frontier: frontier.stats(),
    "story": lambda frontier: [frontier.story(url) for url in (A, B, C, NEW)],
}


class Store:
    """A frontier with one page finished and one priority changed, both kept back, and how often it was committed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.commits = 0
        rules = Rules(manners=Politeness(delay=1.0, address_delay=0.0))
        self.frontier = SqliteFrontier(
            path, rules, before_commit=self._count, index=IndexOptions(memtable=2, seen_row=2, queue_row=2)
        )
        self.frontier.offer([Offer(A, 0.9), Offer(B, 0.8), Offer(Url("http://b.example/2"), 0.1), Offer(C, 0.5)])
        (lease,) = self.frontier.lease(100.0)
        self.frontier.finish(
            lease, Ending(State.DONE, "200", at=100.0, pause=1.0, visit=Visit(at=100.0, size=7)), [Offer(NEW, 0.7)]
        )
        self.frontier.reprioritise([(C, 0.95)])

    def _count(self) -> None:
        self.commits += 1

    def contents(self) -> list[str]:
        """Everything in the file, as another connection sees it."""
        with closing(sqlite3.connect(self.path)) as other:
            return list(other.iterdump())


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "frontier.db")
    yield made
    made.frontier.close()


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_writes_nothing_and_leaves_what_is_kept_back(store: Store, name: str) -> None:
    before, commits = store.contents(), store.commits
    first = QUESTIONS[name](store.frontier)
    assert QUESTIONS[name](store.frontier) == first, "asking changes no answer"
    assert store.contents() == before
    assert store.commits == commits
    store.frontier.commit()
    assert store.commits == commits + 1, "it was all still to be written"
    assert store.contents() != before


def test_a_question_between_two_writes_leaves_their_transaction_open(store: Store) -> None:
    """Both pages are committed together, also when somebody asks between them; until then nobody else sees either."""
    frontier, before = store.frontier, store.contents()
    for ask in QUESTIONS.values():
        ask(frontier)
    (lease,) = [one for one in frontier.lease(100.1, n=3) if one.url == B]
    frontier.finish(lease, Ending(State.DONE, "200", at=100.1, pause=1.0, visit=Visit(at=100.1, size=5)))
    for ask in QUESTIONS.values():
        ask(frontier)
    assert store.contents() == before
    commits = store.commits
    frontier.commit()
    assert store.commits == commits + 1
    with closing(sqlite3.connect(store.path)) as other:
        assert other.execute("SELECT count(*), sum(size) FROM visit").fetchone() == (2, 12)


def test_a_finished_page_counts_as_leased_until_it_and_its_links_are_committed(store: Store) -> None:
    frontier = store.frontier
    assert frontier.states([A, NEW]) == [State.LEASED, None]
    stats = frontier.stats()
    assert (stats.waiting, stats.leased, stats.done, stats.bytes) == (3, 1, 0, 0)
    frontier.commit()
    assert frontier.states([A, NEW]) == [State.DONE, State.WAITING]
    stats = frontier.stats()
    assert (stats.waiting, stats.leased, stats.done, stats.bytes) == (4, 0, 1, 7)


def test_what_is_kept_back_counts_for_the_next_lease(store: Store) -> None:
    """The new priority and the link of the finished page, at the time when the one who waits for it asks."""
    frontier = store.frontier
    ready = frontier.next_ready(100.1)
    assert ready is not None
    assert [lease.url for lease in frontier.lease(ready, n=9)] == [C, B, NEW]
