"""Focused, limited-distance, fish, shark and single-feature orders."""

from __future__ import annotations

import numpy as np
import pytest
from tests.crawl.tiny import TinyCrawl, TinyPage

from phasa.crawl.judge import Judgement
from phasa.crawl.strategies.fish import FishSearch
from phasa.crawl.strategies.focused import HardFocused, SoftFocused
from phasa.crawl.strategies.limited_distance import LimitedDistance
from phasa.crawl.strategies.shark import SharkSearch
from phasa.crawl.strategies.single_feature import DomainOnly, SingleFeature
from phasa.crawl.strategy import DROP, JudgedPage, OutLinks, Seed
from phasa.crawl.target import Target

AIM = Target("th", frozenset({"th"}), similarity=lambda text: float("ก" in text))


def chain(pattern: str) -> dict[str, TinyPage]:
    """'T..T' is a page in the language, two others and one more, each linking to the next."""
    return {
        f"http://p{i}.com/": TinyPage(float(kind == "T"), [f"http://p{i + 1}.com/"]) for i, kind in enumerate(pattern)
    }


def length(strategy, pattern: str) -> int:  # type: ignore[no-untyped-def]
    return len(TinyCrawl(chain(pattern), strategy).run(["http://p0.com/"]))


def test_hard_focus_stops_at_the_first_other_page() -> None:
    assert length(HardFocused(), "TT.TT") == 3


def test_soft_focus_goes_on_but_prefers_links_of_pages_in_the_language() -> None:
    assert length(SoftFocused(), "TT.TT") == 5
    web = {
        "http://en.com/": TinyPage(0, ["http://x.com/"]),
        "http://th.com/": TinyPage(1, ["http://y.com/"]),
        "http://x.com/": TinyPage(0),
        "http://y.com/": TinyPage(0),
    }
    order = TinyCrawl(web, SoftFocused()).run(["http://en.com/", "http://th.com/"])
    assert order.index("http://y.com/") < order.index("http://x.com/")


@pytest.mark.parametrize(("distance", "pages"), [(0, 2), (1, 3), (2, 4), (3, 7)])
def test_limited_distance_crosses_so_many_other_pages(distance: int, pages: int) -> None:
    assert length(LimitedDistance(distance), "T...TTT") == pages


def test_limited_distance_without_order_is_breadth_first_within_the_limit() -> None:
    page = JudgedPage("http://a/", Judgement(False, 0), OutLinks(["http://b/"]), (1).to_bytes(2, "little"))
    assert LimitedDistance(ordered=False).page(page).priorities[0] == 0
    assert LimitedDistance(ordered=True).page(page).priorities[0] == -2


@pytest.mark.parametrize(("depth", "pages"), [(1, 2), (2, 3), (3, 4)])
def test_fish_die_when_they_find_no_food(depth: int, pages: int) -> None:
    assert length(FishSearch(depth), "T......") == pages


def test_food_gives_fish_their_full_depth_again() -> None:
    assert length(FishSearch(3), "T..T..T") == 7


def test_a_narrow_school_takes_few_links_of_a_page_without_food() -> None:
    page = JudgedPage("http://a/", Judgement(False, 0), OutLinks(["http://b/", "http://c/"]), (3).to_bytes(2, "little"))
    assert FishSearch(width=1).page(page).priorities.tolist() == [0, DROP]


def test_shark_scores_by_hand() -> None:
    links = OutLinks(["http://b/", "http://c/", "http://d/"], ["ก", "x", ""], ["", "ก", "y"])
    shark = SharkSearch(AIM, decay=0.5, anchor=0.8, inherited=0.4)
    offers = shark.page(JudgedPage("http://a/", Judgement(True, 0.6), links))
    inherited = 0.5 * 0.6
    assert offers.priorities.tolist() == pytest.approx(
        [0.4 * inherited + 0.6 * 1.0, 0.4 * inherited + 0.6 * 0.2, 0.4 * inherited]
    )


def test_shark_inherits_from_the_grandparent_when_the_page_is_nothing() -> None:
    shark = SharkSearch(AIM, decay=0.5)
    first = shark.page(JudgedPage("http://a/", Judgement(True, 0.8), OutLinks(["http://b/"])))
    second = shark.page(JudgedPage("http://b/", Judgement(False, 0.0), OutLinks(["http://c/"]), first.note(0)))
    assert second.priorities[0] == pytest.approx(0.5 * 0.5 * (0.5 * 0.8))


@pytest.mark.parametrize(("feature", "value"), [(1, 0.6), (2, 1.0), (3, 1.0), (4, np.log(2))])
def test_one_feature_alone_is_the_priority(feature: int, value: float) -> None:
    page = JudgedPage("http://a/", Judgement(True, 0.6), OutLinks(["http://b.th/"], ["ก"]))
    strategy = SingleFeature(AIM, feature)
    assert strategy.name == f"a{feature}"
    assert strategy.page(page).priorities.tolist() == pytest.approx([value])


def test_a_seed_starts_with_its_own_value() -> None:
    assert SingleFeature(AIM, 4).start([Seed("http://a/", distance=0.69)]).priorities.tolist() == [0.69]


def test_domain_only_never_leaves_the_domain() -> None:
    page = JudgedPage("http://a.th/", Judgement(True, 1), OutLinks(["http://b.th/", "http://thai.com/"]))
    assert DomainOnly(AIM).page(page).priorities.tolist() == [0, DROP]
