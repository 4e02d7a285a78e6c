"""The rules that a frontier lives by, in one value: scope, traps, budgets, manners and what re-discovery means."""

from __future__ import annotations

from dataclasses import dataclass, field

from phasa.frontier.budgets import NO_LIMITS, Budgets
from phasa.frontier.politeness import FREE, Politeness
from phasa.frontier.protocol import Offer, Rediscovery, Standing
from phasa.frontier.scope import Scope
from phasa.frontier.traps import Traps
from phasa.web.url import Url


@dataclass(frozen=True, slots=True)
class Rules:
    """Without arguments: the rules of the lab, where nothing is refused and no host needs rest."""

    rediscovery: Rediscovery = Rediscovery.HIGHER
    scope: Scope | None = None
    traps: Traps | None = None
    budgets: Budgets = field(default_factory=lambda: NO_LIMITS)
    manners: Politeness = field(default_factory=lambda: FREE)

    def refuse(self, url: Url, depth: int) -> tuple[Standing, str] | None:
        """What a URL never seen before is recorded as, and why, when the rules refuse it; None when it may wait."""
        if self.scope is not None and (reason := self.scope.refuses(url, depth)):
            return Standing.OUT_OF_SCOPE, f"out of scope: {reason}"
        if self.traps is not None and (evidence := self.traps.suspects(url)):
            return Standing.TRAPPED, f"trap: {evidence}"
        return None

    def replaces(self, offer: Offer, priority: float, note: bytes) -> bool:
        """Whether an offer of a URL that waits already, with this priority and note, changes them."""
        if self.rediscovery is Rediscovery.HIGHER:
            return offer.priority > priority
        return self.rediscovery is Rediscovery.LATEST and (offer.priority != priority or offer.note != note)


QUEUE_FULL = "capped: the queue is full"
HOST_SPENT = "capped: the budget of the host is spent"
SITE_SPENT = "capped: the budget of the site is spent"


def may_return(reason: str) -> bool:
    """A URL that was dropped only because the queue was full is new again when it is offered again."""
    return reason == QUEUE_FULL
