"""Segment by segment: the toy replay of Appendix B7 through the real loop, the two rules, caps, stop and resume."""

from __future__ import annotations

import pytest
from tests.crawl.segments.toy import ToyWeb, toy_chance, toy_crawl, url_of

from phasa.crawl.segments.segment import Phase
from phasa.crawl.strategies import Circumstances, make_strategy
from phasa.crawl.strategies.segment import RULE_D, RULE_S, SegmentStrategy, certain
from phasa.crawl.target import Target
from phasa.errors import InputError, SettingsError
from phasa.frontier.budgets import Budgets
from phasa.frontier.protocol import State
from phasa.strategy_settings import SegmentSettings
from phasa.web.url import Url

TFLSWC = "A0 A1 C0 C1 C2 E0 F0 B0 B1 D0 G0"


def tflswc(**settings: object) -> SegmentStrategy:
    return SegmentStrategy("segment", toy_chance, SegmentSettings(**settings))  # type: ignore[arg-type]


async def test_the_predictor_chooses_the_order_of_segments() -> None:
    web, _ = await toy_crawl(tflswc())
    assert web.order == TFLSWC


async def test_without_the_predictor_the_mean_of_the_pages_chooses() -> None:
    web, _ = await toy_crawl(SegmentStrategy("best-segment", certain))
    assert web.order == "A0 A1 B0 B1 C0 C1 C2 E0 F0 D0 G0"


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("best-page", "A0 A1 B0 C0 D0 C2 E0 C1 F0 G0 B1 B2 H0"),
        ("bfs", "A0 A1 B0 C0 C1 B1 B2 D0 C2 E0 G0 F0 H0"),
    ],
)
async def test_the_crawlers_by_page(name: str, order: str) -> None:
    web, _ = await toy_crawl(make_strategy(name, Circumstances(Target("en"))))
    assert web.order == order


async def test_segments_end_in_the_states_of_the_trace() -> None:
    strategy = tflswc()
    _, frontier = await toy_crawl(strategy)
    found = {key[-2]: segment for key, segment in strategy.segments.items()}
    assert found["B"].phase is Phase.ABANDONED
    assert found["H"].phase is Phase.DISCARDED
    assert all(found[letter].phase is Phase.DONE for letter in "ACDEFG")
    assert [found[letter].run for letter in "ACEFBDG"] == [0, 0, 1, 0, 1, 1, 2]
    assert found["C"].degree == pytest.approx(2 / 3)
    assert found["D"].score == pytest.approx(0.21)
    assert found["G"].score == pytest.approx(0.105)
    for page, reason in (("B/2", RULE_S), ("H/0", RULE_D)):
        story = frontier.story(Url(url_of(page)))
        assert story is not None
        assert (story.state, story.reason) == (State.DROPPED, reason)


async def test_a_better_source_revives_a_discarded_segment() -> None:
    strategy = SegmentStrategy("best-segment", certain, SegmentSettings(distance=1))
    relevant = dict.fromkeys(("H/0", "H/1"), (0.9, ""))
    web = ToyWeb({"A/0": (0.9, "B/0 C/0"), "B/0": (0.1, "H/0"), "C/0": (0.8, "H/1"), **relevant})
    _, frontier = await toy_crawl(strategy, web)
    assert web.order == "A0 B0 C0 H0 H1"
    assert frontier.stats().dropped == 0


async def test_a_segment_of_which_only_trained_pages_are_known_costs_no_other_its_score() -> None:
    """Page A leads to B, whose one known page was trained on, and to C; when A is finished, C must be scored."""
    trained = url_of("B/0")
    strategy = SegmentStrategy("best-segment", certain, None, lambda url: url == trained)
    web = ToyWeb({"A/0": (0.9, "B/0 C/0"), "B/0": (0.9, ""), "C/0": (0.9, "B/1"), "B/1": (0.9, "")})
    await toy_crawl(strategy, web)
    assert web.order == "A0 C0 B1"
    scores = {key[-2]: segment.score for key, segment in strategy.segments.items()}
    assert (scores["B"], scores["C"]) == pytest.approx((0.9, 0.9))


async def test_a_relevant_page_starts_the_count_of_rule_s_anew() -> None:
    web = ToyWeb(
        {"A/0": (0.1, "A/1 A/2 A/3 A/4"), "A/1": (0.9, ""), "A/2": (0.1, ""), "A/3": (0.1, ""), "A/4": (0.9, "")}
    )
    await toy_crawl(SegmentStrategy("best-segment", certain), web)
    assert web.order == "A0 A1 A2 A3"


async def test_an_address_that_gives_no_page_does_not_hold_its_segment_open() -> None:
    web = ToyWeb({"A/0": (0.9, "A/9 B/0"), "B/0": (0.9, "")})
    strategy = SegmentStrategy("best-segment", certain)
    await toy_crawl(strategy, web)
    assert web.order == "A0 A9 B0"
    assert {segment.phase for segment in strategy.segments.values()} == {Phase.DONE}


async def test_the_budget_of_a_host_does_not_hold_a_segment_open() -> None:
    links = " ".join(f"A/{number}" for number in range(1, 9))
    web = ToyWeb({"A/0": (0.9, links), **{f"A/{number}": (0.9, "") for number in range(1, 9)}})
    strategy = SegmentStrategy("best-segment", certain)
    await toy_crawl(strategy, web, budgets=Budgets(pages_per_host=3, free_disk_megabytes=0))
    assert len(web.asked) == 3


async def test_the_page_limit_holds_within_a_segment() -> None:
    web, _ = await toy_crawl(tflswc(), budgets=Budgets(pages=4, free_disk_megabytes=0))
    assert web.order == "A0 A1 C0 C1"


@pytest.mark.parametrize("stop", range(1, 11))
async def test_a_crawl_stopped_anywhere_goes_on_as_if_it_had_not(stop: int) -> None:
    first = tflswc()
    before, frontier = await toy_crawl(first, budgets=Budgets(pages=stop, free_disk_megabytes=0))
    second = tflswc()
    second.load(first.save())
    after, _ = await toy_crawl(second, frontier=frontier)
    assert f"{before.order} {after.order}" == TFLSWC


async def test_addresses_seen_in_training_are_not_crawled() -> None:
    seen = {url_of("C/0"), url_of("F/0")}
    strategy = SegmentStrategy("segment", toy_chance, was_seen=seen.__contains__)
    web, _ = await toy_crawl(strategy)
    assert not seen & set(web.asked)


async def test_links_inside_a_segment_can_be_left_alone() -> None:
    web, _ = await toy_crawl(tflswc(discover=False))
    assert web.order.split()[:3] == ["A0", "C0", "E0"]


def test_odd_addresses_are_never_offered() -> None:
    from phasa.crawl.judge import Judgement
    from phasa.crawl.strategy import JudgedPage, OutLinks, Seed

    strategy = SegmentStrategy("best-segment", certain)
    offers = strategy.start([Seed("mailto:a@b"), Seed("http://x.example"), Seed("")])
    assert offers.priorities.tolist() == [float("-inf"), 1.0, float("-inf")]
    links = OutLinks(["ftp://x.example/a", "javascript:1", "http://", "http://y.example/?a=/b/", "http://[::1]/a/b"])
    page = JudgedPage("http://x.example/", Judgement(True, 1.0), links)
    assert [value > float("-inf") for value in strategy.page(page).priorities] == [False, False, False, True, True]
    assert set(strategy.segments) == {"http://x.example/", "http://y.example/", "http://[::1]/a/"}


def test_a_state_of_something_else_is_refused() -> None:
    with pytest.raises(InputError, match="cannot be read"):
        tflswc().load(b"hello")


def test_the_strategy_without_a_predictor_says_how_to_make_one() -> None:
    with pytest.raises(InputError, match="phasa learn predictor"):
        make_strategy("segment", Circumstances(Target("en")))


def test_options_are_shared_by_both_segment_strategies() -> None:
    made = make_strategy("best-segment:patience=5", Circumstances(Target("en")))
    assert isinstance(made, SegmentStrategy)
    assert made.settings.patience == 5
    with pytest.raises(SettingsError, match="patience"):
        make_strategy("best-segment:patient=5", Circumstances(Target("en")))
