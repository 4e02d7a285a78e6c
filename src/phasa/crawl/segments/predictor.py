"""The Segment Predictor: two naive Bayes models and the mean of what they say (segment-focused-crawling §4.7).

A predictor is one file: both models, the dictionary and mode it was learned with, and which pages it was learned from,
so that a crawl can leave those out (§5.4).
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import msgspec
from xxhash import xxh3_64_intdigest

from phasa.crawl.learn.model_file import pack, read_model
from phasa.crawl.learn.word_bayes import WordBayes
from phasa.crawl.segments.choices import Choices
from phasa.crawl.segments.dictionary import Dictionary
from phasa.crawl.segments.features import Chance, Citation, Edges, Extractor, LinkVector, Locate
from phasa.crawl.segments.matcher import Matcher
from phasa.crawl.segments.nominal_bayes import NominalBayes
from phasa.files import replace_file

_KIND = "phasa segment predictor 1"
MEMBERS = ("simple_nb", "multinomial_nb")
"""The two models, as Appendix A names them."""


class Stored(msgspec.Struct, frozen=True):
    """A predictor as it is kept."""

    kind: str
    topic: str
    mode: str
    language: str
    terms: list[str]
    sources: list[str]
    link_prior: float
    link_tables: list[dict[str, float]]
    word_prior: float
    word_odds: dict[str, float]
    trained: list[int]
    edges: list[list[float]] = []
    choices: Choices = Choices()
    hops: int = 0


class Predictor:
    """Will the destination of a segment link be relevant? Fixed once it is learned."""

    def __init__(
        self,
        matcher: Matcher,
        link: NominalBayes,
        words: WordBayes,
        topic: str = "",
        language: str = "en",
        trained: frozenset[int] = frozenset(),
        edges: Edges = (),
        choices: Choices | None = None,
        hops: int = 0,
    ) -> None:
        self.hops = hops
        """Links that its training pages are at most from the first of them; 0: whatever the crawl had."""
        self.matcher, self.link, self.words, self.edges = matcher, link, words, edges
        self.choices = choices if choices is not None else Choices()
        self.topic, self.language, self.trained = topic, language, trained

    def chance(self, vector: LinkVector) -> Chance:
        """What both models say of a link."""
        by_link = self.link.probability(vector.attributes)
        return Chance(by_link, self.words.probability_of_words(vector.words), vector.attributes)

    def predict(self, source: str, degree: float, destination: str, cited: Citation, locate: Locate) -> Chance:
        """What is to be expected of the link from segment `source` to segment `destination`."""
        return self.chance(Extractor(self.matcher, locate, self.edges).vector(source, degree, destination, cited))

    def was_trained_on(self, url: str) -> bool:
        return bool(self.trained) and url_number(url) in self.trained

    def encode(self) -> bytes:
        """The file of this predictor; the same predictor always gives the same bytes."""
        book = self.matcher.dictionary
        stored = Stored(
            _KIND,
            self.topic,
            self.matcher.mode,
            self.language,
            sorted(book.terms),
            list(book.sources),
            self.link.prior,
            self.link.tables,
            self.words.prior,
            self.words.odds,
            sorted(self.trained),
            [list(values) for values in self.edges],
            self.choices,
            self.hops,
        )
        return pack(stored)

    def save(self, path: Path) -> None:
        replace_file(path, self.encode())


def url_number(url: str) -> int:
    """63 bits that stand for an address."""
    return xxh3_64_intdigest(url.encode("utf-8", "surrogatepass")) >> 1


def load_predictor(path: Path) -> Predictor:
    """The predictor in a file. Raises InputError when there is none or it is something else.

    The scope and the strategy of one crawl ask for the same file: it is read once for as long as it is the same.
    """
    here = path.stat() if path.is_file() else None
    return _read(path, here and (here.st_ino, here.st_mtime_ns, here.st_size))


@lru_cache(maxsize=2)
def _read(path: Path, version: tuple[int, ...] | None) -> Predictor:
    stored = read_model(path, Stored, _KIND, called="segment predictor", command="phasa learn predictor")
    book = Dictionary(stored.terms, stored.sources)
    matcher = Matcher(book, stored.mode, stored.language, stored.choices.counted)
    link, words = NominalBayes(stored.link_prior, stored.link_tables), WordBayes(stored.word_prior, stored.word_odds)
    trained = frozenset(stored.trained)
    about = stored.topic, stored.language, trained, stored.edges, stored.choices, stored.hops
    return Predictor(matcher, link, words, *about)
