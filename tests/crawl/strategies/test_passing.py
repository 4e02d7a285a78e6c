"""Links to sites of another worker: its hybrid knows of them what the finder knew, ranks them, and learns from them."""

from __future__ import annotations

import pytest
from tests.crawl.strategies.test_hybrid import AIM, OTHER, THAI, hybrid, judged

from phasa.crawl.strategies.hybrid import Hybrid
from phasa.crawl.strategies.hybrid.candidates import WIDTH, Feature
from phasa.crawl.strategy import JudgedPage, OutLinks, Passing, Seed

URLS = ["http://a.com/", "http://b.th/x", "http://c.com/", "http://d.com/th/", "http://e.com/"]
LINKS = OutLinks(URLS, ["x", "x", "ก", "", "x"], hints=["", "", "", "th", "en"])


def passed(finder: Hybrid, urls: list[str]) -> list[tuple[str, float, bytes]]:
    """The links as they leave the worker that found them, with a priority that the receiver should not believe."""
    return [(url, -9.0, finder.evidence(url)) for url in urls]


def test_a_link_is_worth_the_same_to_the_worker_that_fetches_it() -> None:
    finder, fetcher = hybrid(), hybrid()
    given = finder.page(JudgedPage("http://s0.com/", THAI, LINKS)).priorities
    fetcher.page(judged("http://s0.com/", THAI, []))  # it has learned the same
    assert len(set(given.tolist())) >= 4
    assert fetcher.adopt(passed(finder, URLS)) == pytest.approx(given.tolist(), abs=0.01)


def test_it_is_worth_what_the_fetching_worker_knows_of_its_site() -> None:
    finder, fetcher = hybrid(), hybrid()
    finder.page(judged("http://s0.com/", THAI, ["http://a.com/1", "http://b.com/1"]))
    for n in range(10, 40):
        url = f"http://a.com/{n}"
        fetcher.page(judged("http://s0.com/", THAI, [url]))
        fetcher.page(judged(url, OTHER, []))
    known, unknown = fetcher.adopt(passed(finder, ["http://a.com/1", "http://b.com/1"]))
    assert known < unknown - 1


def test_the_worker_that_fetches_them_learns_from_them() -> None:
    def lessons(*, evidence: bool) -> float:
        """What a link is worth after thirty pages that came of links which another worker had found."""
        finder, fetcher = hybrid(), hybrid()
        urls = [f"http://h{n}.com/" for n in range(30)]
        finder.page(judged("http://s0.com/", THAI, urls))
        fetcher.adopt(passed(finder, urls) if evidence else [(url, 0.0, b"") for url in urls])
        for url in urls:
            fetcher.page(judged(url, OTHER, []))
        return float(fetcher.page(judged("http://s1.com/", THAI, ["http://new.com/"])).priorities[0])

    assert lessons(evidence=True) < lessons(evidence=False) - 0.5


def test_they_are_ranked_again_after_a_surprise_on_their_host() -> None:
    finder, fetcher = hybrid(), hybrid()
    urls = ["http://a.th/1", "http://a.th/2", "http://a.th/3"]
    finder.page(judged("http://s0.com/", THAI, urls, ["ก", "ก", "ก"]))
    before = fetcher.adopt(passed(finder, urls))
    fetcher.page(judged(urls[0], OTHER, []))
    after = {change.url: change.priority for change in fetcher.changes()}
    assert after.keys() == {urls[1], urls[2]}
    assert all(after[url] < value for url, value in zip(urls[1:], before[1:], strict=True))


def test_what_is_told_twice_counts_once_and_what_is_stronger_counts() -> None:
    finder, fetcher = hybrid(), hybrid()
    url = "http://a.com/"
    finder.page(judged("http://s0.com/", OTHER, [url], ["x"]))
    poor = passed(finder, [url])
    (low,) = fetcher.adopt(poor)
    assert fetcher.adopt(poor) == [low]
    finder.page(judged("http://t.com/", THAI, [url], ["ก"]))
    finder._take_in()
    rich = passed(finder, [url])
    (high,) = fetcher.adopt(rich)
    assert high > low
    assert fetcher.adopt(poor) == [high]
    table = fetcher._candidates
    row = table.row(url)
    assert (table.parents[row], table.wanted_parents[row]) == (2, 1)
    cells = table.cells[row * WIDTH : (row + 1) * WIDTH]
    assert (cells[Feature.ANCHOR_YES], cells[Feature.ANCHOR_NO], cells[Feature.DISTANCE]) == (1.0, 0.0, 1.0)


def test_seeds_keep_their_place_in_the_whole_list() -> None:
    finder, fetcher = Hybrid(AIM), Hybrid(AIM)
    urls = [f"http://s{n}.com/" for n in range(30)]
    given = finder.start([Seed(url) for url in urls]).priorities.tolist()
    assert given[0] > given[20] + 10
    links = [(url, priority, finder.evidence(url)) for url, priority in zip(urls, given, strict=True)]
    assert fetcher.adopt(links) == given


@pytest.mark.parametrize("evidence", [b"", b"\0" * 7])
def test_without_evidence_the_priority_stands(evidence: bytes) -> None:
    assert hybrid().adopt([("http://a.com/", 1.5, evidence)]) == [1.5]


def test_what_was_fetched_is_not_taken_for_waiting() -> None:
    finder, fetcher = hybrid(), hybrid()
    finder.page(judged("http://s0.com/", THAI, ["http://a.com/"]))
    fetcher.page(judged("http://a.com/", THAI, []))
    assert fetcher.adopt(passed(finder, ["http://a.com/"])) == [-9.0]
    assert fetcher._candidates.row("http://a.com/") < 0


def test_a_full_table_makes_room_for_links_of_others() -> None:
    finder, fetcher = hybrid(), hybrid(memory=50)
    urls = [f"http://h{n}.com/" for n in range(40)]
    finder.page(judged("http://s0.com/", THAI, urls))
    fetcher.page(judged("http://s0.com/", OTHER, [f"http://p{n}.com/" for n in range(45)]))
    assert len(set(fetcher.adopt(passed(finder, urls)))) == 1
    assert all(fetcher._candidates.row(url) >= 0 for url in urls)


def test_hybrid_is_such_a_strategy_and_knows_nothing_of_links_that_it_never_saw() -> None:
    assert isinstance(hybrid(), Passing)
    assert hybrid().evidence("http://nowhere.com/") == b""
