"""Text for generated pages: sentences of real words by frequency, with words of a topic strewn in."""

from __future__ import annotations

from dataclasses import dataclass

from phasa.lab.chance import Dice
from phasa.lab.vocabulary import vocabulary

_STOPS = {
    "fa": ".",
    "ar": ".",
    "ur": "۔",
    "zh": "。",
    "ja": "。",
    "hi": "।",
    "th": " ",
    "lo": " ",
    "km": "។",
    "my": "။",
}


@dataclass(frozen=True)
class Sentence:
    """A sentence with what it was made of."""

    text: str
    language: str
    words: int
    topic_words: tuple[str, ...]


def write_sentence(dice: Dice, language: str, topic: int, topical: float = 0.18) -> Sentence:
    """A sentence of 6 to 18 words, a share of them words of the topic."""
    known = vocabulary(language)
    words: list[str] = []
    used: list[str] = []
    for _ in range(dice.between(6, 18)):
        if dice.chance(topical):
            used.append(known.topics[topic][min(int(dice.unit() ** 2 * len(known.topics[topic])), 11)])
            words.append(used[-1])
        else:
            words.append(known.word(dice.unit()))
    text = known.joint.join(words)
    stop = _STOPS.get(language, ".")
    if stop == ".":
        text = text[0].upper() + text[1:]
    return Sentence(text + stop, language, len(words), tuple(used))


def write_title(dice: Dice, language: str, topic: int) -> str:
    """Three to six words, half of them of the topic."""
    known = vocabulary(language)
    words = [
        known.topics[topic][dice.below(len(known.topics[topic]))]
        if turn % 2 == 0
        else known.words[dice.below(min(400, len(known.words)))]
        for turn in range(dice.between(3, 6))
    ]
    return known.joint.join(words)
