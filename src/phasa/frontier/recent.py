"""A small memory of the URLs that were offered last, so that most repeated offers never reach the store."""

from __future__ import annotations

SETTLED = float("inf")


class Recent:
    """URL → a lower bound of its priority: known, and waiting with no less; `SETTLED` when it does not wait.

    Two generations of bounded size: when the young one is full it becomes the old one, and the old one is forgotten.
    Forgetting costs a look into the store, never correctness. Whoever puts many writes into `young` and calls `turn`.
    """

    __slots__ = ("_size", "old", "young")

    def __init__(self, size: int = 32_768) -> None:
        self._size = size
        self.young: dict[str, float] = {}
        self.old: dict[str, float] = {}

    def get(self, url: str) -> float | None:
        """The bound; None when the URL is not remembered."""
        bound = self.young.get(url)
        if bound is None and (bound := self.old.get(url)) is not None:
            self.put(url, bound)
        return bound

    def put(self, url: str, bound: float) -> None:
        self.young[url] = bound
        self.turn()

    def turn(self) -> None:
        """Forget the old generation when the young one is full."""
        if len(self.young) >= self._size:
            self.old, self.young = self.young, {}

    def forget(self, url: str) -> None:
        self.young.pop(url, None)
        self.old.pop(url, None)

    def clear(self) -> None:
        self.young.clear()
        self.old.clear()
