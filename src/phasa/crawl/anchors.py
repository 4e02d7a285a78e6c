"""The anchor text of each link of a page, cut out of its text when somebody asks for one: some strategies never do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

from phasa.web.html import PackedLinks


class Anchors(Sequence[str]):
    """The anchors of the links at some `places` of a page."""

    def __init__(self, links: PackedLinks, places: Sequence[int]) -> None:
        self._links = links
        self._places = places
        self._cut: list[str] | None = None

    def picked(self, places: Sequence[int]) -> Anchors:
        """Those of some of the links."""
        return Anchors(self._links, [self._places[place] for place in places])

    def _all(self) -> list[str]:
        if self._cut is None:
            self._cut = self._links.anchors(self._places)
        return self._cut

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        return self._all()[place]
