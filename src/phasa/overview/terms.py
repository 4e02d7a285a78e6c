"""From text to terms: cut into words, normalised, without stop words, blanks and marks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from html import unescape
from typing import NamedTuple

from phasa.errors import InputError
from phasa.language.normalise import normalise
from phasa.language.segmenters import DEFAULT, ENGINES, engine_for, load_segmenter, segmenter_for
from phasa.language.segmenters.cuts import CutSegmenter
from phasa.language.stopwords import stop_words_for
from phasa.language.wordlists import word_list

# Polite particles that the Thai system drops in addition to its stop list (specs/content-overview.md §4.9).
POLITE = frozenset({"ครับ", "ค่ะ"})
_MOST_PARTS = 4
_EDGES = frozenset("'\"`‘’“”«»*\\")
# English: Israel's is Israel; I'm, don't, they've say nothing.
_POSSESSIVE = re.compile("'s?$")
_CONTRACTED = re.compile("^[a-z]+'(?:m|re|ve|ll|d|t)$")
# Thai engines leave the full stop of an English sentence at its last word; abbreviations have one inside (U.S.).
_ENDS = re.compile(r"[A-Za-z]+\.")
# No words: what no font has a letter for, so that a cloud would show a box (replacement and private characters, lone
# surrogates), and Thai torn apart: a vowel sign without the consonant it is written before, or a mark at the start.
_NO_WORD = re.compile(
    "[\u0e40-\u0e44](?![\u0e01-\u0e2e])|^[\u0e30-\u0e3a\u0e45\u0e47-\u0e4e]"
    "|[\ufffd\ufffe\uffff\ue000-\uf8ff\ud800-\udfff\U000f0000-\U0010ffff\x00-\x1f\x7f-\x9f]"
)

# A page that was escaped twice says &quot where it means a sign.
_ESCAPED = re.compile(
    r"&(?:quot|amp|nbsp|lt|gt|[lr][sd]quo|[lr]aquo|[nm]dash|hellip|bull|#\d{1,7}|#x[0-9a-f]{1,6})\b;?", re.I
)


class Occurrence(NamedTuple):
    """One occurrence of a term in its passage."""

    start: int
    end: int
    term: str


class Passage(NamedTuple):
    """One key content element, normalised, with the occurrences of its terms in order."""

    text: str
    occurrences: tuple[Occurrence, ...]

    @property
    def terms(self) -> list[str]:
        return [one.term for one in self.occurrences]


class Terms:
    """The terms of texts in one language."""

    def __init__(
        self,
        language: str,
        *,
        segmenter: str = "",
        model: str = DEFAULT,
        numbers: bool = False,
        extra_stop_words: Iterable[str] = (),
    ) -> None:
        """`segmenter` names the engine that cuts words, the language's own by default; `model` is its word model.

        `numbers` keeps terms without a letter; `extra_stop_words` are dropped in addition to the language's own.
        """
        self.language = language
        self._segmenter = _engine(segmenter, language, model)
        # The engine cuts Thai finely: โรงพยาบาล is a keyword, โรง and พยาบาล are not. The dictionary knows the whole.
        self._whole = frozenset(word_list("th")) if language == "th" and not segmenter else frozenset()
        self._stop = _stop_words(language) | POLITE | {word.lower() for word in extra_stop_words}
        self._numbers = numbers
        self._ideographs = language.split("-")[0] in ("zh", "ja", "yue", "und")

    def passage(self, text: str) -> Passage:
        """The text with the terms in it."""
        return self.passages([text])[0]

    def passages(self, texts: Sequence[str]) -> list[Passage]:
        """The same of several texts, cut in one go: a page has hundreds of short ones."""
        meant = [_ESCAPED.sub(lambda sign: unescape(sign[0].lower().rstrip(";") + ";"), text) for text in texts]
        clean = [normalise(text, self.language, keep_case=True).replace("\n", " ") for text in meant]
        whole = "\n".join(clean)
        cuts = list(self._segmenter.segment(whole))
        found: list[list[Occurrence]] = [[] for _ in clean]
        at, begin = 0, 0
        for start, end in self._joined(whole, cuts) if self._whole else cuts:
            while at < len(clean) - 1 and start >= begin + len(clean[at]) + 1:
                begin += len(clean[at]) + 1
                at += 1
            while start < end and whole[start] in _EDGES:
                start += 1
            while start < end and whole[end - 1] in _EDGES:
                end -= 1
            if _ENDS.fullmatch(whole, start, end):
                end -= 1
            if term := self.term(whole[start:end]):
                found[at].append(Occurrence(start - begin, end - begin, term))
        return [Passage(text, tuple(terms)) for text, terms in zip(clean, found, strict=True)]

    def _joined(self, text: str, cuts: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """The cuts with neighbours joined where the dictionary has them as one word, the longest first; stop words
        alone make no word."""
        at = 0
        while at < len(cuts):
            start, end = cuts[at]
            after = at + 1
            for last in range(min(at + _MOST_PARTS, len(cuts)) - 1, at, -1):
                whole = text[start : cuts[last][1]]
                if whole in self._whole and not all(text[a:b] in self._stop for a, b in cuts[at : last + 1]):
                    end, after = cuts[last][1], last + 1
                    break
            yield start, end
            at = after

    def of(self, text: str) -> list[str]:
        """The terms of a text in their order, repeated as often as they stand there."""
        return self.passage(text).terms

    def term(self, word: str) -> str:
        """The form under which a word is counted; empty for what is not a term."""
        term = word.strip().lower().replace("’", "'")
        if "'" in term and term.isascii():
            term = _CONTRACTED.sub("", _POSSESSIVE.sub("", term))
        if (
            term in self._stop
            or (len(term) < 2 and not (self._ideographs and _ideographic(term)))
            or _NO_WORD.search(term)
        ):
            return ""
        if self._numbers:
            return term if any(letter.isalnum() for letter in term) else ""
        return term if any(letter.isalpha() for letter in term) else ""


def _engine(name: str, language: str, model: str) -> CutSegmenter:
    """The engine of that name, or the language's own: on pages of many languages an engine cuts those it knows, and
    none that matches words cuts where blanks part them (a list would find zip in marzipan). Raises InputError for a
    name that is none."""
    if not name or (name in ENGINES and engine_for(language) == "spaced"):
        return segmenter_for(language, model)
    try:
        return load_segmenter(name, language, model=model)
    except InputError:
        load_segmenter(name)  # there is no such engine
        return segmenter_for(language, model)


def _stop_words(language: str) -> frozenset[str]:
    """The language's own and, unless they are in Latin letters, the English ones: `the` on a Thai page is no keyword
    either (§4.9 names `it` and `the`), and is nothing but English there."""
    own = stop_words_for(language)
    latin = any(word.isascii() and word.isalpha() and len(word) > 1 for word in own)
    return own if latin else own | stop_words_for("en")


@lru_cache(maxsize=8)
def terms_for(language: str, segmenter: str = "", model: str = DEFAULT) -> Terms:
    """The `Terms` of a language, made once."""
    return Terms(language, segmenter=segmenter, model=model)


def _ideographic(text: str) -> bool:
    return bool(text) and "\u3400" <= text <= "\u9fff"
