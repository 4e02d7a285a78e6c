"""The scope of a crawl in cycles: links lead to accepted domains, seeds may be anywhere (persian-crawling §3.4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from phasa.frontier.scope import Scope, ScopeSettings
from phasa.web.url import Url, authority, tld_of


class CycleScope(Scope):
    """The rules of the scope, and the top-level domains of the cycles for what was found by a link; empty: all."""

    def __init__(
        self, settings: ScopeSettings | None, domains: Sequence[str], was_seen: Callable[[str], bool] | None = None
    ) -> None:
        super().__init__(settings, was_seen)
        self._accepted = frozenset(name.lower().lstrip(".") for name in domains)

    def refuses(self, url: Url, depth: int = 0) -> str:
        if depth and self._accepted and (tld := tld_of(authority(url))) not in self._accepted:
            return f"domain .{tld} is not one of cycles.domains"
        return super().refuses(url, depth)
