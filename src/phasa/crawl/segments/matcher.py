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
from phasa.crawl.segments.soundex import LENGTH, SILENCE, Sound, digits_of, grow
from phasa.errors import InputError, SettingsError
from phasa.language.stopwords import stop_words_for
from phasa.language.wordlists import word_list

Mode = Literal["literal", "bounded", "guarded", "exact"]
MODES: tuple[str, ...] = get_args(Mode)

# Pieces of addresses that say nothing (A14); the thesis's own list has http and html.
BOILERPLATE = frozenset(["http", "https", "www", "html", "htm", "shtml", "php", "asp", "aspx", "jsp", "cgi", "index"])
_REMEMBERED = 200_000
# What is known of a token alone, beside the lengths of the terms that it begins: it begins none, the same and it is a
# stop word, or what follows must be looked at.
_NORMAL, _STOP, _OPEN = (-1,), (-2,), (-3,)


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

    def __init__(
        self, dictionary: Dictionary, mode: str = "bounded", language: str = "en", counted: str = "occurrences"
    ) -> None:
        if mode not in MODES:
            raise SettingsError(f"unknown matching mode '{mode}'; known: {', '.join(MODES)}")
        self.dictionary = dictionary
        self.mode = mode
        self.counted = counted
        """Whether shares count every occurrence of a word, or every "distinct" word once (A5)."""
        self.stop = stop_words_for(language) | BOILERPLATE
        self._deaf = self.stop | frequent_words(language) if mode == "guarded" else self.stop
        self._words: dict[str, _Word] = {}
        self._alike: dict[Sound, _Heard] = {}

    def match(self, text: str) -> Match:
        """The tokens of a text as related terms and normal words."""
        return self.match_tokens(tokens_of(text))

    def match_tokens(self, tokens: list[str]) -> Match:
        """The same for a text that is tokens already."""
        related: list[str] = []
        normal: list[str] = []
        beginnings = self.dictionary.beginnings
        quick, literal = self.mode == "exact", self.mode == "literal"
        words = [] if quick or literal else self._known(tokens)
        at, end = 0, len(tokens)
        while at < end:
            if literal:
                size = self._literal(tokens, at)
            else:
                size = 0 if quick and tokens[at] not in beginnings else self._bounded(tokens, words, at)
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
        """The same for tokens, counted in one pass without putting terms together."""
        return self._ratio(tokens, self._known(tokens))

    def weigh(self, tokens: list[str]) -> tuple[float, list[str]]:
        """The same, and the tokens without stop words."""
        words = self._known(tokens)
        return self._ratio(tokens, words), [word.token for word in words if not word.stop]

    def _known(self, tokens: list[str]) -> list[_Word]:
        """What is known of every token: one look-up for each, whatever is asked of it afterwards."""
        known = self._words.get
        return [known(token) or self._learn(token) for token in tokens]

    def _distinct(self, tokens: list[str]) -> float:
        match = self.match_tokens(tokens)
        related, normal = set(match.related) - self.stop, set(match.normal) - self.stop
        return len(related) / (len(related) + len(normal)) if related or normal else 0.0

    def _ratio(self, tokens: list[str], words: list[_Word]) -> float:
        if self.counted == "distinct":
            return self._distinct(tokens)
        related = total = at = 0
        end, most = len(tokens), self.dictionary.longest
        while at < end:
            word = words[at]
            sort = word.sort
            if sort is _NORMAL:
                total += 1
                at += 1
                continue
            if sort is _STOP:
                at += 1
                continue
            room = end - at
            if sort is not _OPEN:
                size = 0
                for length in sort:
                    if length <= room:
                        size = length
                        break
            elif word.heard is None or not word.by_sound:
                size = self._literal(tokens, at) if self.mode == "literal" else self._bounded(tokens, words, at)
            else:  # `_heard`, written out: most tokens come here
                if room > most:
                    room = most
                heard, deaf, steps, size = word.heard, word.deaf, 1, 0
                while not heard.full:
                    if heard.lengths and steps in heard.lengths and not (deaf and steps == 1):
                        size = steps
                    if steps == room:
                        break
                    after = words[at + steps]
                    key = (after.sounds or self._listen(after))[heard.lacks] if heard.lacks else after.token
                    heard = heard.next.get(key) or self._go_on(heard, after.token, key)
                    steps += 1
                else:
                    for length in heard.lengths:
                        if length <= room:
                            if length >= steps:
                                size = length
                            break
            if size > 1 or not word.stop:  # a term of several words is no stop word
                total += 1
                if size:
                    related += 1
            at += size or 1
        return related / total if total else 0.0

    def _learn(self, token: str) -> _Word:
        """What a token begins whatever follows it: terms of these lengths, or one of the three special sorts."""
        begins = self.dictionary.beginnings.get(token, ())
        by_sound = self.mode in ("bounded", "guarded")
        heard = self._sounding(grow(SILENCE, token)) if by_sound else None
        sort: tuple[int, ...] = _OPEN
        if heard is not None:
            if heard.full and (not begins or begins == (1,)):
                least = 2 if token in self._deaf and not begins else 1
                sort = tuple(length for length in heard.lengths if length >= least)
                sort = sort if sort[-1:] == (1,) or not begins else (*sort, 1)
        elif self.mode == "exact" and (not begins or begins == (1,)):
            sort = begins
        if not sort:
            sort = _STOP if token in self.stop else _NORMAL
        if len(self._words) >= _REMEMBERED:
            self._words.clear()
        word = self._words[token] = _Word(
            token, sort, token in self.stop, token in self._deaf, by_sound and not begins, heard
        )
        return word

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

    def _bounded(self, tokens: list[str], words: list[_Word], at: int) -> int:
        room = min(self.dictionary.longest, len(tokens) - at)
        longest = 0
        for size in self.dictionary.beginnings.get(tokens[at], ()):
            if size <= room and " ".join(tokens[at : at + size]) in self.dictionary.terms:
                longest = size
                break
        if self.mode == "exact":
            return longest
        return max(longest, self._heard(words, at, room))

    def _heard(self, words: list[_Word], at: int, room: int) -> int:
        """Tokens of the longest stretch from here whose sound is that of a term with as many tokens."""
        word = words[at]
        heard, deaf = word.heard, word.deaf
        size, longest = 1, 0
        while heard is not None and not heard.full:
            if size in heard.lengths and not (deaf and size == 1):
                longest = size
            if size == room:
                return longest
            word = words[at + size]
            # Once a sound has begun only that of what follows matters, and few sounds differ.
            key = (word.sounds or self._listen(word))[heard.lacks] if heard.lacks else word.token
            heard = heard.next.get(key) or self._go_on(heard, word.token, key)
            size += 1
        if heard is None:
            return 0
        least = 2 if deaf and size == 1 else size
        for length in heard.lengths:
            if length <= room:
                return length if length >= least else longest
        return longest

    def _go_on(self, heard: _Heard, token: str, known_by: str) -> _Heard:
        if len(heard.next) >= _REMEMBERED:
            heard.next.clear()
        found = heard.next[known_by] = self._sounding(grow(heard.sound, token))
        return found

    def _listen(self, word: _Word) -> tuple[str, ...]:
        word.sounds = tuple(digits_of(word.token, room) for room in range(LENGTH))
        return word.sounds

    def _sounding(self, sound: Sound) -> _Heard:
        """One object for all texts that sound alike so far: what follows is then remembered for all of them."""
        key = Sound(sound.code, "") if sound.full else sound
        found = self._alike.get(key)
        if found is None:
            found = self._alike[key] = _Heard(key, self.dictionary.lengths.get(sound.padded, ()))
        return found


class _Word:
    """What is known of a token: what it begins (`sort`), whether it is a stop word, whether it must not match by its
    sound alone, whether only its sound begins terms, its sound, and what it adds to a sound that has begun."""

    __slots__ = ("by_sound", "deaf", "heard", "sort", "sounds", "stop", "token")

    def __init__(
        self, token: str, sort: tuple[int, ...], stop: bool, deaf: bool, by_sound: bool, heard: _Heard | None
    ) -> None:
        self.token, self.sort, self.stop, self.deaf, self.by_sound = token, sort, stop, deaf, by_sound
        self.heard = heard
        self.sounds: tuple[str, ...] = ()


class _Heard:
    """What is known of the sound of some tokens in a row; `next` leads on by one token.

    `lengths`: how long, in tokens, the terms are that sound like this, longest first.
    """

    __slots__ = ("full", "lacks", "lengths", "next", "sound")

    def __init__(self, sound: Sound, lengths: tuple[int, ...]) -> None:
        self.sound, self.lengths, self.full = sound, lengths, sound.full
        self.lacks = LENGTH - len(sound.code) if sound.code else 0
        """Digits that a begun sound lacks; 0 when none has begun."""
        self.next: dict[str, _Heard] = {}


def frequent_words(language: str) -> frozenset[str]:
    """The frequent words of a language as shipped; empty when there is no list."""
    try:
        return frozenset(word_list(language))
    except InputError:
        return frozenset()
