"""The rules that a frontier lives by, in one value: scope, traps, budgets, manners and what re-discovery means.

Pure: a frontier keeps the counts, the rules say what follows from them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from phasa.frontier.budgets import NO_LIMITS, Budgets
from phasa.frontier.politeness import FREE, Politeness
from phasa.frontier.protocol import OUT_OF_SCOPE, REQUISITE, Offer, OfferResult, Rediscovery, State
from phasa.frontier.scope import Scope
from phasa.frontier.traps import Traps
from phasa.web.url import Url

QUEUE_FULL = "capped: the queue is full"
HOST_SPENT = "capped: the budget of the host is spent"
SITE_SPENT = "capped: the budget of the site is spent"


@dataclass(frozen=True, slots=True)
class Rules:
    """Without arguments: the rules of the lab, where nothing is refused and no host needs rest."""

    rediscovery: Rediscovery = Rediscovery.HIGHER
    scope: Scope | None = None
    traps: Traps | None = None
    budgets: Budgets = field(default_factory=lambda: NO_LIMITS)
    manners: Politeness = field(default_factory=lambda: FREE)

    @property
    def counts_pages(self) -> bool:
        """Whether the pages taken from hosts and sites matter."""
        return bool(self.budgets.pages_per_host or self.budgets.pages_per_site)

    @property
    def refuses_nothing(self) -> bool:
        """Whether every URL may wait, whatever it is."""
        return self.scope is None and self.traps is None and not self.counts_pages

    def refuse(self, url: Url, depth: int, note: bytes = b"") -> tuple[OfferResult, str] | None:
        """What a URL never seen before is recorded as, and why, when the rules refuse it; None when it may wait, as
        far as the budgets (`spent`) allow. To a requisite, as its note says, only what is excluded by name matters."""
        if note.startswith(REQUISITE):
            reason = self.scope.excludes(url) if self.scope is not None else ""
            return (OfferResult.OUT_OF_SCOPE, f"{OUT_OF_SCOPE}: {reason}") if reason else None
        if self.scope is not None and (reason := self.scope.refuses(url, depth)):
            return OfferResult.OUT_OF_SCOPE, f"{OUT_OF_SCOPE}: {reason}"
        if self.traps is not None and (evidence := self.traps.suspects(url)):
            return OfferResult.TRAPPED, f"trap: {evidence}"
        return None

    def spent(self, of_host: int, of_site: int) -> str:
        """The reason why no more pages are taken, when so many were taken from a host and its site; '' for none."""
        budgets = self.budgets
        if budgets.pages_per_host and of_host >= budgets.pages_per_host:
            return HOST_SPENT
        if budgets.pages_per_site and of_site >= budgets.pages_per_site:
            return SITE_SPENT
        return ""

    def refuse_late(self, url: Url, of_host: int, of_site: int) -> tuple[State, str] | None:
        """What becomes of a waiting URL that may no longer be fetched, and why: a budget is spent, or its template was
        found barren after it was taken in. None when it may be."""
        if reason := self.spent(of_host, of_site):
            return State.DROPPED, reason
        if self.traps is not None and (evidence := self.traps.found_barren(url)):
            return State.QUARANTINED, f"trap: {evidence}"
        return None

    def replaces(self, offer: Offer, priority: float, note: bytes) -> bool:
        """Whether an offer of a URL that waits already, with this priority and note, changes them. A page stays one
        when it is a requisite of another, and a requisite becomes one when it is linked to."""
        if (was := note.startswith(REQUISITE)) or offer.is_requisite:
            return was and not offer.is_requisite
        if self.rediscovery is Rediscovery.HIGHER:
            return offer.priority > priority
        return self.rediscovery is Rediscovery.LATEST and (offer.priority != priority or offer.note != note)


def may_return(reason: str, offer: Offer) -> bool:
    """A URL that was dropped only because the queue was full is new again when it is offered again; one that is no page
    of the scope, when another page needs it to be seen."""
    return reason == QUEUE_FULL or (offer.is_requisite and reason.startswith(OUT_OF_SCOPE))
