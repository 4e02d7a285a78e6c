"""The cache of recent offers answers what repeats, and sifts the links of a page, without ever being wrong."""

from __future__ import annotations

from tests.frontier.conftest import Make

from phasa.frontier.protocol import Offer, OfferResult, Rediscovery
from phasa.frontier.rules import Rules
from phasa.frontier.scope import Scope, ScopeSettings
from phasa.web.url import Url

A, B, NEW = (Url(f"http://{name}.example/") for name in ("a", "b", "new"))
PICTURE = Url("http://a.example/x.png")
LATEST = Rules(rediscovery=Rediscovery.LATEST)


def test_links_are_sifted_into_those_to_score_and_those_to_record(make: Make) -> None:
    frontier = make(Rules(scope=Scope(ScopeSettings(depth=3))))
    frontier.offer([Offer(A, 0.5), Offer(B, 0.4)])
    assert frontier.lease(0.0)[0].url == A
    assert frontier.sift([A, PICTURE, B, NEW], 1) == ([2, 3], [1])
    assert frontier.sift([NEW, B], 4) == ([1], [0])
    frontier.offer([Offer(PICTURE, 0.0)])
    assert frontier.sift([PICTURE, NEW], 1) == ([1], [])
    assert make(Rules()).sift([PICTURE], 9) == ([0], [])


def test_the_last_word_stands_also_after_a_change(make: Make) -> None:
    frontier = make(LATEST)
    frontier.offer([Offer(A, 1.0), Offer(B, 1.5)])
    frontier.reprioritise([(A, 2.0)])
    frontier.commit()
    frontier.offer([Offer(A, 1.0)])
    assert frontier.lease(0.0)[0].url == B


def test_a_note_that_changes_is_taken_though_the_priority_does_not(make: Make) -> None:
    frontier = make(LATEST)
    frontier.offer([Offer(A, 1.0)])
    assert frontier.offer([Offer(A, 1.0)]) == [OfferResult.KNOWN]
    frontier.offer([Offer(A, 1.0, note=b"x")])
    frontier.offer([Offer(A, 1.0)])
    frontier.offer([Offer(B, 0.5, note=b"y")])
    frontier.offer([Offer(B, 0.5)])
    assert [lease.note for lease in frontier.lease(0.0, 2)] == [b"", b""]
