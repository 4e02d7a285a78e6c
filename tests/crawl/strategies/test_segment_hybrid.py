"""segment-hybrid learns while it crawls, and never looks behind a link."""

from __future__ import annotations

import numpy as np
import pytest

from phasa.crawl.judge import Judgement
from phasa.crawl.learn.word_bayes import WordBayes
from phasa.crawl.live import out_links
from phasa.crawl.segments.choices import Choices
from phasa.crawl.segments.dictionary import Dictionary
from phasa.crawl.segments.matcher import Matcher
from phasa.crawl.segments.nominal_bayes import NominalBayes
from phasa.crawl.segments.predictor import Predictor
from phasa.crawl.strategies import Circumstances, make_strategy
from phasa.crawl.strategies.segment_hybrid import SegmentHybrid
from phasa.crawl.strategies.segment_hybrid import strategy as order
from phasa.crawl.strategy import DROP, JudgedPage, OutLinks, Seed
from phasa.crawl.target import Target
from phasa.errors import InputError
from phasa.strategy_settings import SegmentHybridSettings, SegmentSettings, StrategySettings
from phasa.web.html import read_page
from phasa.web.url import Url


def page(url: str, wanted: bool, links: list[str], anchors: list[str] | None = None) -> JudgedPage:
    score = 0.95 if wanted else 0.05
    return JudgedPage(url, Judgement(wanted, score, "en"), OutLinks(links, anchors or [""] * len(links)))


def predictor() -> Predictor:
    words = WordBayes(0.0, {"phuket": 2.0, "gearbox": -2.0})
    return Predictor(Matcher(Dictionary(["phuket"]), "exact"), NominalBayes(0.0, [{}] * 7), words)


def test_links_of_wanted_pages_go_first() -> None:
    strategy = SegmentHybrid()
    good = strategy.page(page("http://a.com/x/1.html", True, ["http://b.com/y/"])).priorities[0]
    bad = strategy.page(page("http://c.com/z/1.html", False, ["http://d.com/w/"])).priorities[0]
    assert good > bad


def test_the_predictor_is_where_learning_starts() -> None:
    links = ["http://b.com/1/", "http://c.com/2/"]
    offers = SegmentHybrid(predictor()).page(page("http://a.com/", True, links, ["phuket", "gearbox"]))
    assert offers.priorities[0] > offers.priorities[1]


def test_a_segment_that_disappoints_is_left_and_others_of_its_site_sink_with_it() -> None:
    strategy = SegmentHybrid()
    inside = [f"http://b.com/cars/{number}.html" for number in range(6)]
    first = strategy.page(page("http://a.com/", True, [*inside, "http://b.com/other/"])).priorities
    for url in inside[:4]:
        strategy.page(page(url, False, []))
    changed = {change.url: change.priority for change in strategy.changes()}
    assert changed[inside[5]] < first[5]
    assert changed["http://b.com/other/"] < first[6]
    assert changed[inside[5]] < changed["http://b.com/other/"]


def test_words_that_led_to_wanted_pages_raise_what_they_speak_of() -> None:
    strategy = SegmentHybrid(settings=SegmentHybridSettings(explore=0))
    for number in range(40):
        for word, wanted in (("lagoon", True), ("gearbox", False)):
            url = f"http://s{number}{word}.com/p/"
            strategy.page(page(f"http://h{number}.com/", True, [url], [word]))
            strategy.page(page(url, wanted, []))
    offers = strategy.page(page("http://z.com/", True, ["http://n1.com/p/", "http://n2.com/p/"], ["lagoon", "gearbox"]))
    assert offers.priorities[0] > offers.priorities[1] + 1


def test_what_was_fetched_or_trained_on_is_not_offered_again() -> None:
    strategy = SegmentHybrid(was_seen=lambda url: "trained" in url)
    assert strategy.start([Seed("http://trained.com/"), Seed("http://a.com/")]).priorities[0] == DROP
    strategy.page(page("http://a.com/", True, []))
    strategy.failed("http://gone.com/", b"")
    offers = strategy.page(page("http://b.com/", True, ["http://a.com/", "http://trained.com/1", "http://gone.com/"]))
    assert np.all(offers.priorities == DROP)


def test_beyond_the_limit_addresses_are_offered_but_not_remembered() -> None:
    strategy = SegmentHybrid(settings=SegmentHybridSettings(remembered=1000))
    offers = strategy.page(page("http://a.com/", True, [f"http://b.com/{number}.html" for number in range(1500)]))
    assert np.isfinite(offers.priorities).all()
    assert len(strategy._waiting) == 1000


def test_what_was_learned_survives_a_restart() -> None:
    strategy = SegmentHybrid(predictor())
    strategy.page(page("http://a.com/x/", False, ["http://a.com/x/1.html"]))
    strategy.page(page("http://a.com/x/1.html", False, []))
    again = SegmentHybrid(predictor())
    again.load(strategy.save())
    links = ["http://a.com/x/2.html", "http://new.com/"]
    told = [one.page(page("http://c.com/", True, links)).priorities for one in (strategy, again)]
    assert np.allclose(told[0], told[1])


def test_a_broken_state_is_refused() -> None:
    with pytest.raises(InputError, match=r"segment-hybrid.*delete it"):
        SegmentHybrid().load(b"nonsense")


def test_memory_does_not_grow_with_the_crawl(monkeypatch: pytest.MonkeyPatch) -> None:
    """Far more pages, servers and segments than the bounds: what is kept of them only moves between its bounds."""
    monkeypatch.setattr(order, "_DONE", 100)
    monkeypatch.setattr(order, "_SERVERS", 50)
    strategy = SegmentHybrid(settings=SegmentHybridSettings(remembered=1000))
    sizes = []
    for number in range(3000):
        url = f"http://s{number}.com/d{number}/"
        links = [f"http://t{number}.com/{link}.html" for link in range(3)]
        judged = page(url, number % 7 == 0, links)
        strategy.page(JudgedPage(url, judged.judgement, judged.links, country="TH"))
        strategy.changes()
        if number >= 1500:
            sizes.append(_held(strategy))
    assert max(sizes) - min(sizes) <= 2 * (100 + 50)
    saved = strategy.save()
    again = SegmentHybrid()
    again.load(saved)
    assert again.save() == saved


def _held(thing: object) -> int:
    """Entries of the containers of an object and of its parts, however deep; arrays have a fixed size."""
    if isinstance(thing, (str, bytes, int, float, type(None), np.ndarray)):
        return 0
    if isinstance(thing, dict):
        return len(thing) + sum(map(_held, thing.values()))
    if isinstance(thing, (list, set, tuple, frozenset)):
        return len(thing) + sum(map(_held, thing))
    parts = vars(thing) if hasattr(thing, "__dict__") else {}
    return sum(map(_held, parts.values()))


def test_an_address_that_was_fetched_is_remembered_for_long() -> None:
    strategy = SegmentHybrid()
    strategy.page(page("http://a.com/", True, []))
    for number in range(2000):
        strategy.failed(f"http://b.com/{number}", b"")
    assert strategy.page(page("http://c.com/", True, ["http://a.com/"])).priorities[0] == DROP


def learned(**readings: str) -> Predictor:
    """A predictor that was learned with other readings of §8; links are judged by the bin of their address alone."""
    tables: list[dict[str, float]] = [{} for _ in range(7)]
    tables[2] = {"0": -2.0, "1": 2.0}
    matcher = Matcher(Dictionary(["phuket"]), "exact")
    edges = ([0.5], [0.5], [0.2]) if readings.get("bins") == "frequency" else ()
    words = WordBayes(0.0, {"phuket": 2.0})
    return Predictor(matcher, NominalBayes(0.0, tables), words, edges=edges, choices=Choices(**readings))


def record_of(strategy: SegmentHybrid, url: str) -> float:
    """What the strategy gives an address after a page that nothing was known of said of it."""
    return float(strategy.page(page("http://far.com/", True, [url])).priorities[0])


def test_reading_a1_records_are_kept_by_the_directories_that_the_predictor_was_learned_with() -> None:
    given = {}
    for directories in ("slash", "bare"):
        strategy = SegmentHybrid(learned(directories=directories))
        for number in range(6):
            strategy.page(page(f"http://a.com/cars?page={number}", False, []))
        given[directories] = record_of(strategy, "http://a.com/beaches")
    assert given["bare"] > given["slash"]  # '/cars' and '/beaches' are two segments, or one


def test_reading_a2_a_site_is_a_host_or_a_domain() -> None:
    given = {}
    for website in ("host", "domain"):
        strategy = SegmentHybrid(learned(website=website))
        for number in range(6):
            strategy.page(page(f"http://www.a.com/{number}.html", False, []))
        given[website] = record_of(strategy, "http://shop.a.com/x/")
    assert given["domain"] < given["host"]


def test_reading_a7_bins_are_those_that_the_predictor_was_learned_with() -> None:
    url = "http://b.com/x/y/phuket.html"  # one word of three: bin 3 of ten, bin 1 of two
    assert record_of(SegmentHybrid(learned(bins="frequency")), url) > record_of(SegmentHybrid(learned()), url)


def test_reading_a16_less_is_read_around_a_link() -> None:
    given = {}
    for surroundings in ("each", "total"):
        html = b"<p>phuket " + b"x" * 60 + b"<a href='http://b.com/y/'>here</a>" + b"z" * 60
        links = out_links(read_page(html, Url("http://a.com/")))
        offers = SegmentHybrid(learned(surroundings=surroundings)).page(
            JudgedPage("http://a.com/", Judgement(True, 0.95, "en"), links)
        )
        given[surroundings] = float(offers.priorities[0])
    assert given["each"] > given["total"]


def test_without_a_predictor_the_readings_are_those_of_the_settings() -> None:
    settings = StrategySettings(segment=SegmentSettings(directories="bare"))
    given = []
    for chosen in (StrategySettings(), settings):
        strategy = make_strategy("segment-hybrid", Circumstances(Target("en"), settings=chosen))
        assert isinstance(strategy, SegmentHybrid)
        for number in range(6):
            strategy.page(page(f"http://a.com/cars?page={number}", False, []))
        given.append(record_of(strategy, "http://a.com/beaches"))
    assert given[1] > given[0]
