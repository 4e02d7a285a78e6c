"""The text around each link of a page, put together when somebody asks for it: few strategies do, for few links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from phasa.web.html import CONTEXT, Link


class Contexts(Sequence[str]):
    """What stands before and after each link, up to `width` characters on each side."""

    def __init__(self, links: Sequence[Link], width: int = CONTEXT, places: Sequence[int] | None = None) -> None:
        """Of the links at some `places`, or of all."""
        self._links = links
        self._width = width
        self._places = range(len(links)) if places is None else places

    def within(self, width: int) -> Contexts:
        """The same with less on each side."""
        return Contexts(self._links, width, self._places)

    def picked(self, places: Sequence[int]) -> Contexts:
        """Those of some of the links."""
        return Contexts(self._links, self._width, [self._places[place] for place in places])

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self._around(self._links[at]) for at in self._places[place]]
        return self._around(self._links[self._places[place]])

    def _around(self, link: Link) -> str:
        if self._width >= CONTEXT:
            return f"{link.before} {link.after}"
        return f"{link.before[-self._width :]} {link.after[: self._width]}"
