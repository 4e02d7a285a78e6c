"""What a lab crawl keeps of its pages, in place of an archive."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from phasa.crawl.answer import Answer
from phasa.crawl.judge import Judgement

T = TypeVar("T")
ENOUGH = "all pages that were asked for are there"


class Record(Generic[T]):
    """One value per judged page, in the order in which pages came.

    `value` makes it from a page; a page for which it gives None is not counted. `when_full` is called once there are
    `limit` values.
    """

    def __init__(
        self, limit: int, value: Callable[[Answer, Judgement], T | None], when_full: Callable[[], None]
    ) -> None:
        self.values: list[T] = []
        self._limit = limit
        self._value = value
        self._when_full = when_full

    def keep(self, answer: Answer, judgement: Judgement | None) -> str:
        """Note the page; nothing is stored, so there is no place to name."""
        if judgement is not None and (value := self._value(answer, judgement)) is not None:
            self.values.append(value)
            if len(self.values) >= self._limit:
                self._when_full()
        return ""
