"""The two origins of a host: queues, rests and failures of their own, the manners of one host."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

from phasa.frontier.budgets import Budgets
from phasa.frontier.index import url_keys
from phasa.frontier.origins import host_of, other_origin, queue_of
from phasa.frontier.politeness import Politeness
from phasa.frontier.protocol import Ending, Frontier, Offer, State, Visit
from phasa.frontier.reader import FrontierReader
from phasa.frontier.rules import Rules
from phasa.frontier.sqlite import SqliteFrontier
from phasa.web.url import Url

Make = Callable[[Rules], Frontier]
RULES = Rules(manners=Politeness(delay=1.0, address_delay=0.0, failures=3))
SECURE = [Url(f"https://a.example/{n}") for n in range(5)]
PLAIN = [Url(f"http://a.example/{n}") for n in range(5)]


def filled(make: Make, rules: Rules = RULES) -> Frontier:
    """https is wanted more than http."""
    frontier = make(rules)
    frontier.offer([Offer(url, 2.0) for url in SECURE] + [Offer(url, 1.0) for url in PLAIN])
    return frontier


def test_an_origin_has_a_name_of_its_own() -> None:
    assert queue_of("http://u:p@a.example:81/x") == "a.example:81"
    assert queue_of("https://u@a.example/") == "https://a.example"
    assert [other_origin(name) for name in ("a.example", "https://a.example")] == ["https://a.example", "a.example"]
    assert host_of("https://a.example") == host_of("a.example") == "a.example"


def test_a_host_is_asked_for_one_thing_at_a_time_whatever_the_scheme(make: Make) -> None:
    frontier = filled(make)
    (first,) = frontier.lease(100.0, n=5)
    assert first.url == SECURE[0]
    assert not frontier.lease(101.0, n=5)
    frontier.finish(first, Ending(State.DONE, "200", at=102.0, pause=1.0))
    assert not frontier.lease(102.5, n=5)
    assert [lease.url for lease in frontier.lease(103.0, n=5)] == [SECURE[1]]
    assert frontier.stats().hosts == 1


def test_the_rest_of_one_origin_does_not_stop_the_other(make: Make) -> None:
    frontier = filled(make)
    (first,) = frontier.lease(100.0)
    frontier.finish(first, Ending(State.WAITING, "robots.txt: 503", 100.0, 600.0, failed=True, host_pause=1.0))
    frontier.commit()
    assert not frontier.lease(100.5)
    (second,) = frontier.lease(101.0, n=5)
    assert second.url == PLAIN[0]
    frontier.finish(second, Ending(State.DONE, "200", at=101.0, pause=1.0))
    frontier.commit()
    (third,) = frontier.lease(701.0, n=5)
    assert third.url in SECURE


def test_the_rest_that_a_host_asks_for_is_that_of_both(make: Make) -> None:
    frontier = filled(make)
    (first,) = frontier.lease(100.0)
    frontier.finish(first, Ending(State.WAITING, "429", 100.0, 60.0, failed=True))
    frontier.commit()
    assert not frontier.lease(159.0, n=5)
    assert len(frontier.lease(160.0, n=5)) == 1


def test_what_a_host_asked_for_holds_for_both_origins_in_the_next_process(tmp_path: Path) -> None:
    frontier = SqliteFrontier(tmp_path / "f.db", RULES)
    frontier.offer([Offer(url) for url in (SECURE[0], PLAIN[0])])
    (first,) = frontier.lease(100.0)
    frontier.finish(first, Ending(State.DONE, "200", at=100.0, pause=50.0))
    frontier.close()
    frontier = SqliteFrontier(tmp_path / "f.db", RULES)
    assert not frontier.lease(110.0)
    assert not frontier.lease(149.0)
    assert len(frontier.lease(151.0)) == 1
    frontier.close()


def test_one_origin_is_given_up_and_the_other_goes_on(make: Make) -> None:
    frontier = filled(make)
    now = 100.0
    for _ in range(3):
        (lease,) = frontier.lease(now)
        assert lease.url.startswith("https:")
        frontier.finish(lease, Ending(State.WAITING, "tls_error", now, 2.0, failed=True))
        frontier.commit()
        now += 2.0
    states = frontier.states([*SECURE, *PLAIN])
    assert states == [State.DROPPED] * 5 + [State.WAITING] * 5
    (lease,) = frontier.lease(now)
    assert (lease.url, lease.failures) == (PLAIN[0], 0)


def test_the_pages_of_both_origins_count_for_the_budget_of_the_host(make: Make) -> None:
    frontier = filled(make, Rules(manners=RULES.manners, budgets=Budgets(pages_per_host=2)))
    now, fetched = 100.0, 0
    while leases := frontier.lease(now):
        frontier.finish(leases[0], Ending(State.DONE, "200", at=now, pause=1.0))
        frontier.commit()
        now, fetched = now + 1.0, fetched + 1
        frontier.drop(SECURE[1], "so that http has its turn")
        for url in SECURE[2:]:
            frontier.drop(url, "too")
    assert fetched == 2
    assert frontier.stats().waiting == 0


def test_a_file_that_knew_hosts_only_is_brought_up_to_date(tmp_path: Path) -> None:
    """Format 4 had one queue for both origins of a host."""
    path = tmp_path / "frontier.db"
    frontier = SqliteFrontier(path, RULES)
    both = [Url(f"http://{name}.example/{n}") for n in range(40) for name in ("mixed", "secure")]
    frontier.offer([Offer(url, n / 100) for n, url in enumerate(both)])
    (lease,) = frontier.lease(100.0)
    frontier.finish(lease, Ending(State.DONE, "200", at=100.0, pause=1.0, visit=Visit(100.0)))
    frontier.close()
    with sqlite3.connect(path) as db:
        db.execute("UPDATE url SET url = 'https' || substr(url, 5) WHERE url LIKE '%secure%' OR id % 3 = 0")
        db.execute("UPDATE meta SET value = 4 WHERE key = 'format'")
        rows = db.execute("SELECT id, host, url FROM url ORDER BY id").fetchall()
        keys = url_keys([host for _, host, _ in rows], [url for _, _, url in rows])
        db.executemany("UPDATE url SET key = ? WHERE id = ?", zip(keys, [row[0] for row in rows], strict=True))
    db.close()
    stored = [Url(row[2]) for row in rows]
    frontier = SqliteFrontier(path, RULES)
    states = frontier.states(stored)
    assert (states.count(State.WAITING), states.count(State.DONE)) == (79, 1)
    assert frontier.stats().hosts == 2
    known = frontier.offer([Offer(url, -1.0) for url in stored])
    assert {result.name for result in known} == {"KNOWN"}
    now = 1000.0
    seen: list[str] = []
    while len(seen) < 79:
        for lease in frontier.lease(now, n=9):
            seen.append(lease.url)
            frontier.finish(lease, Ending(State.DONE, "200", at=now, pause=1.0, visit=Visit(now)))
        now += 1.0
    assert sorted(seen) == sorted(url for url, state in zip(stored, states, strict=True) if state is State.WAITING)
    frontier.close()
    with FrontierReader(path) as reader:
        pages = [row[:2] for row in reader.report("hosts").rows]
        assert pages == [("mixed.example", 40), ("secure.example", 40)]
