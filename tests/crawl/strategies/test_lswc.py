from __future__ import annotations

import pytest
from tests.crawl.tiny import TinyCrawl, TinyPage

from phasa.crawl.judge import Judgement
from phasa.crawl.strategies.lswc import Lswc, ServerKind
from phasa.crawl.strategy import DROP, JudgedPage, OutLinks
from phasa.errors import InputError

THAI, OTHER = Judgement(True, 0.6), Judgement(False, 0.0)


def judged(url: str, judgement: Judgement, links: list[str], step: int = 0) -> JudgedPage:
    return JudgedPage(url, judgement, OutLinks(links), step.to_bytes(2, "little"))


def kind_of(lswc: Lswc, host: str) -> ServerKind:
    """What the strategy thinks of a server, by what it says of one of its links next to one of an unknown server."""
    told = lswc.page(judged("http://thai-parent.com/", THAI, [f"http://{host}/next", "http://nobody-knows.com/"]))
    mine, unknown = told.priorities
    return ServerKind.TARGET if mine > unknown else ServerKind.FOREIGN if mine < unknown else ServerKind.UNKNOWN


def test_a_server_with_a_page_in_the_language_is_taken_before_all_others() -> None:
    lswc = Lswc()
    offers = lswc.page(judged("http://thai.com/", THAI, ["http://new.com/", "http://thai.com/2"]))
    assert offers.priorities[1] > offers.priorities[0]


def test_a_server_is_judged_foreign_after_three_other_pages_and_stays_so() -> None:
    lswc = Lswc()
    for i in range(3):
        assert kind_of(lswc, "blog.com") == ServerKind.UNKNOWN
        lswc.page(judged(f"http://blog.com/{i}", OTHER, []))
    lswc.page(judged("http://blog.com/thai", THAI, []))
    assert kind_of(lswc, "blog.com") == ServerKind.FOREIGN


def test_one_page_in_the_language_first_makes_a_blog_host_a_thai_server_for_good() -> None:
    lswc = Lswc()
    lswc.page(judged("http://blog.com/thai", THAI, []))
    for i in range(50):
        lswc.page(judged(f"http://blog.com/{i}", OTHER, []))
    assert kind_of(lswc, "blog.com") == ServerKind.TARGET


def test_links_further_than_the_distance_from_the_last_page_in_the_language_are_dropped() -> None:
    chain = {f"http://s{i}.com/": TinyPage(1.0 if i == 0 else 0.0, [f"http://s{i + 1}.com/"]) for i in range(10)}
    assert len(TinyCrawl(chain, Lswc(distance=5)).run(["http://s0.com/"])) == 1 + 5


def test_a_page_in_the_language_starts_the_count_again() -> None:
    chain = {f"http://s{i}.com/": TinyPage(1.0 if i in (0, 4) else 0.0, [f"http://s{i + 1}.com/"]) for i in range(20)}
    assert len(TinyCrawl(chain, Lswc(distance=5)).run(["http://s0.com/"])) == 4 + 1 + 5


def test_nearer_links_come_before_farther_ones() -> None:
    lswc = Lswc()
    near = lswc.page(judged("http://a.com/", THAI, ["http://x.com/"])).priorities[0]
    far = lswc.page(judged("http://b.com/", OTHER, ["http://y.com/"], step=3)).priorities[0]
    assert near > far


@pytest.mark.parametrize("drop", [False, True])
def test_foreign_servers_come_last_or_not_at_all(drop: bool) -> None:
    lswc = Lswc(drop_foreign=drop)
    for i in range(3):
        lswc.page(judged(f"http://en.com/{i}", OTHER, []))
    foreign, unknown = lswc.page(judged("http://t.com/", THAI, ["http://en.com/9", "http://new.com/"])).priorities
    assert foreign == DROP if drop else DROP < foreign < unknown


def test_what_was_learned_of_servers_survives_a_restart() -> None:
    lswc, again = Lswc(), Lswc()
    lswc.page(judged("http://thai.com/", THAI, []))
    again.load(lswc.save())
    assert kind_of(again, "thai.com") == ServerKind.TARGET


def test_a_state_that_is_not_its_own_is_refused_with_advice() -> None:
    with pytest.raises(InputError, match=r"lswc.*delete it"):
        Lswc().load(b"\x93junk")
