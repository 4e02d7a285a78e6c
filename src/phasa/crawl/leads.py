"""Redirects as lessons: which addresses led to an address, so that those who linked to them hear what came of it."""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple


class Lead(NamedTuple):
    """An address that leads elsewhere, with the note that its strategy gave it."""

    url: str
    note: bytes


class Leads:
    """Remembers who leads to addresses that are not settled, and what came of those settled last: `most` of each."""

    def __init__(self, most: int = 20_000) -> None:
        self._most = most
        self._open: OrderedDict[str, list[Lead]] = OrderedDict()
        self._settled: OrderedDict[int, bool] = OrderedDict()
        """By the hashes of the addresses: nobody asks for these."""

    def moved(self, lead: Lead, target: str) -> None:
        """An address leads to another, and so does all that led to it."""
        leads = self._open.pop(lead.url, [])
        leads.append(lead)
        self._open.setdefault(target, []).extend(leads)
        if len(self._open) > self._most:
            self._open.popitem(last=False)

    def verdict(self, url: str) -> bool | None:
        """Whether an address that was settled lately gave a wanted page; None when it is not remembered."""
        return self._settled.get(hash(url))

    def settle(self, url: str, wanted: bool) -> list[Lead]:
        """An address gave a page, wanted or not, or is dead; who led to it."""
        self._settled[hash(url)] = wanted
        if len(self._settled) > self._most:
            self._settled.popitem(last=False)
        return self._open.pop(url, []) if self._open else []
