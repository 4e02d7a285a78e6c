from __future__ import annotations

import pytest

from phasa.crawl.strategy import OutLinks
from phasa.crawl.wire.links import RANKS, LinkIndex, needs_links
from phasa.errors import InputError
from phasa.strategy_settings import ScoreWeights

HUB, POPULAR, LONELY = "http://hub.ir/", "http://popular.com/", "http://lonely.org/"
ALL = ScoreWeights(pagerank=1, wlscore=1, hub=1, authority=1, siterank=1)


def index() -> LinkIndex:
    made = LinkIndex()
    made.add(HUB, OutLinks([POPULAR, "http://other.net/", POPULAR], ["a long anchor about it", "", ""]))
    made.add("http://second.ir/", OutLinks([POPULAR]))
    made.add("http://third.ir/", OutLinks([POPULAR, "http://hub.ir/next"]))
    return made


def test_a_target_counts_once_for_a_page() -> None:
    assert len(index()) == 5


def test_what_many_link_to_ranks_above_what_one_links_to() -> None:
    pagerank, wlrank, _, authority, siterank = index().terms([POPULAR, "http://other.net/"], ALL)
    for rank in (pagerank, wlrank, authority, siterank):
        assert rank[0] > rank[1] > 0


def test_a_page_not_fetched_yet_has_the_hub_score_of_its_site() -> None:
    _, _, hub, _, _ = index().terms([HUB, "http://hub.ir/next", POPULAR], ALL)
    assert hub[0] > 0
    assert hub[1] > 0
    assert hub[2] == 0


def test_an_unknown_address_and_a_term_without_weight_are_nothing() -> None:
    assert [rank.tolist() for rank in index().terms([LONELY], ALL)] == [[0.0]] * 5
    pagerank, wlrank, *_ = index().terms([POPULAR], ScoreWeights(wlscore=1))
    assert pagerank[0] == 0 < wlrank[0]


@pytest.mark.parametrize("name", RANKS)
def test_each_rank_needs_the_links(name: str) -> None:
    assert needs_links(ScoreWeights(**{name: 1.0}))
    assert not needs_links(ScoreWeights(queuesize=1))


def test_it_is_saved_and_taken_up() -> None:
    again = LinkIndex()
    again.load(index().save())
    wanted = [HUB, POPULAR, "http://other.net/"]
    for mine, theirs in zip(again.terms(wanted, ALL), index().terms(wanted, ALL), strict=True):
        assert mine.tolist() == theirs.tolist()


@pytest.mark.parametrize("state", [b"", b"\x00", b"nothing of the kind"])
def test_what_is_no_index_is_refused(state: bytes) -> None:
    with pytest.raises(InputError, match="delete it"):
        LinkIndex().load(state)


def test_the_oldest_links_go_when_there_are_too_many() -> None:
    small = LinkIndex(most=10)
    for page in range(30):
        small.add(f"http://p{page}.ir/", OutLinks([f"http://t{page}.ir/", POPULAR]))
    assert len(small) <= 10
    assert small.terms(["http://t0.ir/"], ALL)[0][0] == 0
    assert small.terms(["http://t29.ir/"], ALL)[0][0] > 0
