"""What only the frontier of a collection does: several workers, a log, transactions that fail."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from phasa.frontier.politeness import Politeness
from phasa.frontier.protocol import Ending, Offer, State, Visit
from phasa.frontier.rules import Rules
from phasa.frontier.sqlite import Partition, SqliteFrontier
from phasa.frontier.traps import Traps, TrapSettings
from phasa.web.url import Url


def test_offers_that_a_worker_never_took_are_taken_by_the_one_who_works_alone(tmp_path: Path) -> None:
    urls = [Url(f"http://site{n}.example/") for n in range(8)]
    SqliteFrontier(tmp_path / "f.db", partition=Partition(0, 2)).close()
    first = SqliteFrontier(tmp_path / "f.db", partition=Partition(0, 2))
    ours = first.offer([Offer(url) for url in urls])
    assert 0 < len(ours) < len(urls), "some are for the other worker, which never comes"
    first.close()
    alone = SqliteFrontier(tmp_path / "f.db")
    assert {lease.url for lease in alone.lease(1e9, n=99)} == set(urls)
    alone.close()


def test_what_becomes_of_hosts_and_templates_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    rules = Rules(
        traps=Traps(TrapSettings(template_pages=2, fresh_share=0.9)),
        manners=Politeness(delay=0.0, address_delay=0.0, failures=1),
    )
    frontier = SqliteFrontier(tmp_path / "f.db", rules)
    frontier.offer([Offer(Url(f"http://days.example/{n}"), 1.0) for n in range(4)])
    frontier.offer([Offer(Url(f"http://mute.example/{name}")) for name in "ab"])
    with caplog.at_level(logging.DEBUG, logger="phasa.frontier"):
        while leases := frontier.lease(0.0):
            if "days" in leases[0].host:
                frontier.finish(leases[0], Ending(State.DONE, "200", visit=Visit(0.0, digest=7)))
            else:
                frontier.finish(leases[0], Ending(State.WAITING, "timeout", failed=True))
        frontier.close()
    assert "quarantined: 2 pages of days.example/# brought 1 new contents" in caplog.text
    assert "quarantined: http://days.example/2" in caplog.text
    assert "mute.example given up after 1 failures in a row (timeout): 2 waiting URLs dropped" in caplog.text
    assert "merging 6 URLs into an index of 0" in caplog.text


def test_urls_that_change_are_remembered_as_the_text_of_who_changes_them(tmp_path: Path) -> None:
    frontier = SqliteFrontier(tmp_path / "f.db")
    frontier.offer([Offer(Url("http://a.example/"), 1.0)])
    frontier._recent.clear()
    mine = Url("http://a.example" + "/")
    frontier.reprioritise([(mine, 2.0)])
    frontier.commit()
    assert [url is mine for url in frontier._recent.young] == [True]
    frontier.close()


def test_a_transaction_that_fails_leaves_nothing_and_nothing_follows_it(tmp_path: Path) -> None:
    path, url = tmp_path / "f.db", Url("http://a.example/")
    frontier = SqliteFrontier(path)
    frontier.offer([Offer(url)])
    with pytest.raises(TypeError):
        frontier.offer([Offer(Url("http://b.example/")), Offer(Url("http://c.example/"), "high")])  # type: ignore[arg-type]
    assert frontier.states([Url("http://b.example/")]) == [None]
    assert frontier.lease(0.0) == [], "what is in memory may not be used any more"
    frontier.close()
    again = SqliteFrontier(path)
    assert [lease.url for lease in again.lease(0.0, n=9)] == [url]
    again.close()


@pytest.mark.parametrize(("priority", "first"), [(4.0, "/a"), (9.0, "/b"), (1.0, "/a")])
def test_a_new_priority_puts_a_url_before_the_head_of_its_host_only_when_it_is_better(
    tmp_path: Path, priority: float, first: str
) -> None:
    frontier = SqliteFrontier(tmp_path / "f.db", Rules(manners=Politeness(delay=0.0, address_delay=0.0)))
    a, b, other = Url("http://h.example/a"), Url("http://h.example/b"), Url("http://other.example/")
    frontier.offer([Offer(a, 5.0), Offer(b, 3.0), Offer(other, 7.0)])
    assert [lease.url for lease in frontier.lease(0.0)] == [other]  # all hosts are loaded now
    frontier.reprioritise([(b, priority)])
    frontier.commit()
    assert [lease.url for lease in frontier.lease(0.0)] == ["http://h.example" + first]
    frontier.close()


def test_what_is_remembered_of_rows_and_heads_is_what_the_file_says(tmp_path: Path) -> None:
    """Priorities change again and again while pages are leased, finished and dropped; the next process, which knows
    nothing but the file, gives the same order."""
    rules = Rules(manners=Politeness(delay=0.0, address_delay=0.0))
    frontier = SqliteFrontier(tmp_path / "f.db", rules)
    urls = [Url(f"http://h{n % 5}.example/{n}") for n in range(60)]
    frontier.offer([Offer(url, 1.0) for url in urls])
    for step in range(40):
        frontier.reprioritise([(url, float((place * 7 + step * 3) % 11)) for place, url in enumerate(urls)])
        frontier.commit()
        if step % 4 == 0:
            (lease,) = frontier.lease(float(step))
            frontier.finish(lease, Ending(State.DONE, "", float(step), 0.0), [Offer(Url(f"{lease.url}/x"), 0.5)])
        if step % 9 == 0:
            frontier.drop(urls[-1 - step // 9], "no more")
    frontier.commit()
    told = {
        story.url: story.priority for url in urls if (story := frontier.story(url)) and story.state is State.WAITING
    }
    assert {waiting.url: waiting.priority for waiting in frontier.queue() if waiting.url in told} == told
    frontier.close()

    again = SqliteFrontier(tmp_path / "f.db", rules)
    order = []
    now = 100.0
    while leases := again.lease(now):
        order.append(leases[0].priority)
        again.finish(leases[0], Ending(State.DONE, "", now, 0.0))
        now += 1.0
    again.close()
    assert len(order) == len(told) + 10
    assert order == sorted(order, reverse=True)
