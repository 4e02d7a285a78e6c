"""What a strategy remembers of a crawl without end: the last so many, and nothing before them."""

from __future__ import annotations

from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class LastSeen(Generic[Key]):
    """A set of at least the last `most` keys and at most twice as many.

    Two generations: when the young one is full it becomes the old one, and the old one is forgotten.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.young: set[Key] = set()
        self.old: set[Key] = set()

    def add(self, key: Key) -> None:
        if len(self.young) >= self.most:
            self.young, self.old = set(), self.young
        self.young.add(key)

    def __contains__(self, key: Key) -> bool:
        return key in self.young or key in self.old

    def __len__(self) -> int:
        """The keys that are kept, those of both generations twice."""
        return len(self.young) + len(self.old)


class LastTold(Generic[Key, Value]):
    """A table of what was told last of at least the last `most` keys and of at most twice as many."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.young: dict[Key, Value] = {}
        self.old: dict[Key, Value] = {}

    def __setitem__(self, key: Key, value: Value) -> None:
        if len(self.young) >= self.most and key not in self.young:
            self.young, self.old = {}, self.young
        self.young[key] = value

    def get(self, key: Key, default: Value) -> Value:
        found = self.young.get(key)
        return found if found is not None else self.old.get(key, default)

    def __len__(self) -> int:
        """The keys that are kept, those of both generations twice."""
        return len(self.young) + len(self.old)
