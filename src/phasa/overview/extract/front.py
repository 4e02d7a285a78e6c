"""Home, portal and list pages: no article, but headlines, leads and notices, which are what their reader came for.

Such a page is known by two signs: the judge of blocks is sure of hardly any text, and outside menus and footers there
are several headlines (links as long as a sentence). What is kept then are these and the texts beside them, without the
frame: menus, footers, forms, notices, dates, rows of short links, and texts that stand on the page twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from phasa.overview.extract.blocks import Layout
from phasa.overview.extract.content import Kind, Place
from phasa.overview.extract.evidence import Evidence
from phasa.overview.extract.vocabulary import BIT, FOOTERS

_FRAME: Final = sum(BIT[role] for role in ("nav", "footer", "share", "offer", "hidden", "form"))
_WIDE: Final = 0.5  # a name over half of the page says nothing about its parts
_HEADLINE: Final = 18  # characters: shorter links are names of sections
_LINE: Final = 12  # characters of text without links
_SHORT_MARK: Final = 32  # characters of a date
_HEADLINES: Final = 4  # fewer are no list,
_TEXTS, _TIMES = 6, 2.0  # unless there are so many texts, so much longer than what reads like an article
# Chosen by hand on home pages and on the benchmark articles, which the shipped judge was trained on.
_SURE: Final = 0.25  # margin
_ARTICLE: Final = 100  # characters of which the judge is sure: so much is an article, whatever stands around it
_ON_A_HOME: Final = 1500  # the same on a page that says it is the home page of its site


def front_blocks(page: Layout, chosen: Sequence[int], margins: Sequence[float], evidence: Evidence) -> list[int]:
    """The blocks of a home, portal or list page, in order; empty when `chosen`, what reads like an article, is one.

    A page that calls itself an article is believed, unless its address is that of a whole site: then what the judge
    has chosen counts, be it sure or not.
    """
    home = evidence.home
    doubt = 0.0 if evidence.article and not home else _SURE
    sure = sum(len(page.texts[number]) for number in chosen if margins[number] > doubt)
    if sure >= (_ON_A_HOME if home else _ARTICLE):
        return []
    listed = _outside_frame(page)
    length = sum(len(page.texts[number]) for number in listed)
    headlines = sum(page.texts[number].count("\n") + 1 for number in listed if _is_link(page, number))
    kept = sum(len(page.texts[number]) for number in chosen)
    is_list = headlines >= _HEADLINES or (len(listed) >= _TEXTS and length > _TIMES * kept)
    return sorted({*listed, *chosen}) if is_list else []


def on_front(page: Layout, number: int, place: Place) -> Place:
    """The place of a block of such a page: headings stay headings, links are headlines, all else is a lead."""
    if place.kind is Kind.HEADING and not page.links[number]:
        return place
    return Place(Kind.HEADLINE if _is_link(page, number) else Kind.LEAD)


def _is_link(page: Layout, number: int) -> bool:
    return page.links[number] * 2 > len(page.texts[number])


def _outside_frame(page: Layout) -> list[int]:
    """Blocks that say something and stand in no part of the frame."""
    framed = _framed(page)
    seen: set[str] = set()
    out = []
    for number, text in enumerate(page.texts):
        if framed[page.home[number]] or text in seen:
            continue
        lines = text.count("\n") + 1
        if len(text) / lines >= (_HEADLINE if _is_link(page, number) else _LINE) and not _is_mark(text):
            seen.add(text)
            out.append(number)
    return out


def _is_mark(text: str) -> bool:
    """A date, a count, a price or a notice of rights: what stands beside headlines on every page."""
    if len(text) < _SHORT_MARK:
        digits = sum(map(str.isdigit, text))
        return digits > 0.25 * len(text)
    return text[:20].lower().startswith(FOOTERS)


def _framed(page: Layout) -> list[bool]:
    """Whether each element stands in a part of the frame; a parent comes before its children."""
    before = [0]
    for text in page.texts:
        before.append(before[-1] + len(text))
    wide = _WIDE * before[-1]
    framed = [False] * len(page.parent)
    for element in range(1, len(page.parent)):
        own = page.roles[element] & _FRAME
        inside = before[page.last[element]] - before[page.first[element]]
        framed[element] = framed[page.parent[element]] or (bool(own) and inside < wide)
    return framed
