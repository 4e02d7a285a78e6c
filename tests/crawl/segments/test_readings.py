"""Where the thesis can be read in two ways, the other reading is a setting, and it does something (§8)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.crawl.segments.toy import toy_chance, toy_crawl

from phasa.archive.capture import Capture
from phasa.archive.warc import WarcWriter
from phasa.crawl.answer import Answer
from phasa.crawl.judge import Judgement
from phasa.crawl.learn.lesson import recorded_pages
from phasa.crawl.live import out_links
from phasa.crawl.segments.choices import Choices
from phasa.crawl.segments.dictionary import Dictionary
from phasa.crawl.segments.features import Chance, Citation
from phasa.crawl.segments.graph import segment_graph
from phasa.crawl.segments.hops import citing
from phasa.crawl.segments.identifier import bare_key_of, identify, key_of
from phasa.crawl.segments.locate import AskedCountries, country_by_name
from phasa.crawl.segments.matcher import Matcher
from phasa.crawl.segments.segment import Segment
from phasa.crawl.segments.training import link_examples
from phasa.crawl.strategies import Circumstances, make_strategy
from phasa.crawl.strategies.segment import SegmentStrategy
from phasa.crawl.strategy import JudgedPage, OutLinks, Rediscovery, Seed
from phasa.crawl.target import Target
from phasa.strategy_settings import SegmentSettings
from phasa.web.html import read_page
from phasa.web.url import Url

MATCHER = Matcher(Dictionary(["phuket", "krabi"]), "exact")


def judged(url: str, links: list[str], score: float = 1.0, said: str = "") -> JudgedPage:
    return JudgedPage(url, Judgement(score >= 0.5, score, "en", "t"), OutLinks(links, [said] * len(links)))


@pytest.mark.parametrize(
    ("url", "slash", "bare"),
    [
        ("http://a.com/thailand", "http://a.com/", "http://a.com/thailand/"),
        ("http://a.com/thailand/", "http://a.com/thailand/", "http://a.com/thailand/"),
        ("http://a.com/thailand.html", "http://a.com/", "http://a.com/"),
        ("http://a.com/x/list?page=2", "http://a.com/x/", "http://a.com/x/list/"),
        ("http://a.com/", "http://a.com/", "http://a.com/"),
        ("mailto:a@b.com", "", ""),
    ],
)
def test_reading_a1_a_last_part_without_extension_is_a_directory(url: str, slash: str, bare: str) -> None:
    assert (key_of(url), bare_key_of(url)) == (slash, bare)


def test_reading_a1_the_strategy_keeps_to_it() -> None:
    for directories, keys in (("slash", {"http://a.com/"}), ("bare", {"http://a.com/x/", "http://a.com/y/"})):
        strategy = SegmentStrategy("segment", toy_chance, SegmentSettings(directories=directories))  # type: ignore[arg-type]
        strategy.start([Seed("http://a.com/x"), Seed("http://a.com/y")])
        assert strategy.segments.keys() == keys


def test_reading_a2_links_within_a_registered_domain_teach_nothing() -> None:
    pages = [judged("http://www.a.com/x/1", ["http://shop.a.com/y/1", "http://b.com/z/1"])]
    pages += [judged("http://shop.a.com/y/1", []), judged("http://b.com/z/1", [])]
    graph = segment_graph(pages)
    assert len(link_examples(graph, MATCHER).ends) == 2
    by_domain = link_examples(graph, MATCHER, choices=Choices(website="domain"))
    assert by_domain.ends == [("http://www.a.com/x/", "http://b.com/z/")]
    assert by_domain.inside == 1


def test_reading_a5_every_word_once() -> None:
    text = "phuket phuket phuket hotel cheap"
    assert MATCHER.ratio(text) == pytest.approx(3 / 5)
    assert Matcher(MATCHER.dictionary, "exact", counted="distinct").ratio(text) == pytest.approx(1 / 3)


def test_reading_a6_all_addresses_that_are_known() -> None:
    pages = [
        judged("http://a.com/x/1", ["http://b.com/z/phuket"]),
        judged("http://c.com/x/1", ["http://b.com/z/krabi"]),
    ]
    pages += [judged("http://b.com/z/hotel", [])]
    graph = segment_graph(pages)
    citing, known = (
        link_examples(graph, MATCHER, choices=Choices(addresses=addresses)) for addresses in ("citing", "known")
    )
    assert citing.vectors[0].words == ["phuket"]
    assert set(known.vectors[0].words) == {"phuket", "krabi", "hotel"}
    seen: list[list[str]] = []

    def remember(source: str, degree: float, to: str, cited: Citation, locate: object) -> Chance:
        seen.append(sorted(cited.urls))
        return Chance(1.0, 1.0)

    strategy = SegmentStrategy("segment", remember, SegmentSettings(addresses="known"))
    strategy.start([Seed("http://a.com/x/1"), Seed("http://c.com/x/1")])
    for page in pages[:2]:
        strategy.page(page)
        strategy.changes()
    assert seen == [["http://b.com/z/phuket"], ["http://b.com/z/krabi", "http://b.com/z/phuket"]]


def test_reading_a16_a_hundred_characters_in_all() -> None:
    page = read_page(b"<p>" + b"b" * 80 + b" <a href=http://b.com/y/1>here</a> " + b"f" * 80, Url("http://a.com/x/1"))
    each = identify("http://a.com/x/", [out_links(page)])["http://b.com/y/"].texts[0]
    total = identify("http://a.com/x/", [out_links(page)], surroundings="total")["http://b.com/y/"].texts[0]
    assert (each.count("b"), each.count("f")) == (80, 80)
    assert 48 <= total.count("b") <= 50 >= total.count("f") >= 48
    # A crawl passes on only some of the links of a page: those that are not settled.
    sifted = identify("http://a.com/x/", [out_links(page).pick([0])], surroundings="total")["http://b.com/y/"].texts[0]
    assert sifted == total


def test_row_40_hop_0_is_on_other_websites_than_the_targets() -> None:
    pages = [judged("http://a.com/x/1", ["http://a.com/t"]), judged("http://b.com/x/1", ["http://a.com/t"])]
    assert citing(pages, ["http://a.com/t"]) == ["http://b.com/x/1"]


def test_reading_a21_the_longest_or_the_latest_run() -> None:
    runs = {}
    for several in ("least", "most", "latest"):
        segment = Segment("x")
        for run in (2, 0, 1):
            segment.recommend(0.5, run, several)
        runs[several] = segment.in_run
    assert runs == {"least": 0, "most": 2, "latest": 1}


def test_reading_a23_which_parent_counts() -> None:
    around = Circumstances(Target("en"))
    which = ("best", "first", "latest")
    found = {parent: make_strategy(f"best-page:parent={parent}", around).rediscovery for parent in which}
    assert found == {"best": Rediscovery.HIGHER, "first": Rediscovery.FIRST, "latest": Rediscovery.LATEST}


async def test_reading_a33_a_source_is_worth_its_relevance_degree() -> None:
    scores = {}
    for which in ("pages", "degree"):
        strategy = make_strategy(f"best-segment:source_score={which}", Circumstances(Target("en")))
        await toy_crawl(strategy)
        assert isinstance(strategy, SegmentStrategy)
        scores[which] = strategy.segments["http://toy.example/C/"].score
    assert scores == {"pages": pytest.approx(0.8), "degree": pytest.approx(1.0)}, "A has pages of 0.9 and 0.7"


def test_row_28_countries_of_a_recorded_crawl_are_those_of_its_addresses(tmp_path: Path) -> None:
    writer = WarcWriter(tmp_path)
    body = b"<p>text <a href=http://b.com/y/1>b</a>"
    headers = (("Content-Type", "text/html"),)
    writer.write(Capture("http://a.com/x/1", 200, headers=headers, body=body, address="8.8.8.8"))
    writer.write(Capture("http://b.com/y/1", 200, headers=headers, body=body + b"!", address="127.0.0.1"))
    writer.close()

    class All:
        def judge(self, answer: Answer) -> Judgement:
            return Judgement(True, 1.0, "en", "all")

    graph = segment_graph(recorded_pages(tmp_path, All()))
    assert graph.countries == {"a.com": "US"}
    assert link_examples(graph, MATCHER).vectors[0].attributes[3:5] == ("US", "??")


def test_row_28_countries_of_hosts_not_fetched_are_asked_for_in_the_background(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def answer(host: str) -> str:
        asked.append(host)
        return "TH"

    monkeypatch.setattr("phasa.crawl.segments.locate.country_by_name", answer)
    countries = AskedCountries()
    first = countries.of("a.com:8080")
    for future in countries._asked.values():
        future.result()
    assert first in ("", "TH")
    assert countries.of("a.com") == "TH"
    assert asked == ["a.com"]


def test_the_name_of_no_host_has_no_country() -> None:
    assert country_by_name("no-such-host.invalid") == ""
    assert country_by_name("localhost") == "", "not public"
