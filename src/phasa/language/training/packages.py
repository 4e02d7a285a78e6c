"""Text that comes inside freely licensed Python packages: word frequencies (wordfreq), interface text (Django).

Both are optional; a package that is not installed adds nothing. `pip install wordfreq django`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path

from phasa.language.training.corpus import Line, class_of, main_script

# The languages that must be told from their neighbours by a few words get more lines.
MORE: Mapping[str, int] = {"fa": 10_000, "ar": 10_000, "ur": 10_000}
_WORDFREQ_CODES = {"fil": "tl", "nb": "nb", "sh": "sh", "zh": "-", "ja": "-", "ko": "-"}
_MESSAGE = re.compile(r'^(?:msgstr(?:\[\d\])?) "(.+)"$', re.MULTILINE)
_NOT_TEXT = re.compile(r"%\(\w+\)[a-z]|%[a-z]|\{\w*\}|<[^>]+>|\\n|\\\"|&\w+;")
_DJANGO_CODES = {"hy": "hy", "sr_Latn": "sr-Latn", "zh_Hans": "zh_Hans", "zh_Hant": "zh_Hant", "ckb": "ckb"}


def word_lines(lines: int, seed: int, more: Mapping[str, int] = MORE) -> Iterator[Line]:
    """Lines of words drawn by their frequency, so many per language: they teach its words, not their order."""
    if find_spec("wordfreq") is None:
        return
    import wordfreq

    for language in sorted(wordfreq.available_languages("small")):
        label = _WORDFREQ_CODES.get(language, language)
        if label == "-":
            continue
        chance = random.Random(f"{seed}{language}")
        frequencies = wordfreq.get_frequency_dict(language, "best")
        words = [word for word in frequencies if not any(character.isdigit() for character in word)]
        weights = list(accumulate(frequencies[word] for word in words))
        for _ in range(more.get(language, lines)):
            text = " ".join(chance.choices(words, cum_weights=weights, k=chance.randint(3, 14)))
            name = class_of(label, main_script(text))
            if name is not None:
                yield Line("wordfreq", name, text)


def interface_lines() -> Iterator[Line]:
    """Messages of Django's interface in its languages: the short, dry text of menus and forms."""
    spec = find_spec("django")
    if spec is None or spec.origin is None:
        return
    for path in sorted(Path(spec.origin).parent.glob("**/locale/*/LC_MESSAGES/django.po")):
        folder = path.parent.parent.name
        label = _DJANGO_CODES.get(folder, folder.split("_")[0])
        for message in _MESSAGE.findall(path.read_text(encoding="utf-8")):
            text = " ".join(_NOT_TEXT.sub(" ", message).split())
            name = class_of(label, main_script(text)) if len(text) >= 12 else None
            if name is not None:
                yield Line("django", name, text)
