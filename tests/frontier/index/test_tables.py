"""The index tables: packed rows, with stale entries in them, answer as dictionaries and plain sorted lists do."""

from __future__ import annotations

import tempfile
from itertools import islice
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from phasa.frontier.database import Database
from phasa.frontier.index.run import HASH_BITS, Columns, Run
from phasa.frontier.index.tables import KeyFilter, QueueTable, SeenTable, ids_between

KEYS = st.sets(st.integers(0, 200) | st.integers(0, 2**62), max_size=40)
RUNS = st.lists(st.tuples(KEYS, st.booleans()), max_size=6)

HOSTS = 3
RANKS = st.sampled_from([-2.0, -1.0, -0.5, 0.0])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("run"), st.lists(st.tuples(st.integers(1, HOSTS), RANKS), max_size=12)),
        st.tuples(st.just("done"), st.integers(0, 60)),
        st.tuples(st.just("again"), st.tuples(st.integers(0, 60), RANKS)),
        st.tuples(st.just("change"), st.lists(st.tuples(st.integers(0, 60), RANKS), max_size=5)),
        st.tuples(st.just("empty"), st.integers(1, HOSTS)),
    ),
    max_size=20,
)


class Pair:
    """A table, and what it should hold: id → (host, rank) of what waits."""

    def __init__(self, folder: str) -> None:
        self.db = Database(Path(folder) / "f.db")
        self.table = QueueTable(self.db.connection, row_entries=4)
        self.hosts: dict[int, int] = {}
        self.ranks: dict[int, float] = {}

    def run(self, found: list[tuple[int, float]]) -> None:
        first = len(self.hosts) + 1
        ids = list(range(first, first + len(found)))
        for id, (host, rank) in zip(ids, found, strict=True):
            self.hosts[id], self.ranks[id] = host, rank
            self.db.execute(
                "INSERT INTO url(host, key, state, priority, depth, attempts, url) VALUES (?, 0, 0, ?, 0, 0, '')",
                (host, -rank),
            )
        order = sorted(ids, key=lambda id: (self.hosts[id], id))
        run = Run(0)
        run.add(
            Columns(
                np.array([self.hosts[id] << HASH_BITS | id for id in order], np.int64),
                np.array(order, np.int64),
                np.array([self.ranks[id] for id in order], np.float64),
            )
        )
        self.table.add_run(run)

    def done(self, id: int) -> None:
        if id in self.ranks:
            self.db.execute("UPDATE url SET state = 1 WHERE id = ?", (id,))
            self.table.remove(self.hosts[id], self.ranks.pop(id), id)

    def again(self, value: tuple[int, float]) -> None:
        id, rank = value
        if id in self.hosts and id not in self.ranks:
            self.db.execute("UPDATE url SET state = 0, priority = ? WHERE id = ?", (-rank, id))
            self.ranks[id] = rank
            self.table.add(self.hosts[id], rank, id)

    def change(self, changes: list[tuple[int, float]]) -> None:
        new = {id: rank for id, rank in changes if id in self.ranks and self.ranks[id] != rank}
        self.db.executemany("UPDATE url SET priority = ? WHERE id = ?", [(-rank, id) for id, rank in new.items()])
        self.table.change(
            [(self.hosts[id], self.ranks[id], id) for id in new],
            [(self.hosts[id], rank, id) for id, rank in new.items()],
        )
        self.ranks.update(new)

    def empty(self, host: int) -> None:
        gone = {id for id in self.ranks if self.hosts[id] == host}
        assert gone <= set(self.table.ids(host))
        self.db.executemany("UPDATE url SET state = 2 WHERE id = ?", [(id,) for id in gone])
        self.table.empty(host)
        for id in gone:
            del self.ranks[id]

    def check(self) -> None:
        for host in range(1, HOSTS + 1):
            waiting = sorted((rank, id) for id, rank in self.ranks.items() if self.hosts[id] == host)
            assert list(self.table.waiting(host)) == waiting
            assert list(islice(self.table.waiting(host), 2)) == waiting[:2]
            assert self.table.best(host) == (waiting[0] if waiting else None)


@settings(max_examples=150, deadline=None)
@given(STEPS)
def test_the_best_of_a_host_is_the_best_that_waits(steps: list[tuple[str, object]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        pair = Pair(folder)
        for name, value in steps:
            getattr(pair, name)(value)
            pair.check()
        pair.table.index_ranks()
        pair.check()
        assert pair.table.worst() == max(((rank, id) for id, rank in pair.ranks.items()), default=None)
        pair.db.close()


@settings(max_examples=60, deadline=None)
@given(RUNS, KEYS)
def test_seen_knows_what_was_added_and_nothing_else(runs: list[tuple[set[int], bool]], others: set[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        db = Database(Path(folder) / "f.db")
        table = SeenTable(db.connection, row_keys=4, merged_keys=6)
        known: dict[int, int] = {}
        for number, (keys, few) in enumerate(runs):
            ids = {key: 1000 * number + place for place, key in enumerate(sorted(keys), 1)}
            table.add(np.array(sorted(keys), np.int64), np.array([ids[key] for key in sorted(keys)], np.int64), few=few)
            known = {**ids, **known}  # what was there first stays
            asked = sorted(others | set(known))
            assert table.find_many(asked) == known
            assert SeenTable(db.connection).find_many(asked) == known
        for key in others | set(known):
            assert table.find(key) == known.get(key)
        inside = sorted(id for key, id in known.items() if 50 <= key <= 150)
        assert sorted(ids_between(db.connection, 50, 150)) == inside
        db.close()


def test_the_filter_forgets_nothing_and_lets_few_through() -> None:
    dice = np.random.default_rng(1)
    keys = dice.integers(0, 2**62, 100_000)
    filter = KeyFilter(50_000)
    filter.add(keys[:50_000])
    assert not filter.is_full
    assert filter.may_have(keys[:50_000]).all()
    assert filter.may_have(keys[50_000:]).sum() < 0.01 * 50_000


def test_a_full_filter_says_so() -> None:
    filter = KeyFilter(0)
    keys = np.arange(100_000)
    filter.add(keys[:1000])
    assert not filter.is_full
    filter.add(keys[1000:])
    assert filter.is_full


def test_a_table_that_outgrows_its_filter_makes_a_larger_one(tmp_path: Path) -> None:
    db = Database(tmp_path / "f.db")
    table, keys = SeenTable(db.connection), np.random.default_rng(1).integers(0, 2**62, 60_000)
    known, new = np.sort(keys[:50_000]), sorted(keys[50_000:].tolist())
    table.find_many(new)  # makes a filter of nothing
    for some in np.split(known, 5):
        table.add(some, some)
        assert len(table.find_many(known.tolist())) == np.searchsorted(known, some[-1]) + 1
    lookups: list[str] = []
    db.connection.set_trace_callback(lookups.append)
    assert table.find_many(new) == {}
    assert len(lookups) < 0.02 * len(new)
    db.close()
