"""What a block is in its page: a heading, a paragraph, an item of a list, a cell of a table, a quotation, code.

Asked of the element that a block stands in and those around it: the nearest that says something.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from phasa.overview.extract.blocks import Layout
from phasa.overview.extract.content import Kind, Place

_KINDS: Final = {
    **{f"h{level}": Kind.HEADING for level in range(1, 7)},
    **dict.fromkeys(("li", "dt", "dd"), Kind.ITEM),
    **dict.fromkeys(("td", "th"), Kind.CELL),
    "blockquote": Kind.QUOTE,
    "pre": Kind.CODE,
}
_LISTS: Final = frozenset(("ul", "ol", "dl"))
_PLAIN: Final = Place()


def places_of(page: Layout, numbers: Iterable[int]) -> dict[int, Place]:
    """The place of each of the elements with these numbers. Linear: what is known of a parent is not asked again."""
    known: dict[int, Place] = {0: _PLAIN}
    depths: dict[int, int] = {0: 0}
    for wanted in numbers:
        chain = []
        element = wanted
        while element not in known:
            chain.append(element)
            element = page.parent[element]
        for element in reversed(chain):
            parent = page.parent[element]
            tag = page.tag[element]
            depths[element] = depths[parent] + (tag in _LISTS)
            known[element] = _place(page, element, depths[element]) if tag in _KINDS else known[parent]
    return known


def _place(page: Layout, element: int, depth: int) -> Place:
    tag, parent = page.tag[element], page.parent[element]
    kind = _KINDS[tag]
    if kind is Kind.HEADING:
        return Place(kind, level=int(tag[1]))
    if kind is Kind.ITEM:
        return Place(kind, level=max(depth, 1), group=parent, row=element, numbered=page.tag[parent] == "ol")
    if kind is Kind.CELL:
        return Place(kind, group=parent, row=page.rows.get(element, 0), column=element)
    return Place(kind, group=element)
