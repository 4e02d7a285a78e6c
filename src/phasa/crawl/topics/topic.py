"""A topic as it was learned: how likely a page is about it, by its terms; with words that must occur (§4.2).

`must` is the extra-words filter: a page without one of these words is not about the topic, whatever the model says.
Thai-diving is the model of Thai-tourism with scuba, snorkeling and diving (A11, A12). A topic that is a country is
judged by the names in a page instead (`places`); one is shipped: thailand.
"""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from phasa.crawl.answer import Answer
from phasa.crawl.judge import Judgement, LanguageJudge
from phasa.crawl.learn.model_file import pack, read_model
from phasa.crawl.learn.word_bayes import WordBayes
from phasa.crawl.topics.places import Places
from phasa.crawl.topics.terms import Terms
from phasa.files import replace_file
from phasa.web.html import Page

_KIND = "phasa topic 1"
_DATA = Path(__file__).parent / "data"
DIVING = ("scuba", "snorkel", "snorkels", "snorkeling", "snorkelling", "snorkeler", "snorkellers", "diving", "divers",
          "diver", "dive", "dives", "freediving", "padi", "liveaboard", "liveaboards")  # fmt: skip


class Report(msgspec.Struct, frozen=True):
    """How a model did in its cross-validation."""

    positive: int = 0
    negative: int = 0
    folds: int = 0
    repeats: int = 0
    g_mean: float = 0.0
    deviation: float = 0.0
    best: float = 0.0
    results: list[list[float]] = []
    """G-mean of every fold of every repetition."""
    pages_per_site: int = 0


class Stored(msgspec.Struct, frozen=True):
    """A topic as it is kept."""

    kind: str
    name: str
    language: str
    threshold: float
    must: list[str]
    prior: float
    odds: dict[str, float]
    report: Report
    places: Places | None = None


class Topic:
    """Is a page about it? `relevance` is P_w before the language gate, `judge` the decision with it."""

    def __init__(
        self,
        name: str,
        model: WordBayes,
        language: str = "en",
        must: tuple[str, ...] = (),
        threshold: float = 0.5,
        report: Report | None = None,
        places: Places | None = None,
    ) -> None:
        self.name, self.model, self.language, self.threshold = name, model, language, threshold
        self.report = report if report is not None else Report()
        self.places = places
        self.must = tuple(must)
        self._must = re.compile(rf"\b(?:{'|'.join(map(re.escape, self.must))})\b", re.IGNORECASE) if must else None
        self._terms = Terms(language)

    def relevance(self, page: Page) -> float:
        """P_w of a page in the language of the topic, 0..1; 0 when none of the words that must occur does (A11)."""
        if self._must is not None and not (self._must.search(page.text) or self._must.search(page.title)):
            return 0.0
        if self.places is not None:
            return self.places.probability(f"{page.title}\n{page.text}")
        return self.model.probability(self._terms.of_page(page))

    def with_words(self, name: str, must: tuple[str, ...]) -> Topic:
        """A narrower topic: the same model, and one of these words must occur."""
        return Topic(name, self.model, self.language, must, self.threshold, self.report, self.places)

    def encode(self) -> bytes:
        """The file of this topic; the same topic always gives the same bytes."""
        stored = Stored(
            _KIND,
            self.name,
            self.language,
            self.threshold,
            list(self.must),
            self.model.prior,
            self.model.odds,
            self.report,
            self.places,
        )
        return pack(stored)

    def save(self, path: Path) -> None:
        replace_file(path, self.encode())


def load_topic(path: Path) -> Topic:
    """The topic in a file. Raises InputError when there is none or it is something else."""
    stored = read_model(path, Stored, _KIND, called="topic", command=f"phasa learn topic -o {path}")
    model = WordBayes(stored.prior, stored.odds)
    must = tuple(stored.must)
    return Topic(stored.name, model, stored.language, must, stored.threshold, stored.report, stored.places)


def find_topic(name: str, folder: Path) -> Topic:
    """The topic in a file of a folder, or the shipped one of that name ('thailand'). Raises InputError."""
    shipped = _DATA / f"{name}.topic"
    own = folder / name
    return load_topic(shipped if "." not in name and not own.exists() and shipped.is_file() else own)


class TopicJudge:
    """Wanted is what is in the language and about the topic (§4.2); in another language a page has P_w = 0 (A10)."""

    def __init__(self, topic: Topic, language: LanguageJudge) -> None:
        self._topic = topic
        self._language = language

    def judge(self, answer: Answer) -> Judgement:
        verdict = self._language.judge(answer)
        if not verdict.wanted or answer.page is None:
            return verdict._replace(score=0.0)
        chance = self._topic.relevance(answer.page)
        evidence = f"{self._topic.name} {chance:.3f}"
        return Judgement(chance >= self._topic.threshold, chance, verdict.language, evidence)
