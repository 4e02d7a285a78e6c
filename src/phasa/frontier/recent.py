"""What is remembered of the URLs that were offered last, and what it says of the links of a page."""

from __future__ import annotations

from collections.abc import Sequence

from phasa.frontier.scope import Scope
from phasa.web.url import Url

SETTLED = float("inf")


class RecentOffers:
    """A cache of the URLs that were offered last, so that most repeated offers never reach the tables.

    URL → a lower bound of its priority: known, and waiting with no less; `SETTLED` when it does not wait. Two
    generations of bounded size: when the young one is full it becomes the old one, and the old one is forgotten, which
    costs a look into the tables, never correctness. Whoever puts many writes into `young` and calls `rotate`.
    """

    __slots__ = ("_size", "old", "young")

    def __init__(self, size: int = 32_768) -> None:
        self._size = size
        self.young: dict[str, float] = {}
        self.old: dict[str, float] = {}

    def settled(self, urls: Sequence[str]) -> list[bool]:
        """True for each URL that is remembered not to wait."""
        young, recall = self.young, self._recall
        return [(young[url] if url in young else recall(url)) == SETTLED for url in urls]

    def bounds(self, urls: Sequence[str]) -> list[float | None]:
        """The bound of each URL; None for what is not remembered."""
        young, recall = self.young, self._recall
        return [young[url] if url in young else recall(url) for url in urls]

    def _recall(self, url: str) -> float | None:
        """The bound of a URL of the old generation, which is young again; None when it is not there."""
        bound = self.old.pop(url, None)  # not kept twice
        if bound is not None:
            self.put(url, bound)
        return bound

    def put(self, url: str, bound: float) -> None:
        self.young[url] = bound
        self.rotate()

    def rotate(self) -> None:
        """Forget the old generation when the young one is full."""
        if len(self.young) >= self._size:
            self.old, self.young = self.young, {}

    def forget(self, url: str) -> None:
        self.young.pop(url, None)
        self.old.pop(url, None)

    def clear(self) -> None:
        self.young.clear()
        self.old.clear()


def sifted(
    urls: Sequence[Url], bounds: Sequence[float | None], scope: Scope | None, depth: int
) -> tuple[list[int], list[int]]:
    """The places of URLs that are worth scoring, and of those that nothing is known of and that are out of scope."""
    if scope is None:
        return [place for place, bound in enumerate(bounds) if bound != SETTLED], []
    fit: list[int] = []
    refused: list[int] = []
    for place, (url, bound) in enumerate(zip(urls, bounds, strict=True)):
        if bound is None and scope.refuses(url, depth):
            refused.append(place)
        elif bound != SETTLED:
            fit.append(place)
    return fit, refused
