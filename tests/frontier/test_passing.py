"""Links from one worker to another take the evidence of the strategy along, through a file and through a server."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from phasa.frontier.database import Database
from phasa.frontier.inbox import Inbox, Partition
from phasa.frontier.postgres.frontier import Member, PostgresFrontier
from phasa.frontier.protocol import REQUISITE, Offer
from phasa.frontier.sqlite import SqliteFrontier
from phasa.frontier.stored import StoredFrontier
from phasa.web.url import Url

URLS = [Url(f"http://site{n}.example/") for n in range(20)]
Worker = Callable[[int], StoredFrontier]


@pytest.fixture(params=["sqlite", "postgres"])
def worker(request: pytest.FixtureRequest, tmp_path: Path) -> Worker:
    def build(number: int) -> StoredFrontier:
        if request.param == "sqlite":
            return SqliteFrontier(tmp_path / "f.db", partition=Partition(number, 2), epoch=1 if number else None)
        member = Member(f"m{number}", number, 2, shared=True)
        return PostgresFrontier(request.getfixturevalue("postgres"), member=member)

    return build


def test_links_for_others_carry_evidence_and_are_worth_what_the_receiver_says(worker: Worker) -> None:
    one, two = worker(0), worker(1)
    heard: list[Offer] = []

    def adopt(offers: Sequence[Offer]) -> list[Offer]:
        heard.extend(offers)
        return [replace(offer, priority=7.0, note=b"") for offer in offers]

    one.pass_links(lambda url: url[-3:].encode(), lambda offers: offers)
    two.pass_links(lambda url: b"", adopt)
    noted = replace(Offer(Url("http://noted.example/")), note=REQUISITE)
    sent = len(URLS) - len(one.offer([Offer(url, 1.0) for url in URLS]))
    assert 0 < sent < len(URLS)
    one.offer([Offer(Url(f"{url}needed"), 1.0, note=noted.note) for url in URLS])
    time.sleep(0.25)
    two.commit()
    plain = [offer for offer in heard if not offer.is_requisite]
    assert len(plain) == sent
    assert all(offer.note == offer.url[-3:].encode() and offer.priority == 1.0 for offer in plain)
    assert len(heard) == 2 * sent, "a note of its own stays"
    leases = two.lease(1e9, n=99)
    assert {lease.url for lease in leases} <= {offer.url for offer in heard}
    assert {(lease.priority, lease.note) for lease in leases} == {(7.0, b"")}
    assert {lease.priority for lease in one.lease(1e9, n=99)} == {1.0}, "its own it ranks itself"
    two.close()
    one.close()


def test_a_worker_that_is_alone_looks_into_its_inbox_until_it_is_empty(tmp_path: Path) -> None:
    asked: list[str] = []
    with closing(Database(tmp_path / "f.db")) as db:
        Inbox(db, Partition(1, 2)).send([(Offer(url, 1.0), None) for url in URLS])
        Inbox(db, Partition(0, 1)).repartition()
        db.connection.set_trace_callback(asked.append)
        alone, others = Inbox(db, Partition(0, 1)), Inbox(db, Partition(0, 2))
        assert alone.has_offers()
        assert {offer.url for offer in alone.take()} < set(URLS)
        assert not any([alone.has_offers(), others.has_offers()])
        before = len(asked)
        assert (alone.has_offers(), alone.take(), len(asked)) == (False, [], before)
        assert (others.has_offers(), len(asked)) == (False, before + 1)
