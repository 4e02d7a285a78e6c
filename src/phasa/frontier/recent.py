"""A small memory of the URLs that were offered last, so that most repeated offers never reach the store."""

from __future__ import annotations

SETTLED = float("inf")


class Recent:
    """URL → a lower bound of its priority: known, and waiting with no less; `SETTLED` when it does not wait.

    Two generations of bounded size: when the young one is full it becomes the old one, and the old one is forgotten.
    Forgetting costs a look into the store, never correctness.
    """

    __slots__ = ("_old", "_size", "_young")

    def __init__(self, size: int = 32_768) -> None:
        self._size = size
        self._young: dict[str, float] = {}
        self._old: dict[str, float] = {}

    def get(self, url: str) -> float | None:
        """The bound; None when the URL is not remembered."""
        bound = self._young.get(url)
        if bound is None and (bound := self._old.get(url)) is not None:
            self.put(url, bound)
        return bound

    def put(self, url: str, bound: float) -> None:
        self._young[url] = bound
        if len(self._young) >= self._size:
            self._old, self._young = self._young, {}

    def forget(self, url: str) -> None:
        self._young.pop(url, None)
        self._old.pop(url, None)

    def clear(self) -> None:
        self._young.clear()
        self._old.clear()
