"""Topics: terms, training, the language gate, words that must occur."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from phasa.crawl.answer import Answer, Kind
from phasa.crawl.judge import LanguageJudge
from phasa.crawl.topics.terms import Terms
from phasa.crawl.topics.topic import DIVING, Topic, TopicJudge, load_topic
from phasa.crawl.topics.training import gather_examples, train_topic
from phasa.errors import InputError
from phasa.language.detectors.detector import OneByOne
from phasa.language.verdict import Document, Verdict
from phasa.web.html import Page, read_page
from phasa.web.url import Url

ABOUT = [
    "beach",
    "hotel",
    "island",
    "resort",
    "temple",
    "travel",
    "snorkel",
    "sunset",
    "boat",
    "guide",
    "lagoon",
    "ferry",
]
OTHER = [
    "engine",
    "gearbox",
    "invoice",
    "software",
    "tax",
    "physics",
    "theorem",
    "football",
    "recipe",
    "flour",
    "court",
]


class ByMark(OneByOne):
    """Calls French what says so; English everything else."""

    def detect(self, text: str) -> Verdict:
        return Verdict("fr" if "bonjour" in text else "en", 1.0, "mark")

    def judge(self, document: Document) -> Verdict:
        return self.detect(document.text)


def page(text: str, url: str = "http://x.example/") -> Page:
    return read_page(f"<title>t</title><body>{text}</body>", Url(url))


def pages(words: list[str], count: int, seed: int = 0, site: str = "") -> list[Page]:
    chance = random.Random(seed)
    mixed = words * 3 + ABOUT[:2] + OTHER[:2]
    return [
        page(" ".join(chance.choices(mixed, k=30)), f"http://{site or f's{number}'}.example/{number}")
        for number in range(count)
    ]


@pytest.fixture(scope="module")
def tourism() -> Topic:
    examples = gather_examples(pages(ABOUT, 40), pages(OTHER, 90, 1), ByMark())
    return train_topic("tourism", examples, repeats=2)


def test_terms_are_stems_with_counts_from_title_text_and_anchors() -> None:
    terms = Terms("en").of_page(
        read_page(
            '<title>Krabi</title><p>Travelling, travels and the travel. <a href="/x">ferries</a>'
            '<a href="/y"><img alt="longtail"></a>',
            Url("http://x.example/"),
        )
    )
    assert terms["travel"] == 3
    assert terms["krabi"] == 1
    assert terms["ferri"] == 1
    assert terms["longtail"] == 1
    assert "the" not in terms


def test_a_language_without_a_stemmer_keeps_its_words() -> None:
    assert Terms("th").of_text("travels") == {"travels": 1}


def test_a_topic_tells_pages_apart_and_survives_its_file(tourism: Topic, tmp_path: Path) -> None:
    assert tourism.report.g_mean > 0.95
    assert len(tourism.report.results) == 2
    assert tourism.relevance(page("a resort at the beach with boat tours")) > 0.9
    assert tourism.relevance(page("the gearbox of the engine")) < 0.1
    tourism.save(tmp_path / "t.topic")
    again = load_topic(tmp_path / "t.topic")
    text = page("resort engine island")
    assert again.relevance(text) == tourism.relevance(text)
    assert again.report == tourism.report


def test_a_narrower_topic_needs_one_of_its_words(tourism: Topic) -> None:
    diving = tourism.with_words("diving", DIVING)
    assert diving.relevance(page("beach resort island")) == 0.0
    assert diving.relevance(page("beach resort island, Scuba school")) > 0.9
    assert diving.relevance(page("beach resort island, outdiving")) == 0.0


def test_the_language_gate_comes_first(tourism: Topic) -> None:
    asked: list[Page] = []

    class Watching(Topic):
        def relevance(self, page: Page) -> float:
            asked.append(page)
            return 1.0

    judge = TopicJudge(Watching("t", tourism.model), LanguageJudge(ByMark(), "en"))
    refused = judge.judge(Answer(Kind.PAGE, page=page("bonjour beach resort")))
    assert (refused.wanted, refused.score, refused.language, asked) == (False, 0.0, "fr", [])
    taken = judge.judge(Answer(Kind.PAGE, page=page("beach resort")))
    assert (taken.wanted, taken.score, taken.language, len(asked)) == (True, 1.0, "en", 1)
    assert not judge.judge(Answer(Kind.PAGE)).wanted


def test_other_languages_and_surplus_pages_of_a_site_are_left_out() -> None:
    foreign = [page("bonjour la plage", f"http://f{number}.example/") for number in range(5)]
    found = gather_examples(pages(ABOUT, 30, site="one") + foreign, pages(OTHER, 30), ByMark(), pages_per_site=25)
    assert (int(found.wanted.sum()), found.surplus, found.foreign) == (25, 5, 5)


def test_too_few_pages_and_a_single_class_are_refused() -> None:
    with pytest.raises(InputError, match="topic 't': only 5 positive examples, at least 20"):
        train_topic("t", gather_examples(pages(ABOUT, 5), pages(OTHER, 50), ByMark()))
    with pytest.raises(InputError, match="topic 't': no negative examples"):
        train_topic("t", gather_examples(pages(ABOUT, 50), [], ByMark()))
    with pytest.raises(InputError, match="no positive examples"):
        train_topic("t", gather_examples([], [], ByMark()))


def test_the_same_seed_learns_the_same_topic(tourism: Topic) -> None:
    examples = gather_examples(pages(ABOUT, 40), pages(OTHER, 90, 1), ByMark())
    assert train_topic("tourism", examples, repeats=2).model.odds == tourism.model.odds


def test_a_file_that_is_no_topic_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="phasa learn topic"):
        load_topic(tmp_path / "none")
    (tmp_path / "bad").write_bytes(b"?")
    with pytest.raises(InputError, match="not a topic"):
        load_topic(tmp_path / "bad")
