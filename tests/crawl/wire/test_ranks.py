from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasa.crawl.wire.ranks import hits, linearised, link_weights, page_rank, site_rank

EDGES = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=25)


def arrays(edges: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([e[0] for e in edges], dtype=np.int64), np.array([e[1] for e in edges], dtype=np.int64)


def test_linearised_ranks_are_evenly_spaced() -> None:
    assert linearised(np.array([0.3, 0.1, 0.9])).tolist() == pytest.approx([2 / 3, 1 / 3, 1])


@given(EDGES)
def test_page_rank_is_a_distribution(edges: list[tuple[int, int]]) -> None:
    rank = page_rank(7, *arrays(edges))
    assert rank.sum() == pytest.approx(1)
    assert (rank > 0).all()


def test_a_page_that_all_link_to_ranks_first_and_self_links_do_not_help() -> None:
    rank = page_rank(4, *arrays([(0, 3), (1, 3), (2, 3), (1, 1), (1, 1)]))
    assert rank.argmax() == 3
    assert rank[1] == pytest.approx(rank[0])


def test_a_heavier_link_carries_more() -> None:
    sources, targets = arrays([(0, 1), (0, 2)])
    rank = page_rank(3, sources, targets, link_weights(np.array([50.0, 0.0]), np.array([0.0, 0.0])))
    assert rank[1] > rank[2]


def test_hubs_and_authorities_ignore_links_within_a_site() -> None:
    sites = np.array([0, 0, 1, 2])
    hub, authority = hits(4, *arrays([(0, 1), (0, 2), (3, 2)]), sites)
    assert authority.argmax() == 2
    assert authority[1] == 0
    assert hub[1] == 0


def test_documents_of_the_better_linked_site_rank_higher() -> None:
    sites = np.array([0, 0, 1, 2])
    rank = site_rank(sites, *arrays([(2, 0), (3, 1)]))
    assert rank[0] == rank[1] > max(rank[2], rank[3])


def test_nothing_ranks_to_nothing() -> None:
    assert len(page_rank(0, *arrays([]))) == 0
