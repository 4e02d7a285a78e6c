"""Features, both models, training, and the measures."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasa.crawl.judge import Judgement
from phasa.crawl.learn.balanced import check, folds_of, g_mean, under_sample
from phasa.crawl.learn.validation import Confusion
from phasa.crawl.learn.word_bayes import WordBayes
from phasa.crawl.segments.dictionary import Dictionary
from phasa.crawl.segments.evaluation import Counted, SegmentLink, link_tables, sweep
from phasa.crawl.segments.features import Citation, Extractor, address_tokens, bin10
from phasa.crawl.segments.graph import segment_graph
from phasa.crawl.segments.identifier import identify, key_of, website
from phasa.crawl.segments.matcher import Matcher
from phasa.crawl.segments.nominal_bayes import MISSING, NominalBayes
from phasa.crawl.segments.predictor import Predictor, load_predictor
from phasa.crawl.segments.training import link_examples, train_predictor
from phasa.crawl.strategy import JudgedPage, OutLinks
from phasa.errors import InputError

MATCHER = Matcher(Dictionary(["pattaya", "thailand", "phuket"]), "exact")


def small_web(seed: int = 1, sites: int = 60) -> list[JudgedPage]:
    """Sites about Thailand that link to one another with telling words, and others that do not."""
    chance = random.Random(seed)
    pages = []
    for number in range(sites):
        about = number % 3 == 0
        urls, anchors = [], []
        for _ in range(6):
            to = chance.randrange(sites)
            if about and chance.random() < 0.7:
                to = to // 3 * 3
            urls.append(f"http://s{to}.com/{'phuket' if to % 3 == 0 else 'cars'}/{chance.randrange(3)}.html")
            anchors.append("hotels in phuket thailand" if to % 3 == 0 else "engine parts")
        for page in range(3):
            url = f"http://s{number}.com/{'phuket' if about else 'cars'}/{page}.html"
            judgement = Judgement(about, 0.95 if about else 0.05, "en")
            pages.append(JudgedPage(url, judgement, OutLinks(urls, anchors, [""] * 6), country="TH" if about else "US"))
    return pages


def test_links_are_grouped_by_segment_without_the_own_one() -> None:
    links = OutLinks(
        ["http://a.com/x/1", "http://b.com/p/1", "http://b.com/p/2", "http://b.com/q/", "mailto:x"],
        ["own", "one", "two", "three", ""],
        ["", "around", "", "", ""],
    )
    found = identify("http://a.com/x/", [links, links])
    assert list(found) == ["http://b.com/p/", "http://b.com/q/"]
    assert found["http://b.com/p/"].urls == ["http://b.com/p/1", "http://b.com/p/2"]
    assert found["http://b.com/p/"].texts == ["one around", "two", "one around", "two"]


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://www.kpnews.org", "http://www.kpnews.org/"),
        ("http://u:p@x.com/a/b", "http://x.com/a/"),
        ("http://x.com/a;b/c?d=/e/", "http://x.com/a;b/"),
        ("https://[::1]:8080/a//b", "https://[::1]:8080/a//"),
        ("http://x.com/%2F/..%2f/a", "http://x.com/%2F/..%2f/"),
        ("ftp://x.com/a/", ""),
        ("javascript:void(0)", ""),
        ("http://", ""),
        ("", ""),
    ],
)
def test_the_segment_of_odd_addresses_is_defined(url: str, key: str) -> None:
    assert key_of(url) == key


@given(st.text(max_size=40))
def test_the_segment_of_any_text_is_a_directory_or_nothing(text: str) -> None:
    key = key_of(text)
    assert key == "" or (key.startswith("http") and key.endswith("/"))


@given(st.floats(0, 1))
def test_bins_cover_the_unit_interval(value: float) -> None:
    assert bin10(value) in "0123456789"


def test_a_vector_has_seven_attributes_and_words_without_stop_words() -> None:
    cited = Citation(["http://b.co.th/phuket/the-beach.html"], ["the Phuket beach", "beach"])
    where = {"a.com": "us", "b.co.th": ""}
    vector = Extractor(MATCHER, lambda host: where[host]).vector(
        "http://a.com/x/", 0.55, "http://b.co.th/phuket/", cited
    )
    assert vector.attributes == ("5", "3", "5", "US", MISSING, "COM", "TH")
    assert Counter(vector.words) == {"beach": 3, "phuket": 2}


def test_the_host_name_is_no_word_of_an_address() -> None:
    assert address_tokens("http://www.thailand-x.com/pattaya/thailand.html") == ["pattaya", "thailand", "html"]
    assert address_tokens("http://x.com") == []


def test_the_nominal_model_is_the_formula() -> None:
    rows = [("a", "x"), ("a", "y"), ("b", "x"), ("b", MISSING)]
    model = NominalBayes.fit(rows, [True, True, False, False])
    # P(a|rel) = 3/4, P(a|irr) = 1/4; P(x|rel) = 2/4, P(x|irr) = 2/3
    wanted = 0.5 * 0.75 * 0.5
    other = 0.5 * 0.25 * (2 / 3)
    assert model.probability(("a", "x")) == pytest.approx(wanted / (wanted + other))
    assert model.probability(("unseen", MISSING)) == pytest.approx(0.5)


def test_the_word_model_is_the_formula() -> None:
    model = WordBayes.fit([{"sea": 2, "sun": 1}, {"car": 1}], [True, False])
    wanted = 0.5 * (3 / 6) ** 2
    other = 0.5 * (1 / 4) ** 2
    assert model.probability({"sea": 2, "unknown": 9}) == pytest.approx(wanted / (wanted + other))
    assert model.probability_of_words(["sea", "sea", "unknown"]) == pytest.approx(wanted / (wanted + other))
    assert 0.0 <= model.probability({"sea": 10**6}) <= 1.0


@pytest.mark.parametrize("kinds", [[True, True], [False, False]])
def test_one_class_is_not_enough_for_either_model(kinds: list[bool]) -> None:
    with pytest.raises(InputError, match="both classes"):
        WordBayes.fit([{"a": 1}, {"b": 1}], kinds)
    with pytest.raises(InputError, match="both classes"):
        NominalBayes.fit([("a",), ("b",)], kinds)


@given(st.lists(st.booleans(), min_size=4, max_size=60), st.integers(0, 99))
def test_under_sampling_makes_classes_equal_and_invents_nothing(kinds: list[bool], seed: int) -> None:
    wanted = np.array(kinds)
    rows = under_sample(wanted, np.arange(len(kinds)), np.random.default_rng(seed))
    assert wanted[rows].sum() == (~wanted[rows]).sum() == min(wanted.sum(), (~wanted).sum())
    assert len(set(rows.tolist())) == len(rows)


def test_folds_hold_every_row_once_and_keep_the_ratio() -> None:
    wanted = np.arange(200) % 5 == 0
    held = [rows for _, rows in folds_of(wanted, 10, np.random.default_rng(0))]
    assert sorted(np.concatenate(held).tolist()) == list(range(200))
    assert {int(wanted[rows].sum()) for rows in held} == {4}


def test_the_check_names_what_lacks_examples() -> None:
    with pytest.raises(InputError, match="topic 'x': only 3 positive examples"):
        check(np.arange(50) < 3, lambda a, b: np.zeros(len(b), bool), what="topic 'x'")
    with pytest.raises(InputError, match="no negative examples"):
        check(np.ones(50, bool), lambda a, b: np.zeros(len(b), bool), what="x")


def test_g_mean_without_a_class_is_zero() -> None:
    assert g_mean(Confusion(0, 3, 0, 3)) == 0.0


def test_a_predictor_learns_what_leads_to_the_topic(tmp_path: Path) -> None:
    graph = segment_graph(small_web())
    learned = train_predictor(graph, MATCHER, topic="tourism", repeats=2)
    assert learned.check.scores.shape == (2, 10)
    assert learned.check.mean > 0.9
    predictor = learned.predictor
    good = Citation(["http://new.com/phuket/a.html"], ["hotels in phuket"])
    bad = Citation(["http://new.com/cars/a.html"], ["engine"])
    ask = ("http://s3.com/phuket/", 1.0, "http://new.com/phuket/")
    assert predictor.predict(*ask, good, lambda host: "").ensemble > 0.5
    assert predictor.predict("http://s1.com/cars/", 0.0, "http://new.com/cars/", bad, lambda host: "").ensemble < 0.5
    predictor.save(tmp_path / "p")
    again = load_predictor(tmp_path / "p")
    assert again.encode() == predictor.encode()
    assert again.predict(*ask, good, lambda host: "") == predictor.predict(*ask, good, lambda host: "")
    assert again.was_trained_on("http://s3.com/phuket/0.html")
    assert not again.was_trained_on("http://s3.com/phuket/other.html")


def test_no_training_link_stays_within_one_website() -> None:
    page = JudgedPage("http://s0.com/about/", Judgement(True, 1.0), OutLinks(["http://s0.com/phuket/0.html"]))
    examples = link_examples(segment_graph([*small_web(), page]), MATCHER)
    assert examples.inside == 1
    assert all(website(source) != website(to) for source, to in examples.ends)


def test_a_crawl_without_links_between_sites_is_refused() -> None:
    page = JudgedPage("http://a.com/x/1", Judgement(True, 1.0), OutLinks(["http://a.com/y/1"]))
    with pytest.raises(InputError, match="different websites"):
        train_predictor(segment_graph([page]), MATCHER, topic="t")


def test_a_crawl_of_one_class_is_refused() -> None:
    pages = [page for page in small_web() if page.judgement.wanted]
    with pytest.raises(InputError, match=r"no negative examples.* breadth-first"):
        train_predictor(segment_graph(pages), MATCHER, topic="t")
    pages = [page for page in small_web() if not page.judgement.wanted]
    with pytest.raises(InputError, match=r"no positive examples.* from pages about it"):
        train_predictor(segment_graph(pages), MATCHER, topic="t")


def test_a_file_that_is_no_predictor_is_refused(tmp_path: Path) -> None:
    (tmp_path / "p").write_bytes(b"?")
    with pytest.raises(InputError, match="not a segment predictor"):
        load_predictor(tmp_path / "p")


def test_the_sweep_trades_harvest_for_coverage() -> None:
    chance = random.Random(3)
    segments = {f"s{n}": Counted(10, chance.randrange(11)) for n in range(200)}
    links = {key: chance.sample(sorted(segments), 12) for key in segments}
    rows = sweep(segments, links, ["s0", "s1"])
    assert [row.threshold for row in rows] == [0.25, 0.5, 0.75, 1.0]
    assert [row.harvest for row in rows] == sorted(row.harvest for row in rows)
    assert [row.coverage for row in rows] == sorted((row.coverage for row in rows), reverse=True)
    other = sweep(segments, links, ["s0", "s1"], count_starts=False)
    assert other[-1].harvest == 1.0


def test_link_ratios_compare_where_a_condition_holds_with_where_it_does_not() -> None:
    links = [SegmentLink(True, True, False, True)] * 3 + [SegmentLink(True, False, False, False)]
    links += [SegmentLink(False, False, True, False)] * 4
    tables = link_tables(links)
    assert tables["source"] == (0.75, 0.0)
    assert tables["anchor"] == (1.0, 0.0)
    assert (tables["address"].holds - tables["address"].fails) == pytest.approx(-0.75)


def test_the_links_of_a_crawl_can_be_measured() -> None:
    tables = link_tables(segment_graph(small_web()).measured_links(MATCHER))
    assert tables["anchor"].holds > tables["anchor"].fails
    assert tables["source"].holds > tables["source"].fails


def test_a_file_is_read_once_for_as_long_as_it_is_the_same(tmp_path: Path) -> None:
    made = Predictor(Matcher(Dictionary(["phuket"]), "exact"), NominalBayes(0.0, [{}] * 7), WordBayes(0.0, {}))
    file = tmp_path / "segment.predictor"
    made.save(file)
    first = load_predictor(file)
    assert load_predictor(file) is first
    Predictor(made.matcher, made.link, made.words, "another topic").save(file)
    assert load_predictor(file).topic == "another topic"
    file.unlink()
    with pytest.raises(InputError, match="no segment predictor here"):
        load_predictor(file)
