from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.crawl.tiny import TinyCrawl, TinyPage, fifo

from phasa.crawl.strategies.breadth_first import BreadthFirst

URLS = [f"http://h{i % 3}.th/{i}" for i in range(12)]
WEBS = st.fixed_dictionaries(
    {
        url: st.builds(TinyPage, st.sampled_from([0.0, 0.05, 0.1, 0.9]), st.lists(st.sampled_from(URLS), max_size=5))
        for url in URLS
    }
)


@given(WEBS, st.lists(st.sampled_from(URLS), min_size=1, max_size=3, unique=True))
def test_the_order_is_that_of_a_plain_queue(web: dict[str, TinyPage], seeds: list[str]) -> None:
    assert TinyCrawl(web, BreadthFirst()).run(seeds) == fifo(web, seeds)
