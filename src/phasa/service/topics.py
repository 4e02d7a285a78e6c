"""The topics of a collection: keywords of its cloud that stand on the same pages more often than chance would have it.

Two words belong together by their normalised pointwise mutual information over pages (Bouma 2009): 0 when they meet by
chance, 1 when they are never apart. A topic begins with the heaviest word that has none yet and takes the words that
belong to all of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from math import log

import msgspec

MOST = 8
MOST_WORDS = 6
LEAST_WORDS = 3
LEAST_PAGES = 3
TOGETHER = 0.25
"""The least that two words of a topic have in common."""


class Topic(msgspec.Struct, frozen=True):
    """Words that occur together. `pages`: how many pages have the first two, which is the search that it leads to."""

    words: list[str]
    pages: int


def topics_of(words: Sequence[str], pages: Mapping[str, AbstractSet[int]], total: int) -> list[Topic]:
    """Topics of words, given the heaviest first, and the pages of each among so many; those on most pages first."""
    free = [word for word in dict.fromkeys(words) if len(pages[word]) >= LEAST_PAGES]
    found: list[Topic] = []
    while free:
        group = [free.pop(0)]
        while len(group) < MOST_WORDS:
            nearest = [(min(together(pages[one], pages[other], total) for one in group), other) for other in free]
            best = max(nearest, default=(0.0, ""), key=lambda pair: pair[0])  # of equals the heavier one
            if best[0] < TOGETHER:
                break
            free.remove(best[1])
            group.append(best[1])
        if len(group) >= LEAST_WORDS:
            found.append(Topic(group, len(pages[group[0]] & pages[group[1]])))
    return sorted(found, key=lambda topic: -topic.pages)[:MOST]


def together(one: AbstractSet[int], other: AbstractSet[int], total: int) -> float:
    """How much two words are on the same pages: -1 never, 0 by chance, 1 always."""
    both = len(one & other)
    if both < LEAST_PAGES:
        return -1.0
    if both >= total:
        return 0.0  # on every page: they say nothing of each other
    return log(both * total / (len(one) * len(other))) / -log(both / total)
