"""Soundex as Apache Commons Codec computes it: one letter and three digits (segment-focused-crawling §4.4, B2).

Letters outside A–Z and everything that is no letter are passed over. H and W do not part two letters of one code,
vowels do. A code can be grown token by token: `grow` goes on where the last call stopped, and once three digits are
there nothing that follows can change it.
"""

from __future__ import annotations

from typing import NamedTuple

_CODES = dict(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "01230120022455012623010202", strict=True))
# Both cases; H and W are silent: they leave the last code as it is.
_DIGIT = {letter: "" if upper in "HW" else code for upper, code in _CODES.items() for letter in (upper, upper.lower())}
_FIRST = {letter: upper for upper in _CODES for letter in (upper, upper.lower())}
LENGTH = 4


class Sound(NamedTuple):
    """A code that is still growing: the letter with its digits so far, and the digit of the last letter."""

    code: str = ""
    last: str = ""

    @property
    def full(self) -> bool:
        return len(self.code) == LENGTH

    @property
    def padded(self) -> str:
        """The code as it stands: '' when no letter came yet."""
        return self.code.ljust(LENGTH, "0") if self.code else ""


SILENCE = Sound()


def grow(sound: Sound, text: str) -> Sound:
    """The sound of what was heard so far followed by `text`."""
    code, last = sound
    if len(code) == LENGTH:
        return sound
    digits = _DIGIT
    for letter in text:
        digit = digits.get(letter)
        if not digit:
            if digit is not None and not code:  # a word that begins with H or W
                code, last = _FIRST[letter], "0"
            continue
        if not code:
            code, last = _FIRST[letter], digit
        else:
            if digit not in ("0", last):
                code += digit
                if len(code) == LENGTH:
                    return Sound(code, digit)
            last = digit
    return Sound(code, last)


def digits_of(text: str, room: int = LENGTH - 1) -> str:
    """What a word adds to a sound that has begun and lacks `room` digits: equal answers, equal growth.

    Vowels are 0 and are kept where they matter: in front, between two equal digits, and at the end of a word that does
    not fill the code. One digit more than there is room is looked at, since the first may join the one before it.
    """
    kept, last, nonzero, pending = "", "", 0, ""
    for letter in text:
        digit = _DIGIT.get(letter)
        if not digit or digit == last:
            continue
        last = digit
        if digit == "0":
            pending = "0"
            continue
        if pending and (not kept or kept[-1] == digit):
            kept += "0"
        pending = ""
        kept += digit
        nonzero += 1
        if nonzero > room:
            return kept
    return kept + pending


def soundex(text: str) -> str:
    """The code of a text: 'Nakhon Pratom' → 'N251'; '' when it has no letter A–Z."""
    return grow(SILENCE, text).padded
