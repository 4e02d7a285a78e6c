"""Laws: whatever is done to it, a stored frontier is in the state of the one in memory, also after a crash."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from phasa.frontier.index import IndexOptions, url_hash
from phasa.frontier.memory import MemoryFrontier
from phasa.frontier.politeness import Politeness
from phasa.frontier.postgres.database import PostgresDatabase
from phasa.frontier.postgres.frontier import Member, PostgresFrontier
from phasa.frontier.protocol import Ending, Frontier, Lease, Offer, Rediscovery, State
from phasa.frontier.rules import Rules
from phasa.frontier.sqlite import SqliteFrontier
from phasa.frontier.stored import StoredFrontier
from phasa.web.url import Url

URLS = [Url(f"http{'s' * (n // 4 % 2)}://h{n % 4}.example/{n}") for n in range(24)]
"""Of four hosts, each with both of its origins."""
URL = st.sampled_from(URLS)
PRIORITY = st.sampled_from([0.0, 0.25, 0.5, 1.0])
OFFER = st.builds(Offer, URL, PRIORITY, st.just(1), st.just(""), st.sampled_from([b"", b"a"]))
ENDS = st.sampled_from([State.DONE, State.DROPPED, State.WAITING])
STEP = st.one_of(
    st.tuples(st.just("offer"), st.lists(OFFER, max_size=6)),
    st.tuples(st.just("lease"), st.integers(1, 3)),
    st.tuples(
        st.just("finish"),
        st.tuples(ENDS, st.lists(OFFER, max_size=4), st.sampled_from([(5.0, None), (35.0, 5.0), (35.0, None)])),
    ),
    st.tuples(st.just("hold"), st.just(None)),
    st.tuples(st.just("drop"), URL),
    st.tuples(st.just("requeue"), URL),
    st.tuples(st.just("reprioritise"), st.lists(st.tuples(URL, PRIORITY), max_size=4)),
    st.tuples(st.just("commit"), st.just(None)),
    st.tuples(st.just("reopen"), st.just(None)),
)


def fold(url: bytes) -> int:
    """A hash of four values: collisions everywhere."""
    return url_hash(url) % 4


SMALL = IndexOptions(fold, memtable=7, memtable_hashed=3, memtable_small_run=5, seen_row=3, queue_row=3)
"""Merges after a handful of URLs, and hashes that collide."""


class Pair:
    """A frontier in memory and one in SQLite, driven alike."""

    def __init__(self, place: str, rules: Rules) -> None:
        self.place = place
        self.rules = rules
        self.memory = MemoryFrontier(rules)
        self.stored = self._open()
        self.leases: list[tuple[Lease, Lease]] = []
        self.now = 0.0

    def _open(self) -> StoredFrontier:
        return SqliteFrontier(Path(self.place) / "f.db", self.rules, index=SMALL)

    def step(self, name: str, value: object) -> None:
        self.now += 10.0
        getattr(self, name)(value)

    def offer(self, offers: list[Offer]) -> None:
        assert self.memory.offer(offers) == self.stored.offer(offers)

    def lease(self, n: int) -> None:
        one, two = self.memory.lease(self.now, n=n), self.stored.lease(self.now, n=n)
        assert [(a.url, a.priority, a.note, a.attempts) for a in one] == [
            (b.url, b.priority, b.note, b.attempts) for b in two
        ]
        self.leases += zip(one, two, strict=True)

    def finish(self, value: tuple[State, list[Offer], tuple[float, float | None]]) -> None:
        if self.leases:
            one, two = self.leases.pop(0)
            pause, host_pause = value[2]
            ending = Ending(value[0], "r", at=self.now, pause=pause, host_pause=host_pause)
            self.memory.finish(one, ending, value[1])
            self.stored.finish(two, ending, value[1])

    def hold(self, _: None) -> None:
        if self.leases:
            one, two = self.leases.pop()
            self.memory.hold(one, self.now + 5.0)
            self.stored.hold(two, self.now + 5.0)

    def drop(self, url: Url) -> None:
        assert self.memory.drop(url, "no") == self.stored.drop(url, "no")

    def requeue(self, url: Url) -> None:
        assert self.memory.requeue(url) == self.stored.requeue(url)

    def reprioritise(self, changes: list[tuple[Url, float]]) -> None:
        self.memory.reprioritise(changes)
        self.stored.reprioritise(changes)

    def reopen(self, _: None) -> None:
        """The process dies without a word, and another one takes over."""
        self.stored.commit()
        self.die()
        for lease, _two in self.leases:
            self.memory.hold(lease, self.now)
        self.leases.clear()
        self.stored = self._open()
        self.now += 100.0
        self.stored.lease(self.now, n=0)  # the rest of a start after a crash begins
        self.now += 100.0

    def die(self) -> None:
        path = Path(self.place) / "f.db"
        copy = path.with_name("copy.db")
        for suffix in ("", "-wal", "-shm"):
            source = Path(f"{path}{suffix}")
            if source.exists():
                shutil.copy(source, f"{copy}{suffix}")
        self.stored.close()
        for suffix in ("", "-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
            if Path(f"{copy}{suffix}").exists():
                shutil.move(f"{copy}{suffix}", f"{path}{suffix}")

    def commit(self, _: None) -> None:
        """Between commits the one on disk may keep pages back; the order of the leases is the same all the time."""
        self.stored.commit()
        self.check()

    def check(self) -> None:
        assert self.memory.states(URLS) == self.stored.states(URLS)
        one, two = self.memory.stats(), self.stored.stats()
        assert (one.waiting, one.leased, one.done, one.dropped) == (two.waiting, two.leased, two.done, two.dropped)


class PostgresPair(Pair):
    """A frontier in memory and one in PostgreSQL."""

    def __init__(self, place: str, rules: Rules) -> None:
        # Making all tables again takes longer than what is done to them.
        db = PostgresDatabase(place)
        for (table,) in db.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()").fetchall():
            if table not in ("meta", "shard"):
                db.execute(f"DELETE FROM {table}")
        db.execute("DELETE FROM meta WHERE key NOT IN ('format', 'phasa')")
        db.execute("UPDATE shard SET owner = NULL, free_at = 0")
        db.close()
        super().__init__(place, rules)

    def _open(self) -> StoredFrontier:
        return PostgresFrontier(self.place, self.rules, member=Member("here"))

    def die(self) -> None:
        self.stored._db.close()


def stories(frontier: Frontier) -> list[tuple[object, ...] | None]:
    found = (frontier.story(url) for url in URLS)
    return [None if s is None else (s.state, s.priority, s.note, s.attempts) for s in found]


RULES = st.sampled_from(list(Rediscovery))
STEPS = st.lists(STEP, max_size=30)


def go(pair: Pair, steps: list[tuple[str, object]]) -> None:
    for name, value in steps:
        pair.step(name, value)
    pair.commit(None)
    assert stories(pair.memory) == stories(pair.stored)
    pair.stored.close()


def rules_for(rule: Rediscovery) -> Rules:
    return Rules(rule, manners=Politeness(delay=1.0, address_delay=0.0, lease=1e9, failures=99))


@settings(max_examples=120, deadline=None)
@given(RULES, STEPS)
def test_sqlite_goes_the_way_of_memory(rule: Rediscovery, steps: list[tuple[str, object]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        go(Pair(folder, rules_for(rule)), steps)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(RULES, STEPS)
def test_postgres_goes_the_way_of_memory(
    postgres_server: str, rule: Rediscovery, steps: list[tuple[str, object]]
) -> None:
    go(PostgresPair(f"{postgres_server}&schema=laws", rules_for(rule)), steps)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(URL, PRIORITY), min_size=1, max_size=60))
def test_every_lease_is_the_current_maximum(found: list[tuple[Url, float]]) -> None:
    """Reorder_Queue: each dequeue returns the maximum, ties in the order of discovery."""
    frontier = MemoryFrontier()
    best: dict[str, float] = {}
    for url, priority in found:
        frontier.offer([Offer(url, priority)])
        best[url] = max(priority, best.get(url, 0.0))
    order = list(best)
    for expected in sorted(best, key=lambda url: (-best[url], order.index(url))):
        (lease,) = frontier.lease(0.0)
        assert (lease.url, lease.priority) == (expected, best[expected])
        frontier.finish(lease, Ending(State.DONE, "200"))


def test_hosts_beyond_memory_still_come_in_order(tmp_path: Path) -> None:
    """More hosts than the ready set holds: the best head of all comes first, every time."""
    rules = Rules(manners=Politeness(delay=0.0, address_delay=0.0))
    frontier = SqliteFrontier(tmp_path / "f.db", rules, ready_hosts=8)
    priorities = [(n * 37 % 200) / 200 for n in range(200)]
    for n, priority in enumerate(priorities):
        frontier.offer([Offer(Url(f"http://h{n}.example/"), priority)])
        if n % 50 == 10:
            (lease,) = frontier.lease(0.0)
            assert lease.priority == max(priorities[: n + 1])
            frontier.hold(lease, 0.0)
    seen = []
    while leases := frontier.lease(0.0):
        seen.append(leases[0].priority)
        frontier.finish(leases[0], Ending(State.DONE, "200"))
        stats = frontier.stats()
        assert stats.ready_hosts + stats.resting_hosts <= 2 * 8 + SqliteFrontier.GROUP
    assert seen == sorted(priorities, reverse=True)
    frontier.close()
