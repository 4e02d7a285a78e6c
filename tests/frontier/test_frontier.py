"""What every frontier does: order, states, manners, budgets. Each test runs on each implementation."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from phasa.frontier.budgets import Budgets
from phasa.frontier.politeness import Politeness
from phasa.frontier.protocol import Ending, Frontier, Lease, Offer, OfferResult, Rediscovery, State, Visit
from phasa.frontier.rules import QUEUE_FULL, Rules
from phasa.frontier.scope import Scope, ScopeSettings
from phasa.frontier.traps import Traps, TrapSettings
from phasa.web.url import Url

Make = Callable[[Rules], Frontier]

PATIENT = Rules(manners=Politeness(delay=10.0, address_delay=4.0, lease=100.0, failures=3))


def url(path: str, host: str = "a.example") -> Url:
    return Url(f"http://{host}/{path}")


def offers(*paths: str, host: str = "a.example", **values: float) -> list[Offer]:
    return [Offer(url(path, host), priority=values.get(path, 0.0)) for path in paths]


def done(at: float = 0.0, pause: float = 0.0, address: str = "", digest: int = 0) -> Ending:
    visit = Visit(at=at, status=200, wanted=True, size=10, words=3, digest=digest)
    return Ending(State.DONE, "200", at=at, pause=pause, address=address, visit=visit)


def failed(at: float = 0.0, pause: float = 0.0) -> Ending:
    return Ending(State.WAITING, "timeout", at=at, pause=pause, failed=True)


def drain(frontier: Frontier) -> list[str]:
    """Lease and finish one after the other until nothing is left; the paths in order."""
    paths: list[str] = []
    while leases := frontier.lease(0.0):
        paths.append(leases[0].url.rpartition("/")[2])
        frontier.finish(leases[0], done())
    return paths


def lease_one(frontier: Frontier, now: float = 0.0) -> Lease:
    (lease,) = frontier.lease(now)
    return lease


def test_equal_priorities_come_in_the_order_of_discovery(make: Make) -> None:
    frontier = make(Rules())
    frontier.offer(offers("c", "a", "b"))
    assert drain(frontier) == ["c", "a", "b"]


def test_the_highest_priority_comes_first(make: Make) -> None:
    frontier = make(Rules())
    frontier.offer(offers("a", "b", "c", a=0.1, b=0.9, c=0.5))
    assert drain(frontier) == ["b", "c", "a"]


def test_a_url_is_new_once(make: Make) -> None:
    frontier = make(Rules())
    assert frontier.offer(offers("a", "b", "a")) == [OfferResult.NEW, OfferResult.NEW, OfferResult.KNOWN]
    assert frontier.stats().waiting == 2


def test_a_done_url_is_never_given_again(make: Make) -> None:
    frontier = make(Rules())
    frontier.offer(offers("a"))
    assert drain(frontier) == ["a"]
    assert frontier.offer(offers("a")) == [OfferResult.KNOWN]
    assert frontier.lease(0.0) == []
    assert frontier.stats().done == 1


def test_the_links_of_a_page_wait_once_it_is_finished(make: Make) -> None:
    frontier = make(Rules())
    frontier.offer(offers("a"))
    frontier.finish(lease_one(frontier), done(), offers("b", "c"))
    frontier.commit()
    stats = frontier.stats()
    assert (stats.waiting, stats.leased, stats.done) == (2, 0, 1)
    assert (stats.wanted, stats.pages, stats.bytes, stats.words) == (1, 1, 10, 3)


@pytest.mark.parametrize(
    ("rule", "order"),
    [(Rediscovery.FIRST, ["b", "a"]), (Rediscovery.HIGHER, ["a", "b"]), (Rediscovery.LATEST, ["a", "b"])],
)
def test_a_better_offer_of_a_waiting_url(make: Make, rule: Rediscovery, order: list[str]) -> None:
    frontier = make(Rules(rediscovery=rule))
    frontier.offer([Offer(url("a"), 0.1, note=b"old"), Offer(url("b"), 0.5)])
    (result,) = frontier.offer([Offer(url("a"), 0.9, note=b"new")])
    assert result is (OfferResult.KNOWN if rule is Rediscovery.FIRST else OfferResult.RAISED)
    story = frontier.story(url("a"))
    assert story is not None
    assert story.note == (b"old" if rule is Rediscovery.FIRST else b"new")
    assert drain(frontier) == order


def test_a_worse_offer_counts_only_where_the_latest_does(make: Make) -> None:
    for rule, order in ((Rediscovery.HIGHER, ["a", "b"]), (Rediscovery.LATEST, ["b", "a"])):
        frontier = make(Rules(rediscovery=rule))
        frontier.offer([Offer(url("a"), 0.9), Offer(url("b"), 0.5)])
        frontier.offer([Offer(url("a"), 0.1)])
        assert drain(frontier) == order


def test_after_a_worse_offer_of_its_best_url_a_host_has_its_turn_with_the_next(make: Make) -> None:
    frontier = make(Rules(rediscovery=Rediscovery.LATEST, manners=PATIENT.manners))
    frontier.offer([Offer(url("a"), 0.9), Offer(url("b"), 0.5)])
    frontier.offer([Offer(url("a"), 0.1)])
    assert frontier.best(0.0) == 0.5
    assert frontier.next_ready(0.0) == 0.0
    assert lease_one(frontier).url == url("b")


def test_the_lease_carries_what_was_offered(make: Make) -> None:
    frontier = make(Rules())
    frontier.offer([Offer(url("a"), 0.25, depth=3, source="http://b.example/", note=b"\x00\xff")])
    lease = lease_one(frontier)
    assert (lease.url, lease.host, lease.priority) == (url("a"), "a.example", 0.25)
    assert (lease.depth, lease.source, lease.note, lease.attempts) == (3, "http://b.example/", b"\x00\xff", 0)


def test_states_tell_where_urls_stand(make: Make) -> None:
    frontier = make(Rules())
    frontier.offer(offers("a", "b", "c", "d", a=1.0, b=0.9))
    frontier.finish(lease_one(frontier), done())
    frontier.lease(0.0)
    frontier.drop(url("c"), "not wanted")
    states = frontier.states([url(path) for path in "abcde"])
    assert states == [State.DONE, State.LEASED, State.DROPPED, State.WAITING, None]


def test_an_expired_lease_is_given_again(make: Make) -> None:
    frontier = make(PATIENT)
    frontier.offer(offers("a"))
    first = lease_one(frontier, 0.0)
    assert frontier.lease(99.0) == []
    (second,) = frontier.lease(100.0)
    assert second.url == first.url
    frontier.finish(first, done(100.0))
    assert frontier.stats().leased == 1, "the late finish of the first lease changes nothing"
    frontier.finish(second, done(101.0))
    frontier.commit()
    assert frontier.stats().done == 1


def test_a_host_serves_one_request_at_a_time(make: Make) -> None:
    frontier = make(PATIENT)
    frontier.offer(offers("a", "b") + offers("c", host="b.example"))
    hosts = [lease.host for lease in frontier.lease(0.0, n=5)]
    assert sorted(hosts) == ["a.example", "b.example"]
    assert frontier.lease(50.0) == []


def test_nothing_below_the_least_priority_is_given(make: Make) -> None:
    for rules in (Rules(), PATIENT):
        frontier = make(rules)
        frontier.offer(offers("a", a=0.2) + offers("b", host="b.example", b=0.9) + offers("c", host="c.example", c=0.5))
        assert [lease.url for lease in frontier.lease(0.0, n=5, least=0.5)] == [
            url("b", "b.example"),
            url("c", "c.example"),
        ]
        assert frontier.lease(0.0, n=5, least=0.5) == []
        assert [lease.url for lease in frontier.lease(0.0, n=5)] == [url("a")]


def test_the_best_that_can_come_by_then_counts_hosts_that_rest_but_none_that_are_asked(make: Make) -> None:
    frontier = make(PATIENT)
    assert frontier.best(0.0) == float("-inf")
    frontier.offer(offers("a", "b", a=0.9, b=0.8) + offers("c", host="c.example", c=0.3))
    assert frontier.best(0.0) == 0.9
    lease = lease_one(frontier, 0.0)
    assert frontier.best(100.0) == 0.3
    frontier.finish(lease, done(at=1.0, pause=10.0))
    frontier.commit()
    assert frontier.best(10.9) == 0.3
    assert frontier.best(11.0) == 0.8
    assert frontier.next_ready(1.0, least=0.5) == 11.0
    assert frontier.next_ready(1.0) == 1.0


def test_a_host_rests_after_an_answer(make: Make) -> None:
    frontier = make(PATIENT)
    frontier.offer(offers("a", "b"))
    frontier.finish(lease_one(frontier, 0.0), done(at=2.0, pause=10.0))
    assert frontier.lease(11.9) == []
    assert frontier.next_ready(5.0) == 12.0
    assert lease_one(frontier, 12.0).url == url("b")


def test_an_offer_does_not_shorten_the_rest(make: Make) -> None:
    frontier = make(PATIENT)
    frontier.offer(offers("a"))
    frontier.finish(lease_one(frontier, 0.0), done(at=0.0, pause=10.0), offers("b"))
    frontier.offer(offers("c", c=9.0))
    assert frontier.lease(9.9) == []
    assert lease_one(frontier, 10.0).url == url("c")


def test_hosts_of_one_address_share_its_rest(make: Make) -> None:
    frontier = make(PATIENT)
    frontier.offer(offers("a", "b") + offers("a", "b", host="b.example"))
    one, two = frontier.lease(0.0, n=2)
    assert frontier.admit(one, "192.0.2.1", 0.0) == 0.0
    assert frontier.admit(two, "192.0.2.1", 0.0) > 0.0, "the address is being asked"
    frontier.finish(one, done(at=1.0, pause=0.5, address="192.0.2.1"))
    # Host a may be asked at 1.5, but its address only four seconds after the answer; then only one of the two hosts.
    assert frontier.lease(4.9, n=2) == []
    (next_one,) = [lease for lease in frontier.lease(100.0, n=2) if frontier.admit(lease, "192.0.2.1", 100.0) == 0.0]
    assert next_one.host in ("a.example", "b.example")


def test_hold_gives_the_lease_back_unharmed(make: Make) -> None:
    frontier = make(PATIENT)
    frontier.offer(offers("a"))
    lease = lease_one(frontier, 0.0)
    frontier.hold(lease, 7.0)
    assert frontier.lease(6.0) == []
    again = lease_one(frontier, 7.0)
    assert (again.url, again.attempts) == (lease.url, 0)


def test_a_failed_url_waits_and_counts_its_attempts(make: Make) -> None:
    frontier = make(PATIENT)
    frontier.offer(offers("a"))
    frontier.finish(lease_one(frontier, 0.0), failed(at=0.0, pause=20.0))
    assert frontier.lease(19.0) == []
    assert lease_one(frontier, 20.0).attempts == 1


def test_a_host_that_never_answers_is_given_up(make: Make) -> None:
    frontier = make(PATIENT)
    frontier.offer(offers("a", "b", "c") + offers("d", host="b.example"))
    for turn in range(3):
        (lease,) = [one for one in frontier.lease(turn * 10.0, n=9) if one.host == "a.example"]
        frontier.finish(lease, failed(at=turn * 10.0))
    frontier.commit()
    story = frontier.story(url("b"))
    assert story is not None
    assert (story.state, story.reason) == (State.DROPPED, "host given up: timeout")
    assert frontier.stats().dropped == 3
    assert frontier.states([url("d", "b.example")]) == [State.LEASED]


def test_out_of_scope_is_recorded_with_its_reason(make: Make) -> None:
    frontier = make(Rules(scope=Scope(ScopeSettings(domains=("a.example",)))))
    results = frontier.offer(offers("a") + offers("b", host="b.example"))
    assert results == [OfferResult.NEW, OfferResult.OUT_OF_SCOPE]
    story = frontier.story(url("b", "b.example"))
    assert story is not None
    assert story.state is State.DROPPED
    assert story.reason.startswith("out of scope: not in the domains")


def test_the_queue_cap_drops_the_least_wanted(make: Make) -> None:
    frontier = make(Rules(budgets=Budgets(queue=2)))
    frontier.offer(offers("a", "b", a=0.1, b=0.5))
    assert frontier.offer(offers("c", c=0.9)) == [OfferResult.NEW]
    assert frontier.offer(offers("d", d=0.2)) == [OfferResult.CAPPED]
    assert frontier.stats().waiting == 2
    story = frontier.story(url("a"))
    assert story is not None
    assert (story.state, story.reason) == (State.DROPPED, QUEUE_FULL)
    assert drain(frontier) == ["c", "b"]


def test_the_queue_cap_drops_the_newcomer_among_equals(make: Make) -> None:
    frontier = make(Rules(budgets=Budgets(queue=2)))
    assert frontier.offer(offers("a", "b", "c")) == [OfferResult.NEW, OfferResult.NEW, OfferResult.CAPPED]
    assert drain(frontier) == ["a", "b"]
    assert frontier.offer(offers("c")) == [OfferResult.NEW], "there is room again when it is found again"


def test_the_budget_of_a_host_is_spent_by_pages(make: Make) -> None:
    frontier = make(Rules(budgets=Budgets(pages_per_host=2)))
    frontier.offer(offers("a", "b", "c") + offers("d", host="b.example"))
    assert sorted(drain(frontier)) == ["a", "b", "d"]
    assert frontier.offer(offers("e")) == [OfferResult.CAPPED]
    assert frontier.stats().dropped == 2


def test_the_budget_of_a_site_spans_its_hosts(make: Make) -> None:
    frontier = make(Rules(budgets=Budgets(pages_per_site=2)))
    for number, host in enumerate(("www.ku.ac.th", "ftp.ku.ac.th", "mail.ku.ac.th", "www.chula.ac.th")):
        frontier.offer(offers(str(number), host=host))
    assert drain(frontier) == ["0", "1", "3"]


def test_a_trap_is_quarantined_with_evidence_and_can_be_released(make: Make) -> None:
    frontier = make(Rules(traps=Traps(TrapSettings(repeats=3))))
    trap = url("x/y/x/y/x/y/z")
    assert frontier.offer([Offer(trap)]) == [OfferResult.TRAPPED]
    story = frontier.story(trap)
    assert story is not None
    assert story.state is State.QUARANTINED
    assert "'x/y'" in story.reason
    assert frontier.stats().quarantined == 1
    assert frontier.release("another trap") == 0
    assert frontier.release("'x/y'") == 1
    assert lease_one(frontier).url == trap


def test_a_template_without_new_content_is_quarantined_while_it_waits(make: Make) -> None:
    frontier = make(Rules(traps=Traps(TrapSettings(template_pages=5, fresh_share=0.5))))
    frontier.offer([Offer(url(f"day/{number}")) for number in range(20)] + offers("home"))
    fetched = []
    while leases := frontier.lease(0.0):
        fetched.append(leases[0].url)
        frontier.finish(leases[0], done(digest=7))
    assert len(fetched) == 6, "five pages of the calendar, and the home page"
    assert frontier.stats().quarantined == 15
    assert frontier.offer([Offer(url("day/99"))]) == [OfferResult.TRAPPED]
    assert frontier.release() == 16
    assert frontier.offer([Offer(url("day/100"))]) == [OfferResult.NEW], "the template is trusted again"


def test_requeue_lets_a_url_wait_again(make: Make) -> None:
    frontier = make(Rules())
    frontier.offer(offers("a", "b"))
    assert not frontier.requeue(url("a"))
    drain(frontier)
    assert frontier.requeue(url("b"), priority=3.0)
    assert not frontier.requeue(url("unknown"))
    assert lease_one(frontier).priority == 3.0
    assert frontier.stats().done == 1


def test_finishing_twice_is_finishing_once(make: Make) -> None:
    frontier = make(PATIENT)
    frontier.offer(offers("a"))
    lease = lease_one(frontier, 0.0)
    for _ in range(2):
        frontier.finish(lease, done(), offers("b"))
    frontier.commit()
    stats = frontier.stats()
    assert (stats.done, stats.waiting, stats.bytes) == (1, 1, 10)


def test_reprioritise_moves_what_waits(make: Make) -> None:
    frontier = make(PATIENT)
    frontier.offer(offers("a", "b", "c", a=0.5, b=0.4, c=0.3))
    frontier.reprioritise([(url("a"), 0.1), (url("c"), 0.9), (url("z"), 1.0)])
    order = []
    for turn in range(3):
        lease = lease_one(frontier, turn * 10.0)
        order.append(lease.url[-1])
        frontier.finish(lease, done(at=turn * 10.0, pause=10.0))
    assert order == ["c", "b", "a"]


def test_among_urls_that_get_the_same_priority_the_first_one_found_comes_first(make: Make) -> None:
    frontier = make(PATIENT)
    frontier.offer(offers("a", "b", "c", "d") + offers("z", host="b.example", z=0.9))
    assert lease_one(frontier, 0.0).url[-1] == "z"  # both hosts are known by their heads now
    frontier.reprioritise([(url("d"), 0.9), (url("b"), 0.9), (url("c"), 0.9)])
    frontier.commit()
    order = []
    for turn in range(4):
        lease = lease_one(frontier, turn * 10.0)
        order.append(lease.url[-1])
        frontier.finish(lease, done(at=turn * 10.0, pause=10.0))
    assert order == ["b", "c", "d", "a"]


def test_waiting_lists_a_host_best_first(make: Make) -> None:
    frontier = make(PATIENT)
    frontier.offer(offers("a", "b", "c", b=0.7) + offers("d", host="b.example"))
    assert [one.url[-1] for one in frontier.waiting("a.example", 2)] == ["b", "a"]


def test_close_gives_leases_back(make: Make) -> None:
    frontier = make(Rules())
    frontier.offer(offers("a"))
    frontier.lease(0.0)
    assert frontier.next_ready(0.0) is None
    frontier.commit()


def test_story_of_an_unknown_url(make: Make) -> None:
    assert make(Rules()).story(url("a")) is None
