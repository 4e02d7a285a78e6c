"""Links that lead to the sites of other workers: what a strategy knows of them goes along."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from phasa.crawl.strategy import Passing, Strategy
from phasa.errors import BrokenPartError, with_place
from phasa.frontier.protocol import Offer
from phasa.frontier.stored import StoredFrontier
from phasa.web.url import Url


def pass_links(frontier: StoredFrontier, strategy: Strategy) -> None:
    """Let the links that workers send each other carry the evidence of a strategy that keeps any. The strategy of the
    receiver takes it in, says what the link is worth here, and learns from what it brings."""
    if not isinstance(strategy, Passing):
        return
    passing: Passing = strategy

    def evidence(url: Url) -> bytes:
        return passing.evidence(url)

    def adopt(offers: Sequence[Offer]) -> list[Offer]:
        links = [(offer.url, offer.priority, offer.note) for offer in offers if not offer.is_requisite]
        try:
            priorities = iter(passing.adopt(links))
        except Exception as trouble:
            raise BrokenPartError(f"strategy {strategy.name}: {with_place(trouble, __file__)}") from trouble
        return [
            offer if offer.is_requisite else replace(offer, priority=next(priorities), note=b"") for offer in offers
        ]

    frontier.pass_links(evidence, adopt)
