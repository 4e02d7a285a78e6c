"""The TextTokenizer of Figure 5: related words and normal words of a text (segment-focused-crawling §4.4.2–4.4.4).

Greedy from the left, the longest match at each place, every token in exactly one item. A Soundex code is full after
three digits, so at most a few tokens are looked at from each place, whatever the mode:

literal   Figure 5 as printed: a full code that is in the dictionary swallows the rest of the text
bounded   as many tokens as the term that the code stands for; a single stop word never matches by its sound
guarded   bounded, and a single frequent word of the language never matches by its sound either (not in the thesis)
exact     no Soundex
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

from phasa.crawl.segments.dictionary import Dictionary, tokens_of
from phasa.crawl.segments.soundex import SILENCE, Sound, grow
from phasa.errors import InputError, SettingsError
from phasa.language.stopwords import stop_words_for
from phasa.language.wordlists import word_list

Mode = Literal["literal", "bounded", "guarded", "exact"]
MODES: tuple[str, ...] = get_args(Mode)

# Pieces of addresses that say nothing (A14); the thesis's own list has http and html.
BOILERPLATE = frozenset(["http", "https", "www", "html", "htm", "shtml", "php", "asp", "aspx", "jsp", "cgi", "index"])
_REMEMBERED = 200_000


class Match(NamedTuple):
    """Related terms and normal words, each in the order of the text."""

    related: list[str]
    normal: list[str]

    @property
    def ratio(self) -> float:
        """Share of related items among all, by occurrence; 0 for an empty text (§4.4.4, A5)."""
        total = len(self.related) + len(self.normal)
        return len(self.related) / total if total else 0.0


class Matcher:
    """Finds the terms of a dictionary in texts of one language. Stop words are left out by `ratio` only."""

    def __init__(self, dictionary: Dictionary, mode: str = "bounded", language: str = "en") -> None:
        if mode not in MODES:
            raise SettingsError(f"unknown matching mode '{mode}'; known: {', '.join(MODES)}")
        self.dictionary = dictionary
        self.mode = mode
        self.stop = stop_words_for(language) | BOILERPLATE
        self._deaf = self.stop | frequent_words(language) if mode == "guarded" else self.stop
        self._stretches: dict[str, _Stretch] = {}
        self._alike: dict[tuple[str, str, int, bool], _Stretch] = {}
        self._remembered = 0

    def match(self, text: str) -> Match:
        """The tokens of a text as related terms and normal words."""
        return self.match_tokens(tokens_of(text))

    def match_tokens(self, tokens: list[str]) -> Match:
        """The same for a text that is tokens already."""
        related: list[str] = []
        normal: list[str] = []
        longest_at = self._literal if self.mode == "literal" else self._bounded
        beginnings = self.dictionary.beginnings
        quick = self.mode == "exact"
        at, end = 0, len(tokens)
        while at < end:
            size = 0 if quick and tokens[at] not in beginnings else longest_at(tokens, at)
            if size:
                related.append(tokens[at] if size == 1 else " ".join(tokens[at : at + size]))
                at += size
            else:
                normal.append(tokens[at])
                at += 1
        return Match(related, normal)

    def ratio(self, text: str) -> float:
        """THAI_RATIO: the share of related words among those that are not stop words."""
        return self.ratio_of(tokens_of(text))

    def ratio_of(self, tokens: list[str]) -> float:
        """The same for tokens."""
        if not tokens:
            return 0.0
        related, normal = self.match_tokens(tokens)
        stop = self.stop
        count = sum(term not in stop for term in related)
        total = count + sum(word not in stop for word in normal)
        return count / total if total else 0.0

    def finds(self, tokens: list[str]) -> bool:
        """Whether at least one related word is among the tokens."""
        return any(term not in self.stop for term in self.match_tokens(tokens).related)

    def _literal(self, tokens: list[str], at: int) -> int:
        sound, longest = SILENCE, 0
        codes = self.dictionary.sounds
        for place in range(at, len(tokens)):
            sound = grow(sound, tokens[place])
            if sound.padded in codes:
                if sound.full:
                    return len(tokens) - at
                longest = place - at + 1
            elif sound.full:
                break
        return longest

    def _bounded(self, tokens: list[str], at: int) -> int:
        room = min(self.dictionary.longest, len(tokens) - at)
        longest = 0
        for size in self.dictionary.beginnings.get(tokens[at], ()):
            if size <= room and " ".join(tokens[at : at + size]) in self.dictionary.terms:
                longest = size
                break
        if self.mode == "exact":
            return longest
        return max(longest, self._heard(tokens, at, room))

    def _heard(self, tokens: list[str], at: int, room: int) -> int:
        """Tokens of the longest stretch from here whose sound is that of a term with as many tokens."""
        token = tokens[at]
        stretch = self._stretches.get(token) or self._begin(token)
        size, longest = 1, 0
        while stretch.ends is None:
            if stretch.matches:
                longest = size
            if size == room:
                return longest
            token = tokens[at + size]
            stretch = stretch.next.get(token) or self._go_on(stretch, token)
            size += 1
        for length in stretch.ends:
            if length <= room:
                return length
        return longest

    def _begin(self, token: str) -> _Stretch:
        stretch = self._stretch(grow(SILENCE, token), 1, token in self._deaf)
        self._remember(self._stretches, token, stretch)
        return stretch

    def _go_on(self, stretch: _Stretch, token: str) -> _Stretch:
        found = self._stretch(grow(stretch.sound, token), stretch.size + 1)
        self._remember(stretch.next, token, found)
        return found

    def _remember(self, where: dict[str, _Stretch], token: str, stretch: _Stretch) -> None:
        if self._remembered >= _REMEMBERED:
            self._stretches.clear()
            self._alike.clear()
            self._remembered = 0
        self._remembered += 1
        where[token] = stretch

    def _stretch(self, sound: Sound, size: int, deaf: bool = False) -> _Stretch:
        """One object for all stretches that sound alike so far: what follows is then remembered for all of them."""
        full = sound.full
        key = (sound.code, "" if full else sound.last, size, deaf)
        found = self._alike.get(key)
        if found is None:
            lengths = tuple(n for n in self.dictionary.lengths.get(sound.padded, ()) if n >= size + deaf)
            found = self._alike[key] = _Stretch(sound, size, size in lengths, lengths if full else None)
        return found


class _Stretch:
    """What is known of the sound of some tokens in a row; `next` leads on by one token.

    `ends` is there once the code is full: how long, in tokens, terms of that code are, longest first.
    """

    __slots__ = ("ends", "matches", "next", "size", "sound")

    def __init__(self, sound: Sound, size: int, matches: bool, ends: tuple[int, ...] | None) -> None:
        self.sound, self.size, self.matches, self.ends = sound, size, matches, ends
        self.next: dict[str, _Stretch] = {}


def frequent_words(language: str) -> frozenset[str]:
    """The frequent words of a language as shipped; empty when there is no list."""
    try:
        return frozenset(word_list(language))
    except InputError:
        return frozenset()
