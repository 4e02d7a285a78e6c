"""Several workers on one PostgreSQL frontier: who owns which sites, what is refused, what goes from one to another."""

from __future__ import annotations

import time

import pytest

from phasa.errors import CollectionError
from phasa.frontier.database import SupersededError
from phasa.frontier.politeness import Politeness
from phasa.frontier.postgres.frontier import Member, PostgresFrontier
from phasa.frontier.postgres.members import shard_of
from phasa.frontier.protocol import Ending, Offer, State, Visit
from phasa.frontier.rules import Rules
from phasa.web.url import Url, registered_domain

URLS = [Url(f"http://site{n}.example/") for n in range(40)]
MANNERS = Rules(manners=Politeness(delay=2.0, address_delay=3.0, lease=100.0))


def worker(address: str, number: int, workers: int = 2, rules: Rules | None = None, **more: float) -> PostgresFrontier:
    member = Member(f"m{number}", number, workers, shared=True, **more)
    return PostgresFrontier(address, rules, member=member)


def beat(*workers: PostgresFrontier) -> None:
    """Everybody shows that he lives, and takes what is free."""
    for one in workers:
        one._tended = -1e9
        one._tend()


def done(at: float = 0.0) -> Ending:
    return Ending(State.DONE, "200", at=at, visit=Visit(at, 200))


def urls_of(frontier: PostgresFrontier, now: float) -> set[Url]:
    return {lease.url for lease in frontier.lease(now, n=99)}


def test_every_url_is_leased_by_the_owner_of_its_shard_and_links_reach_it(postgres: str) -> None:
    one, two = worker(postgres, 0), worker(postgres, 1)
    ours = one.offer([Offer(url) for url in URLS])
    assert 0 < len(ours) < len(URLS), "some are for the other worker"
    first = one.lease(0.0, n=99)
    assert {shard_of(registered_domain(lease.url)) for lease in first} <= one.partition.owned  # type: ignore[attr-defined]
    second = urls_of(two, 0.0)
    assert {lease.url for lease in first} | second == set(URLS)
    assert not {lease.url for lease in first} & second
    found = [Offer(Url(f"{url}more"), source=first[0].url) for url in URLS]
    one.finish(first[0], done(), found)
    one.commit()
    time.sleep(two._inbox.LOOK_EVERY)  # type: ignore[attr-defined]
    two.commit()
    known = two.states([offer.url for offer in found])
    assert known.count(State.WAITING) == len(URLS), "both have taken in what is theirs"
    story = two.story(Url(f"{next(iter(second))}more"))
    assert story is not None
    assert story.source == first[0].url
    one.close()
    two.close()


def test_a_new_priority_for_the_site_of_another_worker_brings_nobody_there_twice(postgres: str) -> None:
    one, two = worker(postgres, 0), worker(postgres, 1)
    more = [Url(f"{url}more") for url in URLS]
    one.offer([Offer(url) for url in (*URLS, *more)])
    time.sleep(two._inbox.LOOK_EVERY)  # type: ignore[attr-defined]
    two.commit()
    for frontier in (one, two):
        for lease in frontier.lease(0.0, n=99):
            frontier.finish(lease, done())
        frontier.commit()
    for frontier in (one, two):
        frontier.reprioritise([(url, 2.0 + place) for place, url in enumerate(more)])
        frontier.commit()
    first, second = urls_of(one, 100.0), urls_of(two, 100.0)
    one.close()
    two.close()
    assert first | second == set(more)
    assert not first & second


def test_what_was_leased_by_a_lost_worker_is_leased_by_another_after_a_rest(postgres: str) -> None:
    one, two = worker(postgres, 0, rules=MANNERS, lifetime=1.0), worker(postgres, 1, rules=MANNERS, lifetime=1.0)
    one.offer([Offer(url) for url in URLS])
    lost = one.lease(0.0, n=99)
    kept = two.lease(0.0, n=99)
    one._db.close()  # killed
    time.sleep(1.1)
    two._tended = -1e9
    two._server.lifetime = 30.0
    with pytest.raises(SupersededError):
        two._tend()  # it was silent for too long as well: nobody may go on as if nothing were
    two.close()
    three = worker(postgres, 2, 1, MANNERS, lifetime=30.0)
    assert three.lease(1000.0, n=99) == [], "nobody knows what was asked for last: the hosts rest first"
    assert urls_of(three, 1003.5) == {lease.url for lease in [*lost, *kept]}
    three.close()


def test_a_worker_that_was_taken_for_lost_can_commit_nothing(postgres: str) -> None:
    one, two = worker(postgres, 0, lifetime=0.5), worker(postgres, 1, lifetime=30.0)
    one.offer([Offer(url) for url in URLS])
    two.commit()
    (lease,) = one.lease(0.0)
    time.sleep(0.6)
    beat(two)
    one.finish(lease, done(), [Offer(Url("http://late.example/"))])
    with pytest.raises(SupersededError, match="silent for too long"):
        one.commit()
    assert one.lease(0.0) == []
    assert two.states([lease.url, Url("http://late.example/")]) == [State.WAITING, None]
    one.close()
    assert len(two.partition.owned) == 256  # type: ignore[attr-defined]
    two.close()


def test_a_worker_that_was_still_asks_nobody_before_it_knows_that_it_is_alive(postgres: str) -> None:
    one, two = worker(postgres, 0, lifetime=0.5), worker(postgres, 1, lifetime=30.0)
    one.offer([Offer(url) for url in URLS])
    assert one.lease(0.0)
    one.assure()
    time.sleep(0.6)
    beat(two)  # takes its sites
    with pytest.raises(SupersededError, match="silent for too long"):
        one.assure()
    with pytest.raises(SupersededError, match="worker 0 has ended"):
        one.assure()  # nor does the next of its requests go out, nor those after it
    one.close()
    two.close()


def test_a_worker_whose_commit_was_refused_asks_nobody(postgres: str) -> None:
    one, two = worker(postgres, 0, lifetime=0.5), worker(postgres, 1, lifetime=30.0)
    one.offer([Offer(url) for url in URLS])
    (lease,) = one.lease(0.0)
    time.sleep(0.6)
    beat(two)
    one.finish(lease, done())
    with pytest.raises(SupersededError, match="silent for too long"):
        one.commit()
    with pytest.raises(SupersededError, match="worker 0 has ended"):
        one.assure()
    one.close()
    two.close()


def test_a_worker_that_was_still_for_a_moment_goes_on(postgres: str) -> None:
    one = worker(postgres, 0, lifetime=2.0)
    renewed = one._server.renewed
    one.assure()
    assert one._server.renewed == renewed, "nothing is asked of the server before every request"
    time.sleep(1.7)
    one.assure()
    assert one._server.renewed > renewed
    one.close()


def test_shards_are_shared_fairly_when_workers_come_and_go(postgres: str) -> None:
    one = worker(postgres, 0, 1)
    one.offer([Offer(url) for url in URLS])
    held = one.lease(0.0, n=3)
    two = worker(postgres, 1, 1)
    beat(one, two, one, two)
    sizes = [len(one.partition.owned), len(two.partition.owned)]  # type: ignore[attr-defined]
    assert sizes == [128, 128]
    assert {shard_of(registered_domain(lease.url)) for lease in held} <= one.partition.owned  # type: ignore[attr-defined]
    for lease in held:
        one.finish(lease, done())
    rest = urls_of(one, 5.0) | urls_of(two, 5.0)
    assert rest == set(URLS) - {lease.url for lease in held}
    two.close()
    beat(one)
    assert len(one.partition.owned) == 256  # type: ignore[attr-defined]
    one.close()


def test_an_address_is_asked_by_one_worker_at_a_time(postgres: str) -> None:
    one, two = worker(postgres, 0, rules=MANNERS), worker(postgres, 1, rules=MANNERS)
    one.offer([Offer(url) for url in URLS])
    (mine,), (other,) = one.lease(0.0), two.lease(0.0)
    assert one.admit(mine, "192.0.2.1", 0.0) == 0.0
    assert two.admit(other, "192.0.2.1", 0.0) > 0.0, "in use"
    one.finish(mine, Ending(State.DONE, "200", at=1.0, address="192.0.2.1"))
    (again,) = [lease for lease in two.lease(50.0, n=99) if lease.url == other.url]
    until = two.admit(again, "192.0.2.1", 50.0)
    assert 50.0 < until <= 53.0, "rests, by the clock of the database"
    one.close()
    two.close()


def test_one_process_alone_takes_over_at_its_place_and_nowhere_else(postgres: str) -> None:
    first = PostgresFrontier(postgres, member=Member("here"))
    first.offer([Offer(URLS[0])])
    second = PostgresFrontier(postgres, member=Member("here"))
    with pytest.raises(SupersededError):
        first.offer([Offer(URLS[1])])
    with pytest.raises(CollectionError, match="already being crawled by worker 0 on here"):
        PostgresFrontier(postgres, member=Member("there"))
    with pytest.raises(CollectionError, match="already being crawled by worker 0 on here"):
        worker(postgres, 3)
    second.close()
    first.close()
    third = PostgresFrontier(postgres, member=Member("there"))
    assert urls_of(third, 1e9) == {URLS[0]}
    third.close()


def test_two_fleets_on_one_collection_are_refused(postgres: str) -> None:
    one = worker(postgres, 0)
    with pytest.raises(CollectionError, match="two fleets cannot work on one collection"):
        PostgresFrontier(postgres, member=Member("elsewhere", 0, 2, shared=True))
    one.close()


def test_offers_that_a_worker_never_took_are_taken_by_the_one_who_works_alone(postgres: str) -> None:
    one, two = worker(postgres, 0), worker(postgres, 1)
    one.offer([Offer(url) for url in URLS])
    two._db.close()
    one.close()
    alone = PostgresFrontier(postgres, MANNERS, member=Member("m1"))
    assert urls_of(alone, 1e9) == set(), "the hosts rest after a fleet"
    assert urls_of(alone, 2e9) == set(URLS)
    alone.close()


def test_a_machine_whose_clock_is_wrong_lets_a_host_rest_for_as_long_as_others_do(postgres: str) -> None:
    wrong = PostgresFrontier(postgres, MANNERS, member=Member("here"))
    wrong._server.skew = 300.0  # its clock is five minutes behind that of the database
    wrong.offer([Offer(Url(f"http://a.example/{n}")) for n in range(2)])
    (lease,) = wrong.lease(1000.0)
    wrong.finish(lease, Ending(State.WAITING, "503", at=1000.0, pause=60.0, failed=True))
    wrong.close()
    right = PostgresFrontier(postgres, MANNERS, member=Member("here"))
    assert right.lease(1310.0, n=9) == []
    assert right.lease(1358.0, n=9) == [], "the pause of a minute is not over, by the database"
    assert len(right.lease(1361.0, n=9)) == 1
    right.close()
