"""Names of the sites of a world and the addresses of their pages, made from numbers and read back into numbers.

No table of addresses is kept: the number of a page is in its address, as on many real sites.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from phasa.lab.chance import Dice, key, unit

_SYLLABLES = (
    "ba", "ka", "ma", "na", "ta", "sa", "la", "ra", "pa", "cha", "tha", "siam", "mor", "kor", "ban", "pan", "don",
    "bor", "fah", "dee", "noi", "jai", "lek", "yai", "thong", "song", "nam", "pha", "wan", "ton", "rak", "mai",
)  # fmt: skip
_LATIN = (
    "blue", "north", "star", "media", "web", "net", "info", "world", "daily", "city", "link", "green", "hill",
    "river", "book", "home", "page", "club", "zone", "point", "line", "gate", "field", "stone", "light", "mark",
)  # fmt: skip
_THAI_WORDS = ("thai", "siam", "bangkok", "thailand", "isan", "lanna")
_PERSIAN_WORDS = ("iran", "tehran", "pars", "shiraz", "persia", "aria")
_BLOG_DOMAINS = ("blogship", "wordpad", "spaceblog", "livepage")
_SECTIONS = (
    "news", "travel", "education", "business", "health", "technology", "sport", "culture", "board", "article", "blog",
    "archive",
)  # fmt: skip
_NUMBER = re.compile(r"(\d+)(?:\.[a-z]+|/)?$")
SECOND_LEVEL = {
    "th": ("co.th", "ac.th", "or.th", "go.th", "in.th"),
    "uk": ("co.uk", "org.uk"),
    "jp": ("co.jp", "ne.jp"),
    "ir": ("ir", "ac.ir", "co.ir"),
    "au": ("com.au",),
}


@dataclass(frozen=True)
class Style:
    """How a site writes its addresses."""

    host: str
    extension: str
    """Ending of page addresses: '.html', '/', '.php' …"""
    dated: bool
    """Blog style, with year and month."""
    coded: bool
    """Sections begin with the code of their language."""
    sections: tuple[str, ...]

    def path(self, section: int, language: str, local: int, is_front: bool) -> str:
        """The path of a page from its place on the site."""
        if local == 0:
            return "/"
        folder = f"/{language}/{self.sections[section]}" if self.coded else f"/{self.sections[section]}"
        if is_front:
            return folder + "/"
        if self.dated:
            return f"/{2005 + local % 5}/{1 + local // 5 % 12:02d}{folder}-{local}{self.extension}"
        return f"{folder}/{local}{self.extension}"


def local_number(path: str) -> int | None:
    """The number of the page in an address made by `Style.path`; 0 for a home page, None where there is none."""
    if path == "/":
        return 0
    found = _NUMBER.search(path)
    return int(found.group(1)) if found else None


class Naming:
    """How the sites of a world are named.

    In a web that does not lie the number in a name is that of the site, and sites are numbered by kind; national names
    are made of other syllables than foreign ones. Where names say nothing the numbers are shuffled, and the share
    `empty` of the names is made of the syllables of both.
    """

    def __init__(self, seed: int, target: str, empty: float, sites: int) -> None:
        self._seed = seed
        self._empty = empty
        self._words = _PERSIAN_WORDS if target == "fa" else _THAI_WORDS
        order = np.argsort(unit(key(seed, "site numbers"), np.arange(sites)), kind="stable") if empty else None
        self._numbers = None if order is None else order.tolist()

    def name(self, number: int, word: str, national: bool) -> str:
        """The name of a site; `word` is the one it has in a web that does not lie."""
        # The number keeps two sites from getting the same name; real names are full of numbers as well.
        if self._numbers is None:
            return f"{word}{number}"
        dice = Dice(self._seed, "name", number)
        pool = _SYLLABLES + _LATIN if dice.chance(self._empty) else _SYLLABLES if national else _LATIN
        return f"{_word(dice, pool, self._words if pool is _SYLLABLES else ())}{self._numbers[number]}"


def make_style(
    seed: int, number: int, kind: str, tld: str, neighbours: bool, dynamic: bool, coded: float, naming: Naming
) -> Style:
    """The name and habits of site `number`; `coded` is how likely its sections begin with their language."""
    dice = Dice(seed, "style", number)
    national = kind in ("portal", "national", "national-english", "about") or dice.chance(0.15)
    words = (_PERSIAN_WORDS if tld == "ir" else _THAI_WORDS) if national else ()
    name = naming.name(number, _word(dice, _SYLLABLES if national else _LATIN, words), national)
    if neighbours:
        host = f"{name}.{_BLOG_DOMAINS[dice.below(len(_BLOG_DOMAINS))]}.{tld}"
    else:
        endings = SECOND_LEVEL.get(tld, (tld,))
        host = f"{'www.' if dice.chance(0.6) else ''}{name}.{endings[dice.below(len(endings))]}"
    extension = (".php", ".asp", ".aspx")[dice.below(3)] if dynamic else (".html", ".htm", "/")[dice.below(3)]
    start = dice.below(len(_SECTIONS))
    # Large sites have more sections than there are names: the second round is 'news-b', the third 'news-c' …
    rounds = ("", "-b", "-c", "-d")
    sections = tuple(
        _SECTIONS[(start + step) % len(_SECTIONS)] + tail for tail in rounds for step in range(len(_SECTIONS))
    )
    return Style(host, extension, kind == "blog" and dice.chance(0.8), dice.chance(coded), sections)


def _word(dice: Dice, pool: tuple[str, ...], national_words: tuple[str, ...]) -> str:
    word = pool[dice.below(len(pool))] + pool[dice.below(len(pool))]
    if national_words and dice.chance(0.35):
        word += ("-" if dice.chance(0.3) else "") + national_words[dice.below(len(national_words))]
    return word
