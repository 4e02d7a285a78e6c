"""Words for the search in posts: text as it is, with Thai cut into words by our segmenter.

SQLite's index cuts at blanks and signs; Thai has none between words, so a sentence would be one word to it. Where a
compound is cut depends on its sentence (น้ำ|ท่วม|ภาค|ใต้, but น้ำท่วม alone is one word), so Thai is indexed twice: as
the segmenter cuts it, and in the longest words of the lexicon. A search is answered by either.
"""

from __future__ import annotations

import re
from functools import partial

from phasa.feeds.post import headline

_THAI = re.compile("[\u0e00-\u0e7f]+")
_WORD = re.compile("[\u0e00-\u0e7f]+|[^\\W_\u0e00-\u0e7f]+")
# Of one post no more than this is searched.
MOST_LETTERS = 20_000


def words_of(text: str) -> str:
    """The text without markup, a blank between any two words."""
    plain = headline(text, MOST_LETTERS)
    if not _THAI.search(plain):
        return plain
    return "\n".join(_THAI.sub(partial(_spread, engine), plain) for engine in _ENGINES)


def _spread(engine: str, run: re.Match[str]) -> str:
    return f" {_cut(run.group(), engine)} "


_ENGINES = ("phasa", "maximal")


def _cut(run: str, engine: str) -> str:
    # Loaded with the first Thai text: a watch of English feeds does without.
    from phasa.language.segmenters import load_segmenter

    return " ".join(load_segmenter(engine, "th").words(run))


def query_of(asked: str) -> str:
    """What was typed as a query of SQLite's index: all of its words, the last one may be begun. "" asks for nothing."""
    words = _WORD.findall(headline(asked, 1000))
    parts = []
    for word in words:
        if _THAI.match(word):
            either = dict.fromkeys(_cut(word, engine) for engine in _ENGINES)
            parts.append("(" + " OR ".join(f'"{cut}"' for cut in either) + ")")
        else:
            parts.append(f'"{word}"')
    if words and not _THAI.match(words[-1]):
        parts[-1] += "*"
    return " AND ".join(parts)
