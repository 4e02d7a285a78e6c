"""The terms of a page: title, text and anchors, without stop words, as stems with their counts (§4.2, A14)."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from phasa.language.stopwords import stop_words_for
from phasa.web.html import Page

_WORD = re.compile(r"[^\W\d_]{2,40}")
_REMEMBERED = 200_000
# ISO 639-1 → what Snowball calls its stemmer.
_STEMMERS = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish",
    "fi": "finnish", "fr": "french", "hu": "hungarian", "id": "indonesian", "it": "italian", "nl": "dutch",
    "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip


FIELDS = ("title", "body", "anchor")
"""What terms are taken from."""


class Terms:
    """Cuts the pages of one language into terms."""

    def __init__(self, language: str = "en") -> None:
        self.language = language
        self._stop = stop_words_for(language)
        self._stems: dict[str, str] = {}
        self._stem = _stemmer(language)

    def of_page(self, page: Page) -> Counter[str]:
        """Term → how often it stands in the title, the text and the anchors.

        Anchors are part of the text and not counted twice; those that are not (a picture's name) are added.
        """
        shown = self.of_text(f"{page.title} {page.text}")
        return shown | self.of_text(" ".join(link.anchor for link in page.links))

    def of_text(self, text: str) -> Counter[str]:
        """Term → how often it stands in a text."""
        stop, stems = self._stop, self._stems
        found: Counter[str] = Counter()
        for word, count in Counter(_WORD.findall(text.lower())).items():
            if word in stop:
                continue
            stem = stems.get(word)
            if stem is None:
                if len(stems) > _REMEMBERED:
                    stems.clear()
                stem = stems[word] = self._stem(word)
            found[stem] += count
        return found


class _Snowball:
    def __init__(self, name: str) -> None:
        import snowballstemmer

        self._stemmer = snowballstemmer.stemmer(name)

    def __call__(self, word: str) -> str:
        return str(self._stemmer.stemWord(word))


@cache
def _stemmer(language: str) -> _Snowball | type[str]:
    """The stemmer of a language; words stay as they are where Snowball has none."""
    name = _STEMMERS.get(language.split("-")[0])
    return _Snowball(name) if name else str
