"""The memtable: three levels answer as one dictionary and sorted lists do."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from phasa.frontier.index.memtable import Memtable
from phasa.frontier.index.run import GONE, HASH_BITS

HOSTS = 3
RANKS = st.sampled_from([-2.0, -1.0, -0.5, 0.0])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.lists(st.tuples(st.integers(1, HOSTS), RANKS, st.booleans()), max_size=6)),
        st.tuples(st.just("enqueue"), st.tuples(st.integers(1, 40), RANKS)),
        st.tuples(st.just("dequeue"), st.integers(1, 40)),
        st.tuples(st.just("change"), st.lists(st.tuples(st.integers(1, 40), RANKS), max_size=5)),
        st.tuples(st.just("empty"), st.integers(1, HOSTS)),
    ),
    max_size=25,
)


def key_of(host: int, id: int) -> int:
    """Keys whose order is not that of the ids."""
    return host << HASH_BITS | id * 7919 % 1009


class Pair:
    """A memtable of small levels, and what it should hold: id → host, and id → rank of what waits."""

    def __init__(self) -> None:
        self.table = Memtable(30, 3, 7)
        self.hosts: dict[int, int] = {}
        self.ranks: dict[int, float] = {}

    def add(self, found: list[tuple[int, float, bool]]) -> None:
        first = len(self.hosts) + 1
        rows = []
        for id, (host, rank, waits) in enumerate(found, first):
            self.hosts[id] = host
            if waits:
                self.ranks[id] = rank
            rows.append((host, key_of(host, id), 0 if waits else 2, -rank, 0, None, "", None, None))
        if rows:
            self.table.add(first, rows)

    def enqueue(self, value: tuple[int, float]) -> None:
        id, rank = value
        if id in self.hosts and id not in self.ranks:
            self.ranks[id] = rank
            self.table.enqueue(self.hosts[id], rank, id)

    def dequeue(self, id: int) -> None:
        if self.ranks.pop(id, None) is not None:
            self.table.dequeue(self.hosts[id], id)

    def change(self, changes: list[tuple[int, float]]) -> None:
        new = {id: rank for id, rank in changes if id in self.ranks}
        self.ranks.update(new)
        host = self.hosts
        self.table.change_ranks([(id, host[id], key_of(host[id], id), 0.0, new[id]) for id in sorted(new)])

    def empty(self, host: int) -> None:
        gone = {id for id in self.ranks if self.hosts[id] == host}
        assert set(self.table.take_queue(host)) == gone
        for id in gone:
            del self.ranks[id]

    def check(self) -> None:
        assert len(self.table) == len(self.hosts)
        known = {key_of(host, id): id for id, host in self.hosts.items()}
        assert self.table.find_many([*known, key_of(HOSTS + 1, 1)]) == known
        for host in range(1, HOSTS + 1):
            waiting = sorted((rank, id) for id, rank in self.ranks.items() if self.hosts[id] == host)
            for limit in (1, 2, 100):
                assert self.table.waiting(host, limit) == waiting[:limit]


@settings(max_examples=100, deadline=None)
@given(STEPS)
def test_three_levels_answer_as_one(steps: list[tuple[str, object]]) -> None:
    pair = Pair()
    for name, value in steps:
        getattr(pair, name)(value)
        pair.check()
    keys, ids, ranks = pair.table.as_run().columns()
    assert keys.tolist() == sorted(keys.tolist())
    assert dict(zip(ids.tolist(), ranks.tolist(), strict=True)) == {id: pair.ranks.get(id, GONE) for id in pair.hosts}
    pair.table.clear()
    assert len(pair.table) == 0
