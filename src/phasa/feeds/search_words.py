"""Words for the search in posts: text as it is, with Thai cut into words by our segmenter.

SQLite's index cuts at blanks and signs; Thai has none between words, so a sentence would be one word to it.
"""

from __future__ import annotations

import re

from phasa.feeds.post import headline

_THAI = re.compile("[\u0e00-\u0e7f]+")
# Of one post no more than this is searched.
MOST_LETTERS = 20_000


def words_of(text: str) -> str:
    """The text without markup, a blank between any two words."""
    plain = headline(text, MOST_LETTERS)
    return _THAI.sub(lambda run: f" {' '.join(_cut(run.group()))} ", plain) if _THAI.search(plain) else plain


def _cut(run: str) -> list[str]:
    # Loaded with the first Thai text: a watch of English feeds does without.
    from phasa.language.segmenters import segmenter_for

    return segmenter_for("th").words(run)


def query_of(asked: str) -> str:
    """What was typed as a query of SQLite's index: all of its words, the last one may be begun. "" asks for nothing."""
    words = re.findall(r"[^\W_]+(?:[\u0e00-\u0e7f]*)", words_of(asked))
    return " ".join(f'"{word}"' for word in words[:-1]) + (f' "{words[-1]}"*' if words else "")
