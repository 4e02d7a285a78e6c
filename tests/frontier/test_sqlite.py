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
