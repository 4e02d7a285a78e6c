"""The five features of a segment link x → y, all known before y is fetched (segment-focused-crawling §4.6).

1 relevance degree of the source · 2a, 2b share of related words in the anchors with their surroundings, and in the
addresses · 3 countries of the two hosts · 4 top-level domains · 5 how often each word stands there. 1–4 make seven
nominal attributes, 5 is a bag of words.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from phasa.crawl.segments.dictionary import tokens_of
from phasa.crawl.segments.matcher import Matcher
from phasa.crawl.segments.nominal_bayes import MISSING
from phasa.web.url import authority, tld_of

BINS = 10
Locate = Callable[[str], str]
"""Host → ISO 3166 code of its country, '' when it is not known."""
Edges = Sequence[Sequence[float]]
"""Upper ends of the bins of the three real features but the last, for bins of equal frequency; empty: equal width."""


_BINS = (*map(str, range(BINS)), str(BINS - 1))  # by the whole part of ten times a share


class Citation(NamedTuple):
    """All that the pages of one source say of one destination segment (A6: pooled per pair)."""

    urls: Sequence[str]
    """The addresses of the destination that are cited, each once."""
    texts: Sequence[str]
    """Anchor text and surroundings of every link."""


class LinkVector(NamedTuple):
    """What the two classifiers see of one segment link."""

    attributes: tuple[str, ...]
    words: list[str]
    """Words of anchors, surroundings and addresses without stop words, repeated as often as they stand there."""


class Chance(NamedTuple):
    """P_L and P_W of a link, and the seven attributes that the first was judged by."""

    by_link: float
    by_words: float
    attributes: tuple[str, ...] = ()

    @property
    def ensemble(self) -> float:
        """P_E, their mean (Eq. 9)."""
        return (self.by_link + self.by_words) / 2


def bin10(value: float, bins: int = BINS) -> str:
    """A share as one of ten values: 0.0 → 0, 0.55 → 5, 1.0 → 9 (A7: equal width)."""
    return str(max(0, min(bins - 1, int(bins * value + 1e-9))))


def equal_frequency(values: Sequence[float], bins: int = BINS) -> list[float]:
    """The ends of bins that hold equally many of the values (A7, the other reading); equal ends are one."""
    return sorted({float(end) for end in np.quantile(np.asarray(values), [part / bins for part in range(1, bins)])})


def path_of(url: str) -> str:
    """An address without its scheme and host name."""
    start = url.find("/", url.find("://") + 3)
    return url[start:] if start > 0 else ""


def address_tokens(url: str) -> list[str]:
    """The words of an address without its scheme and host name."""
    return tokens_of(path_of(url))


@dataclass(frozen=True)
class Extractor:
    """Turns a citation into its vector."""

    matcher: Matcher
    locate: Locate = lambda host: ""
    edges: Edges = ()

    def vector(self, source: str, degree: float, destination: str, cited: Citation) -> LinkVector:
        """The features of the link from segment `source`, of relevance `degree`, to segment `destination`."""
        in_texts, spoken = self.matcher.weigh(tokens_of("\n".join(cited.texts)))
        in_urls, written = self.matcher.weigh(tokens_of("\n".join(map(path_of, cited.urls))))
        from_host, to_host = authority(source), authority(destination)
        attributes = (
            *self._binned((degree, in_texts, in_urls)),
            self.locate(from_host).upper() or MISSING,
            self.locate(to_host).upper() or MISSING,
            _domain(from_host),
            _domain(to_host),
        )
        return LinkVector(attributes, spoken + written)  # all but stop words (A35: plain tokens)

    def _binned(self, values: Sequence[float]) -> tuple[str, ...]:
        if not self.edges:
            return tuple([_BINS[int(BINS * value + 1e-9)] if 0.0 <= value <= 1.0 else bin10(value) for value in values])
        return tuple(str(bisect_right(ends, value)) for ends, value in zip(self.edges, values, strict=True))


@lru_cache(maxsize=65_536)
def _domain(host: str) -> str:
    return tld_of(host).upper() or MISSING
