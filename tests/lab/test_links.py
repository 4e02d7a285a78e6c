"""Links in the order of their pages, and a web that stays the same from version to version."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasa.lab import links as linking
from phasa.lab.links import Role, in_order
from phasa.lab.world import World

PAGES = 9
links = st.tuples(
    st.integers(0, PAGES - 1), st.integers(0, PAGES - 1), st.integers(0, len(Role) - 1), st.integers(0, 5)
)


def plainly(drawn: list[tuple[int, int, int, int]]) -> list[list[tuple[int, int, int]]]:
    """The links of each page by role, then as drawn, each goal once."""
    pages: list[dict[int, tuple[int, int, int]]] = [{} for _ in range(PAGES)]
    for source, target, role, flaw in sorted(drawn, key=lambda link: (link[0], link[2])):
        if source != target:
            pages[source].setdefault(target, (target, role, flaw))
    return [list(page.values()) for page in pages]


@given(st.lists(links, max_size=60), st.integers(1, PAGES + 1))
def test_links_are_the_same_however_many_pages_are_sorted_at_once(
    drawn: list[tuple[int, int, int, int]], at_once: int
) -> None:
    columns = np.array(drawn, dtype=np.int32).reshape(-1, 4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linking, "SORTED_AT_ONCE", at_once)
        found = in_order(
            PAGES, columns[:, 0], columns[:, 1], columns[:, 2].astype(np.uint8), columns[:, 3].astype(np.uint8)
        )
    rows = list(zip(found.targets.tolist(), found.roles.tolist(), found.flaws.tolist(), strict=True))
    assert [rows[found.offsets[page] : found.offsets[page + 1]] for page in range(PAGES)] == plainly(drawn)
    assert found.targets.dtype == np.int32


@pytest.mark.parametrize(
    ("language", "links", "anchors"), [("th", 2208445593, 1720585566), ("fa", 1228575552, 1805958716)]
)
def test_a_name_gives_the_web_that_it_gave_before(language: str, links: int, anchors: int) -> None:
    """Published figures name worlds by seed, so a change of how they are drawn must not change them unseen."""
    graph = World.from_name("3:4000", language, lies=0.0).graph
    assert graph.phrase is not None
    assert (zlib.crc32(graph.targets.tobytes()), zlib.crc32(graph.phrase.tobytes())) == (links, anchors)
