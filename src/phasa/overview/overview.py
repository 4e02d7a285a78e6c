"""What pages are about: content, terms, weights and the lists of a variable tag cloud, in one value (§4.13)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from phasa.errors import InputError
from phasa.language.profile import profile_for
from phasa.language.segmenters import DEFAULT
from phasa.overview.cloud_page import CALM, PLACES_PER_TERM, SHOWN, Look, PageText, render_cloud, render_fragment
from phasa.overview.keywords import METHODS, KeywordLists, Weights, heaviest, keyword_lists, kid, recommend
from phasa.overview.phrases import join_phrases, phrase_weights
from phasa.overview.reading import Reading
from phasa.overview.terms import Terms, terms_for
from phasa.overview.typical import PageTerms, typical, typical_of_all

UNKNOWN = "und"
TYPICAL = "phasa"
"""The default weight, `phasa.overview.typical`; the others are the published ones, `keywords.METHODS`."""
_MOST_WORDS = 1_000  # of the default weight: a list of 5 % is then what people can look at


class Context(NamedTuple):
    """One occurrence of a keyword: the page, and the text before, at and after it."""

    page: str
    before: str
    term: str
    after: str


@dataclass(frozen=True, slots=True)
class Overview:
    """What one page, or a set of pages, is about; `theme` is how its cloud looks, see `cloud_page.Look`."""

    title: str
    language: str
    pages: tuple[PageText, ...]
    lists: KeywordLists
    theme: str = CALM

    def html(self, *, target: int | None = None) -> str:
        """The variable tag cloud as one self-contained page."""
        return render_cloud(self.lists, self.pages, self._look(target))

    def fragment(self, *, target: int | None = None) -> str:
        """The same as a part of another page, which brings `cloud_page.cloud_style` and `cloud_page.cloud_script`."""
        return render_fragment(self.lists, self.pages, self._look(target))

    def opens_with(self, target: int | None = None) -> int:
        """How many words the cloud shows at first."""
        if self.theme == CALM:
            return min(target or SHOWN, len(self.lists[100]))
        return len(self.lists[recommend(self.lists.chart(), target)])

    def contexts(self, term: str, *, most: int = PLACES_PER_TERM, around: int = 160) -> list[Context]:
        """Where a keyword occurs in the text: at most `most` occurrences, with so many characters around each."""
        out: list[Context] = []
        for page in self.pages:
            for passage in page.passages:
                for start, end, found in passage.occurrences:
                    if found == term and len(out) < most:
                        before, after = passage.text[max(0, start - around) : start], passage.text[end : end + around]
                        out.append(Context(page.name, before, passage.text[start:end], after))
        return out

    def _look(self, target: int | None) -> Look:
        return Look(self.title, self.language, direction_of(self.language), target, self.theme)


def overview_of(
    readings: Sequence[Reading],
    *,
    title: str = "",
    weigh: str = TYPICAL,
    segmenter: str = "",
    model: str = DEFAULT,
    theme: str = CALM,
) -> Overview:
    """What pages are about, by the default weight or by a published one.

    Published: one page has its own lists, several have each page's lists merged (KID) for AMTF, and lists over all
    elements for the others. `segmenter` names the engine that cuts words, `model` its word model. Raises InputError for
    a weight or an engine that there is not.
    """
    if weigh != TYPICAL and weigh not in METHODS:
        raise InputError(f"weigh {weigh!r}: there is none of that name; there are {', '.join([TYPICAL, *METHODS])}")
    terms = [terms_for(reading.language, segmenter, model) for reading in readings]
    pages = [
        PageText(reading.name, cut.passages(reading.texts), reading.time)
        for reading, cut in zip(readings, terms, strict=True)
    ]
    if weigh == TYPICAL:
        pages, weights = _typical(readings, pages, terms)
        lists = keyword_lists(heaviest(weights, _MOST_WORDS), least=1)
    elif len(pages) > 1 and weigh.startswith("amtf"):
        lists = kid((METHODS[weigh](terms_of(page)) for page in pages), least=1)
    else:
        lists = keyword_lists(METHODS[weigh](element for page in pages for element in terms_of(page)), least=1)
    first = readings[0].title if readings else ""
    return Overview(title or first, most_common_language(readings), tuple(pages), lists, theme)


def _typical(
    readings: Sequence[Reading], pages: Sequence[PageText], terms: Sequence[Terms]
) -> tuple[list[PageText], Weights]:
    """The pages with their phrases joined, and the weight of every word and phrase."""
    found: list[Weights] = []
    for reading, page, cut in zip(readings, pages, terms, strict=True):
        title, description = (frozenset(cut.of(text)) for text in (reading.title, reading.description))
        found.append(typical(PageTerms(page.passages, reading.language, title, description)))
    joined = join_phrases([page.passages for page in pages])
    weights = typical_of_all(
        phrase_weights(page.passages, after, single) for page, after, single in zip(pages, joined, found, strict=True)
    )
    return [PageText(page.name, after, page.time) for page, after in zip(pages, joined, strict=True)], weights


def terms_of(page: PageText) -> list[list[str]]:
    """The elements of a page as their terms."""
    return [passage.terms for passage in page.passages]


def most_common_language(readings: Sequence[Reading]) -> str:
    """The language of most of the text; `und` when there is none."""
    sizes: dict[str, int] = {}
    for reading in readings:
        sizes[reading.language] = sizes.get(reading.language, 0) + sum(map(len, reading.texts))
    return max(sizes, key=lambda code: sizes[code]) if sizes else UNKNOWN


def direction_of(language: str) -> str:
    """`rtl` or `ltr`, by the language's profile; `ltr` where there is none."""
    profile = profile_for(language)
    return profile.direction if profile else "ltr"
