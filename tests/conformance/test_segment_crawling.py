"""specs/segment-focused-crawling.md §9, row by row, and the vectors of Appendix B.

Rows that need a web with topics, its models or manifests are in test_segment_crawling_lab.py.
"""

from __future__ import annotations

import hashlib
from collections import Counter

import numpy as np
import pytest
from tests.crawl.segments.test_predictor import small_web
from tests.crawl.segments.toy import ToyWeb, name_of, toy_chance, toy_crawl
from tests.crawl.topics.test_topic import ABOUT, OTHER, ByMark, page, pages

from phasa.crawl.answer import Answer, Kind
from phasa.crawl.judge import LanguageJudge
from phasa.crawl.learn.balanced import check, folds_of, g_mean, under_sample
from phasa.crawl.learn.validation import Confusion
from phasa.crawl.segments.builder import Builder, voted
from phasa.crawl.segments.dictionary import Dictionary, load_dictionary
from phasa.crawl.segments.evaluation import SWEEP, link_tables, sweep
from phasa.crawl.segments.features import Chance, Citation, Extractor, bin10
from phasa.crawl.segments.graph import segment_graph
from phasa.crawl.segments.identifier import identify, key_of, website
from phasa.crawl.segments.matcher import Matcher
from phasa.crawl.segments.segment import Phase, Segment, is_relevant
from phasa.crawl.segments.soundex import soundex
from phasa.crawl.segments.training import link_examples, train_predictor
from phasa.crawl.strategies import Circumstances, make_strategy
from phasa.crawl.strategies.segment import SegmentStrategy, certain
from phasa.crawl.strategy import OutLinks
from phasa.crawl.target import Target
from phasa.crawl.topics.terms import Terms
from phasa.crawl.topics.topic import DIVING, TopicJudge
from phasa.crawl.topics.training import gather_examples, train_topic
from phasa.frontier.budgets import Budgets
from phasa.measures import f_measure
from phasa.strategy_settings import SegmentSettings
from phasa.web.html import read_page
from phasa.web.url import Url

B3 = Dictionary(["nakhon pratom", "pattaya", "thailand", "samui", "koh samui", "phuket", "bangkok"])
SENTENCE = "cheap hotel near nakhon pratom temple with swimming pool and breakfast"
KPNEWS = [
    "",
    "high-alert/thai-men-survived-from-gas-accident.html",
    "general/suratthani-discuss-banning-guns.html",
    "general/engineers-solved-blackout-on-phangan.html",
    "general/tourists-leave-koh-due-to-electric-blackout.html",
    "travel/how-to-boat-travel-to-koh-phangan.html",
    "travel/backpackers-tourist-agency-at-koh-phangan.html",
    "travel/guide-to-full-moon-party-koh-phangan.html",
]
EXACT = Matcher(Dictionary(["pattaya", "thailand"]), "exact")


def tflswc() -> SegmentStrategy:
    return SegmentStrategy("segment", toy_chance)


@pytest.fixture(scope="module")
def tourism():  # type: ignore[no-untyped-def]
    return train_topic("tourism", gather_examples(pages(ABOUT, 30), pages(OTHER, 60, 1), ByMark()))


@pytest.fixture(scope="module")
def learned():  # type: ignore[no-untyped-def]
    return train_predictor(segment_graph(small_web()), EXACT, topic="toy")


def test_row_01_segment_key() -> None:
    sizes = Counter(key_of(f"http://www.kpnews.org/{path}") for path in KPNEWS)
    assert sorted(sizes.values()) == [1, 1, 3, 3]


async def test_row_02_a_segment_is_crawled_before_anything_else() -> None:
    web, _ = await toy_crawl(tflswc())
    letters = [name_of(url)[0] for url in web.asked]
    runs = [letter for place, letter in enumerate(letters) if place == 0 or letters[place - 1] != letter]
    assert len(runs) == len(set(runs))


def test_row_03_relevance_degree() -> None:
    assert Segment("s", pages=10, relevant=7).degree == 0.7


def test_row_04_relevance_threshold() -> None:
    assert is_relevant(0.7, SegmentSettings().threshold)
    assert [is_relevant(0.7, SegmentSettings(threshold=t).threshold) for t in SWEEP] == [True, True, False, False]
    assert is_relevant(0.5, 0.5)
    assert not is_relevant(0.5, 0.5, strict=True)
    assert is_relevant(1.0, 1.0, strict=True)


def test_row_05_language_gate(tourism) -> None:  # type: ignore[no-untyped-def]
    judged = TopicJudge(tourism, LanguageJudge(ByMark(), "en")).judge(
        Answer(Kind.PAGE, page=page("bonjour beach hotel resort"))
    )
    assert (judged.wanted, judged.score) == (False, 0.0)


def test_row_08_diving_is_tourism_with_a_diving_word(tourism) -> None:  # type: ignore[no-untyped-def]
    diving = tourism.with_words("diving", DIVING)
    assert tourism.relevance(page("beach hotel island")) >= 0.5
    assert diving.relevance(page("beach hotel island")) < 0.5
    assert diving.relevance(page("beach hotel island scuba")) >= 0.5


def test_row_09_terms_of_title_body_and_anchor() -> None:
    terms = Terms("en").of_page(
        read_page('<title>Krabi</title><p>lagoon <a href="/">ferry</a>', Url("http://x.example/a"))
    )
    assert {"krabi", "lagoon", "ferri"} <= set(terms)


def test_row_10_stop_words_and_stems() -> None:
    terms = Terms("en").of_text("the travelling travels")
    assert set(terms) == {"travel"}


def test_row_11_term_frequency() -> None:
    assert Terms("en").of_text("beach, beach and beach")["beach"] == 3


def test_row_12_label_and_probability(tourism) -> None:  # type: ignore[no-untyped-def]
    judged = TopicJudge(tourism, LanguageJudge(ByMark(), "en")).judge(Answer(Kind.PAGE, page=page("beach hotel")))
    assert judged.wanted is (judged.score >= 0.5)
    assert 0.0 <= judged.score <= 1.0


def test_row_13_at_most_300_pages_of_a_site() -> None:
    found = gather_examples(pages(ABOUT, 310, site="one"), pages(OTHER, 20), ByMark())
    assert (int(found.wanted.sum()), found.surplus) == (300, 10)


def test_row_14_pages_in_other_languages_are_left_out() -> None:
    foreign = [page("bonjour", f"http://f{number}.example/") for number in range(3)]
    assert gather_examples([*pages(ABOUT, 5), *foreign], pages(OTHER, 5), ByMark()).foreign == 3


def test_row_15_only_training_folds_are_under_sampled() -> None:
    wanted = np.arange(300) % 10 == 0
    chance = np.random.default_rng(0)
    for training, held in folds_of(wanted, 10, chance):
        rows = under_sample(wanted, training, chance)
        assert wanted[rows].sum() == (~wanted[rows]).sum() == 27
        assert wanted[held].mean() == pytest.approx(0.1)


def test_row_16_g_mean_from_counts() -> None:
    assert g_mean(Confusion(hits=90, alarms=40, misses=10, rejections=160)) == pytest.approx(0.8485, abs=5e-5)


def test_row_17_a_hundred_fold_results(tourism) -> None:  # type: ignore[no-untyped-def]
    assert np.array(tourism.report.results).shape == (10, 10)
    assert tourism.report.g_mean == pytest.approx(np.mean(tourism.report.results))


def test_row_19_majority_of_three() -> None:
    assert voted(["One\t1\t0\t0", "Two\t1\t1\t0"], "votes") == {"two"}


def test_row_20_short_forms() -> None:
    builder = Builder()
    builder.add_names(["Koh Samui"], "harvested")
    builder.add_short_forms()
    assert Matcher(builder.dictionary(), "exact").match("near Samui").related == ["samui"]


def test_row_21_soundexed_dictionary() -> None:
    assert {soundex(term) for term in B3.terms} == B3.sounds
    assert Matcher(B3).match("Nakon patom").related == ["nakon patom"]


def test_row_22_longest_match() -> None:
    for mode in ("bounded", "exact"):
        assert Matcher(B3, mode).match("koh samui").related == ["koh samui"]


def test_row_23_literal_mode() -> None:
    found = Matcher(B3, "literal").match(SENTENCE)
    assert found.related == ["nakhon pratom temple with swimming pool and breakfast"]
    assert found.normal == ["cheap", "hotel", "near"]


def test_row_24_the_identifier_groups_out_links() -> None:
    links = OutLinks(["http://t/A/1", "http://t/B/0", "http://t/C/0", "http://t/C/1"])
    assert list(identify("http://t/A/", [links])) == ["http://t/B/", "http://t/C/"]


def _vector(urls: list[str], texts: list[str], source: str = "http://a.com/", to: str = "http://b.th/"):  # type: ignore[no-untyped-def]
    places = {"a.com": "TH", "b.th": "US"}
    extractor = Extractor(EXACT, lambda host: places.get(host, ""))
    return extractor.vector(source, 0.5, to, Citation(urls, texts))


def test_row_25_source_relevance_degree() -> None:
    assert Segment("s", pages=10, relevant=5).degree == 0.5
    assert _vector([], []).attributes[0] == "5"


def test_row_26_anchor_ratio() -> None:
    assert EXACT.ratio("Pattaya is a beach city in Thailand http Thailand html") == pytest.approx(0.6)


def test_row_27_address_ratio_without_the_host() -> None:
    vector = _vector(["http://www.thailand-x.com/pattaya/thailand.html"], [])
    assert vector.attributes[2] == "9"
    assert "x" not in vector.words


def test_row_28_countries() -> None:
    assert "|".join(_vector([], []).attributes[3:5]) == "TH|US"


def test_row_29_domains() -> None:
    assert "|".join(_vector([], []).attributes[5:]) == "COM|TH"


def test_row_30_word_frequencies() -> None:
    words = Counter(_vector(["http://b.th/lagoon/x"], ["the lagoon", "lagoon"]).words)
    assert words["lagoon"] == 3
    assert "the" not in words


def test_row_31_ten_values() -> None:
    assert [bin10(value) for value in (0.0, 0.55, 1.0)] == ["0", "5", "9"]


def test_row_32_link_model(learned) -> None:  # type: ignore[no-untyped-def]
    vector = learned.examples.vectors[0]
    assert len(vector.attributes) == len(learned.predictor.link.tables) == 7
    assert 0.0 <= learned.predictor.link.probability(vector.attributes) <= 1.0


def test_row_33_word_model(learned) -> None:  # type: ignore[no-untyped-def]
    assert 0.0 <= learned.predictor.words.probability({"phuket": 2, "engine": 1}) <= 1.0


def test_row_34_ensemble_mean() -> None:
    assert Chance(0.8, 0.4).ensemble == pytest.approx(0.6)


def test_row_35_priority() -> None:
    y = Segment("y")
    first = Segment("x1", pages=3, score_sum=0.9 + 0.8 + 0.1)
    second = Segment("x2", pages=1, score_sum=0.5)
    for source, chance in ((first, 0.7), (second, 0.4)):
        y.recommend(source.mean_score * chance, 0)
    assert y.score == pytest.approx(0.31)
    best = Segment("y")
    for source in (first, second):
        best.recommend(source.mean_score, 0)
    assert best.score == pytest.approx(0.55)


async def test_row_36_scores_change_when_new_sources_cite() -> None:
    seen: list[float] = []

    class Watched(SegmentStrategy):
        def _rank(self, segment: Segment) -> None:
            super()._rank(segment)
            if segment.key.endswith("/D/"):
                seen.append(round(segment.score, 6))

    await toy_crawl(Watched("segment", toy_chance))
    assert seen == [0.36, 0.21]


async def test_row_37_segments_leave_in_descending_score() -> None:
    popped: list[float] = []

    class Watched(SegmentStrategy):
        def _enter(self, segment: Segment) -> None:
            if segment.phase is Phase.QUEUED:
                others = [one.score for one in self.segments.values() if one.phase is Phase.QUEUED]
                assert segment.score == max(others)
                popped.append(round(segment.score, 6))
            super()._enter(segment)

    await toy_crawl(Watched("segment", toy_chance))
    assert popped == [1.0, 0.72, 0.48, 0.42, 0.4, 0.21, 0.105]


async def test_row_38_rule_s_counts_in_a_row() -> None:
    table = {"A/0": (0.1, "A/1 A/2 A/3 A/4"), "A/1": (0.9, ""), "A/2": (0.1, ""), "A/3": (0.1, ""), "A/4": (0.9, "")}
    web, _ = await toy_crawl(tflswc(), ToyWeb(table))
    assert web.order == "A0 A1 A2 A3"
    assert SegmentSettings().patience == 2


async def test_row_39_rule_d() -> None:
    strategy = tflswc()
    web, _ = await toy_crawl(strategy)
    assert strategy.segments["http://toy.example/H/"].phase is Phase.DISCARDED
    assert "H0" not in web.order
    assert strategy.settings.distance == 2


def test_row_41_segment_graph() -> None:
    graph = segment_graph(small_web())
    assert all(0.0 <= segment.degree <= 1.0 for segment in graph.segments.values())
    assert all(to in graph.segments for found in graph.citations.values() for to in found)


def test_row_42_sweep_of_four_thresholds() -> None:
    graph = segment_graph(small_web())
    rows = sweep(graph.segments, graph.links, ["http://s0.com/phuket/"])
    assert [row.threshold for row in rows] == [0.25, 0.5, 0.75, 1.0]
    assert all(row.f == pytest.approx(f_measure(row.harvest, row.coverage)) for row in rows)


def test_row_43_f_measure() -> None:
    assert f_measure(96.6, 90.6) == pytest.approx(93.5, abs=0.05)


def test_row_44_no_vector_within_one_website() -> None:
    assert all(website(a) != website(b) for a, b in link_examples(segment_graph(small_web()), EXACT).ends)


async def test_row_46_best_segment_is_the_same_path_with_one_for_the_chance() -> None:
    made = make_strategy("best-segment", Circumstances(Target("en")))
    assert isinstance(made, SegmentStrategy)
    assert certain("", 0, "", Citation([], []), str).ensemble == 1.0
    web, _ = await toy_crawl(made)
    assert web.order == "A0 A1 B0 B1 C0 C1 C2 E0 F0 D0 G0"


@pytest.mark.parametrize(
    ("row", "name", "order"),
    [
        (47, "best-page", "A0 A1 B0 C0 D0 C2 E0 C1 F0 G0 B1 B2 H0"),
        (48, "bfs", "A0 A1 B0 C0 C1 B1 B2 D0 C2 E0 G0 F0 H0"),
    ],
)
async def test_row_47_and_48_crawlers_by_page(row: int, name: str, order: str) -> None:
    web, _ = await toy_crawl(make_strategy(name, Circumstances(Target("en"))))
    assert web.order == order


async def test_row_50_only_unseen_pages(learned) -> None:  # type: ignore[no-untyped-def]
    assert learned.predictor.was_trained_on("http://s0.com/phuket/0.html")
    seen = {"http://toy.example/C/0"}
    web, _ = await toy_crawl(SegmentStrategy("segment", toy_chance, was_seen=seen.__contains__))
    assert len(set(web.asked)) == len(web.asked)
    assert not seen & set(web.asked)


@pytest.mark.parametrize("name", ["best-segment", "best-page", "bfs"])
async def test_row_51_pages_per_website(name: str) -> None:
    links = " ".join(f"A/{number}" for number in range(320))
    web = ToyWeb({f"A/{number}": (0.9, links) for number in range(320)})
    limits = Budgets(pages_per_host=300, free_disk_megabytes=0)
    await toy_crawl(make_strategy(f"{name}", Circumstances(Target("en"))), web, budgets=limits)
    assert len(web.asked) == 300


async def test_row_52_the_budget_is_exact_or_nothing_is_left() -> None:
    web, _ = await toy_crawl(tflswc(), budgets=Budgets(pages=7, free_disk_megabytes=0))
    assert len(web.asked) == 7
    whole, _ = await toy_crawl(tflswc(), budgets=Budgets(pages=10_000, free_disk_megabytes=0))
    assert len(whole.asked) == 11


def test_row_55_coverage_on_closed_data() -> None:
    graph = segment_graph(small_web())
    rows = sweep(graph.segments, {}, ["http://s0.com/phuket/"])
    assert rows[0].coverage == pytest.approx(3 / 60)


@pytest.mark.parametrize(("row", "table"), [(56, "source"), (57, "anchor"), (58, "address")])
def test_row_56_57_58_link_analysis(row: int, table: str) -> None:
    matcher = Matcher(Dictionary(["phuket"]), "exact")
    ratio = link_tables(segment_graph(small_web()).measured_links(matcher))[table]
    assert 0.0 <= ratio.fails < ratio.holds <= 1.0


async def test_row_59_models_do_not_change_while_crawling(learned) -> None:  # type: ignore[no-untyped-def]
    before = hashlib.sha256(learned.predictor.encode()).digest()
    await toy_crawl(SegmentStrategy("segment", learned.predictor.predict))
    assert hashlib.sha256(learned.predictor.encode()).digest() == before


async def test_row_60_stop_and_resume() -> None:
    first = tflswc()
    before, frontier = await toy_crawl(first, budgets=Budgets(pages=4, free_disk_megabytes=0))
    second = tflswc()
    second.load(first.save())
    after, _ = await toy_crawl(second, frontier=frontier)
    assert f"{before.order} {after.order}" == "A0 A1 C0 C1 C2 E0 F0 B0 B1 D0 G0"


# ── Appendix B ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://www.kpnews.org", "http://www.kpnews.org/"),
        ("http://www.kpnews.org/", "http://www.kpnews.org/"),
        ("http://www.kpnews.org/travel/how.html", "http://www.kpnews.org/travel/"),
        ("http://www.lonelyplanet.com/thailand", "http://www.lonelyplanet.com/"),
        ("http://www.lonelyplanet.com/thailand/", "http://www.lonelyplanet.com/thailand/"),
        ("http://www.lonelyplanet.com/thailand/bangkok/a.html?x=/y/", "http://www.lonelyplanet.com/thailand/bangkok/"),
    ],
)
def test_b1_segment_keys(url: str, key: str) -> None:
    assert key_of(url) == key


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Nakhon Pratom", "N251"), ("Nakon patom", "N251"), ("NakornPrathom", "N265"), ("Koh Samui", "K250"),
        ("Samui", "S500"), ("Pattaya", "P300"), ("Thailand", "T453"), ("Phuket", "P230"), ("Bangkok", "B522"),
        ("Nakhon Pratom hotels and resorts", "N251"), ("same", "S500"), ("pocket", "P230"), ("Pete", "P300"),
    ],
)  # fmt: skip
def test_b2_soundex(text: str, code: str) -> None:
    assert soundex(text) == code


@pytest.mark.parametrize("mode", ["bounded", "exact"])
def test_b3_text_tokenizer(mode: str) -> None:
    found = Matcher(B3, mode).match(SENTENCE)
    assert found.related == ["nakhon pratom"]
    assert found.normal == ["cheap", "hotel", "near", "temple", "with", "swimming", "pool", "and", "breakfast"]


@pytest.mark.parametrize(("h", "c", "f"), [(96.6, 90.6, 93.50), (91.7, 85.1, 88.28), (97.8, 91.2, 94.38)])
def test_b5_f_measure(h: float, c: float, f: float) -> None:
    assert f_measure(h, c) == pytest.approx(f, abs=0.005)


async def test_b7_trace_and_relevant_pages_among_the_first_seven() -> None:
    found = {}
    crawlers = {"segment": tflswc(), "best-segment": SegmentStrategy("best-segment", certain)}
    crawlers |= {name: make_strategy(name, Circumstances(Target("en"))) for name in ("best-page", "bfs")}  # type: ignore[misc]
    for name, strategy in crawlers.items():
        web, _ = await toy_crawl(strategy)
        found[name] = sum(web.pages[f"{page[0]}/{page[1]}"][0] >= 0.5 for page in web.order.split()[:7])
    assert found == {"segment": 5, "best-segment": 4, "best-page": 4, "bfs": 4}


def test_the_shipped_dictionary_has_about_as_many_terms_as_the_thesis() -> None:
    assert len(load_dictionary()) >= 8000


def test_the_check_of_a_hundred_folds_is_repeatable() -> None:
    wanted = np.arange(100) % 4 == 0
    runs = [check(wanted, lambda training, held: held % 3 == 0, what="x").scores for _ in range(2)]
    assert runs[0].shape == (10, 10)
    assert (runs[0] == runs[1]).all()
