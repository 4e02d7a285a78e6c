"""The detector set of §6.1: pages in 43 languages about universities, 58 of them Thai, as bytes in many encodings."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from phasa.lab.chance import Dice
from phasa.lab.sentences import write_sentence, write_title
from phasa.lab.topics import TOPICS
from phasa.lab.vocabulary import known_vocabularies

THAI, OTHER = 58, 494
_EDUCATION = TOPICS.index("education")
_ENCODINGS = {
    "th": ("cp874", "utf-8", "cp874"), "ru": ("utf-8", "koi8-r", "cp1251"), "ja": ("utf-8", "shift_jis", "euc_jp"),
    "zh": ("utf-8", "gb18030"), "ko": ("utf-8", "euc_kr"), "ar": ("utf-8", "cp1256"), "fa": ("utf-8", "cp1256"),
    "el": ("utf-8", "iso8859-7"), "he": ("utf-8", "cp1255"), "pl": ("utf-8", "iso8859-2"),
}  # fmt: skip


@dataclass(frozen=True)
class Sample:
    """One page of the set."""

    language: str
    body: bytes
    charset: str
    text: str
    """What the page says, decoded; the truth that a detector's own decoding is to find."""


def detector_set(seed: int, language: str = "th", own: int = THAI, other: int = OTHER) -> list[Sample]:
    """Pages of the language and of 42 others, by turns. One page in six of the language has hardly any text in it."""
    others = [code for code in known_vocabularies() if code != language][:42]
    wanted = [language] * own + [others[number % len(others)] for number in range(other)]
    return [_sample(Dice(seed, "sample", number), code, code == language) for number, code in enumerate(wanted)]


def _sample(dice: Dice, language: str, is_own: bool) -> Sample:
    poor = is_own and dice.chance(1 / 6)
    title = write_title(dice, language, _EDUCATION)
    lines = [write_sentence(dice, language, _EDUCATION).text for _ in range(1 if poor else dice.between(4, 20))]
    if poor:
        # A page that is in the language by its title and menu, and otherwise English: the cause of the misses.
        lines += [write_sentence(dice, "en", _EDUCATION).text for _ in range(dice.between(14, 26))]
    codecs = _ENCODINGS.get(language, ("utf-8",))
    codec = codecs[dice.below(len(codecs))]
    names = {"cp874": "tis-620", "utf-8": "utf-8"}
    declared = names.get(codec, codec)
    paragraphs = "".join(f"<p>{escape(line)}</p>" for line in lines)
    html = (
        f'<html><head><meta http-equiv="Content-Type" content="text/html; charset={declared}">'
        f"<title>{escape(title)}</title></head><body><h1>{escape(title)}</h1>{paragraphs}</body></html>"
    )
    return Sample(language, html.encode(codec, "xmlcharrefreplace"), declared, "\n".join([title, *lines]))
