"""Short texts in many languages: the anchors of links and the text around them, stored once and used by number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phasa.lab.chance import Dice
from phasa.lab.vocabulary import vocabulary

PER_LANGUAGE = 192
EMPTY = 0
_NEUTRAL = ("", "1", "2", "3", "4", "5", "10", "»", "«", "2009", "2008", "[1]", "...", ">>", "+", "RSS")
"""Phrases of no language; the first is the empty anchor of a picture."""


@dataclass(frozen=True)
class Phrases:
    """Texts by number, with their similarity Γ to the target language: known words / all words."""

    texts: tuple[str, ...]
    similarity: NDArray[np.float64]
    starts: dict[str, int]
    """First phrase of each language; `PER_LANGUAGE` follow. 'mixed' holds phrases of target and English words."""

    def __len__(self) -> int:
        return len(self.texts)


def make_phrases(seed: int, target: str, languages: tuple[str, ...]) -> Phrases:
    """The phrases of a world: those of its languages, mixed ones, and neutral ones."""
    texts: list[str] = list(_NEUTRAL)
    similarity: list[float] = [0.0] * len(texts)
    starts: dict[str, int] = {}
    for language in (*languages, "mixed"):
        starts[language] = len(texts)
        for number in range(PER_LANGUAGE):
            dice = Dice(seed, "phrase", language, number)
            if language == "mixed":
                words, share = _mixed(dice, target)
            else:
                words = _words(dice, language, dice.between(1, 5))
                share = 1.0 if language == target else 0.0
            texts.append(words)
            similarity.append(share)
    return Phrases(tuple(texts), np.array(similarity), starts)


def _words(dice: Dice, language: str, count: int) -> str:
    known = vocabulary(language)
    topic = known.topics[dice.below(len(known.topics))]
    chosen = [topic[dice.below(len(topic))] if dice.chance(0.4) else known.word(dice.unit()) for _ in range(count)]
    return known.joint.join(chosen)


def _mixed(dice: Dice, target: str) -> tuple[str, float]:
    """'โรงแรม hotel phuket': one to three words of the target language with one to three English ones."""
    own, foreign = dice.between(1, 3), dice.between(1, 3)
    return f"{_words(dice, target, own)} {_words(dice, 'en', foreign)}", own / (own + foreign)
