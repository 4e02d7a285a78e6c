"""What the pages of a world say of themselves: in their address, in hreflang, in their head. Some of it is not true.

Each lie has a stream of chance of its own, so that turning one off changes nothing else.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from phasa.lab.chance import key, unit
from phasa.lab.lies import Lies
from phasa.lab.sites import MOST_SECTIONS, Pages, Sites

Small = NDArray[np.uint8]
FOLDER = 0.9
"""Pages of a folder that lies which are not what its code says: lies come by the folder (a language nobody translated
into), not by the page."""
UNDECLARED, WRONG = 1, 2


def _other_language(pages: Pages, language: Small, beside: Small) -> Small:
    """The language that a lie says instead: that of a page `beside` if it is another one, else English or the target
    language."""
    target, english = 0, pages.languages.index("en")
    instead = np.where(language == target, english, target)
    return np.where(beside != language, beside, instead).astype(np.uint8)


def address_languages(lies: Lies, seed: int, sites: Sites, pages: Pages) -> Small:
    """The language whose code an address has, on sites that write codes into addresses."""
    if not lies.address:
        return pages.language
    folder = pages.site.astype(np.int64) * (MOST_SECTIONS + 1) + pages.section
    lying = unit(key(seed, "lying folder"), folder) < lies.address / FOLDER
    lying &= unit(key(seed, "lying address"), np.arange(len(pages))) < FOLDER
    # In the other language of the site: an untranslated page stands where the translation should.
    english = pages.languages.index("en")
    home = pages.language[sites.first[pages.site]]
    told = np.where(pages.target, np.where(home == 0, english, home), 0)
    return np.where(lying, told, pages.language).astype(np.uint8)


def declared_languages(lies: Lies, seed: int, sites: Sites, pages: Pages, declared: NDArray[np.bool_]) -> Small:
    """The language that each page declares, as index into the languages + 1; 0 where none.

    `declared` are the target pages that declare theirs. A page that lies says what the template of its site says: the
    language of the home page, or English. An English page of an English site has nothing to lie about.
    """
    told = np.where(declared, pages.language + 1, 0).astype(np.uint8)
    if lies.language:
        lying = unit(key(seed, "lying language"), np.arange(len(pages))) < lies.language
        home, english = pages.language[sites.first[pages.site]], pages.languages.index("en")
        template = np.where(home != pages.language, home, english)
        told = np.where(lying & (template != pages.language), template + 1, told).astype(np.uint8)
    return told


def charset_faults(lies: Lies, seed: int, pages: Pages) -> Small:
    """What is wrong with the declared encoding of each page: 0, UNDECLARED or WRONG."""
    if not (lies.charset or lies.undeclared):
        return np.zeros(len(pages), np.uint8)
    chance = unit(key(seed, "lying charset"), np.arange(len(pages)))
    fault = np.where(chance < lies.undeclared, UNDECLARED, 0)
    return np.where(chance >= 1 - lies.charset, WRONG, fault).astype(np.uint8)


def wrong_hints(lies: Lies, seed: int, pages: Pages, hint: Small, start: NDArray[np.int32]) -> Small:
    """hreflang of links as index + 1, with the wrong ones: they say the language of the page that they stand on."""
    if not lies.hreflang:
        return hint
    hinted = np.flatnonzero(hint)
    lying = hinted[unit(key(seed, "lying hreflang"), hinted) < lies.hreflang]
    told = hint.copy()
    told[lying] = _other_language(pages, hint[lying] - np.uint8(1), pages.language[start[lying]]) + 1
    return told


def mixed_similarity(
    lies: Lies, seed: int, sites: Sites, pages: Pages, similarity: NDArray[np.float64], threshold: float
) -> NDArray[np.float64]:
    """Γ of every page with the pages of mixed language: target pages mostly in English, and others with a little of
    the target language, on sites that have any of it. None changes sides."""
    if not lies.mixed:
        return similarity
    number = np.arange(len(pages))
    chosen = unit(key(seed, "mixed"), number) < lies.mixed
    part = unit(key(seed, "part"), number)
    chosen &= pages.target | (sites.target[pages.site] > 0)
    mixture = np.where(pages.target, threshold + 0.2 * part, 0.95 * threshold * part)
    return np.where(chosen, mixture, similarity)
