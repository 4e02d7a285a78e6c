"""Budgets of hosts and sites, and barren templates, at the moment of a lease: what was fine when a URL was taken in may
be spent by now."""

from __future__ import annotations

from collections.abc import Iterable

from phasa.frontier.host_table import HostTable
from phasa.frontier.protocol import Lease, State
from phasa.frontier.rules import HOST_SPENT, SITE_SPENT, Rules
from phasa.frontier.url_table import Row
from phasa.web.url import Url, registered_domain


class Spending:
    """What the budgets of a host and its site leave. `uncommitted`: pages done that the store does not count yet."""

    def __init__(self, rules: Rules, hosts: HostTable) -> None:
        self._rules = rules
        self._hosts = hosts
        self._counted = bool(rules.budgets.pages_per_host or rules.budgets.pages_per_site)

    def refuses(self, row: Row, uncommitted: Iterable[Url]) -> tuple[State, str] | None:
        """What becomes of a URL that may no longer be fetched, and why."""
        budgets, traps = self._rules.budgets, self._rules.traps
        if self._counted:
            of_host, of_site = self._taken(row, uncommitted)
            if budgets.pages_per_host and of_host >= budgets.pages_per_host:
                return State.DROPPED, HOST_SPENT
            if budgets.pages_per_site and of_site >= budgets.pages_per_site:
                return State.DROPPED, SITE_SPENT
        if traps is not None and (evidence := traps.found_barren(row.url)):
            return State.QUARANTINED, f"trap: {evidence}"
        return None

    def may_be_spent(self, row: Row, uncommitted: Iterable[Url], leased: Iterable[Lease]) -> bool:
        """Whether the pages that are being fetched now may spend the budget of this URL's site."""
        budget = self._rules.budgets.pages_per_site
        if not budget:
            return False
        site = registered_domain(row.url)
        out = sum(registered_domain(lease.url) == site for lease in leased)
        return self._taken(row, uncommitted)[1] + out >= budget

    def _taken(self, row: Row, uncommitted: Iterable[Url]) -> tuple[int, int]:
        of_host, of_site = self._hosts.taken(row.host)
        site = registered_domain(row.url)
        return of_host, of_site + sum(registered_domain(url) == site for url in uncommitted)
