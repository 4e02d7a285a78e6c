"""The four features of a candidate URL, all known before its page is fetched (language-specific-crawling §4.5).

a1 Γ of the page the link stands on · a2 Γ of the anchor text · a3 1 for a domain of the language · a4 ln(1 + D), where
D counts the consecutive pages in the language that lead to the URL.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from phasa.crawl.strategy import Floats, JudgedPage, OutLinks, Seed
from phasa.crawl.target import Target
from phasa.web.url import authority, tld_of

NAMES = ("parent", "anchor", "domain", "distance")

_RECORD = np.dtype([("parent", "<f4"), ("anchor", "<f4"), ("distance", "<f4"), ("path", "<u2"), ("domain", "u1")])


class Traits(NamedTuple):
    """a1..a4 of one URL and D, as they stood when it was offered."""

    parent: float = 0.0
    anchor: float = 0.0
    domain: float = 0.0
    distance: float = 0.0
    path: int = 0


def path_after(wanted: bool, path: int) -> int:
    """D of a link, from its page: one more after a page in the language, 0 after any other (Eq. 23)."""
    return path + 1 if wanted else 0


def domain_values(urls: Sequence[str], target: Target) -> Floats:
    """a3 of each URL: 1 when its top-level domain is one of the language (Eq. 22)."""
    tlds = target.tlds
    return np.array([tld_of(authority(url)) in tlds for url in urls], dtype=np.float64)


def anchor_values(links: OutLinks, target: Target) -> Floats:
    """a2 of each link: Γ of its anchor text, 0 for an empty one (Eq. 21)."""
    if links.similarity is not None:
        return np.asarray(links.similarity, dtype=np.float64)
    if not len(links.anchors):
        return np.zeros(len(links))
    return np.array(target.similarities(links.anchors), dtype=np.float64)


def link_features(page: JudgedPage, paths: Floats, target: Target) -> Floats:
    """a1..a4 of all links of a page, one row each; `paths` is D of each link."""
    features = np.empty((len(page.links), 4))
    features[:, 0] = page.judgement.score
    features[:, 1] = anchor_values(page.links, target)
    features[:, 2] = domain_values(page.links.urls, target)
    features[:, 3] = np.log1p(paths)
    return features


def seed_features(seeds: Sequence[Seed], target: Target) -> tuple[Floats, Floats]:
    """a1..a4 of the seeds as their list gives them, and D. A domain that is not given is taken from the URL."""
    features = np.zeros((len(seeds), 4))
    for row, seed in enumerate(seeds):
        domain = float(tld_of(authority(seed.url)) in target.tlds) if seed.domain is None else seed.domain
        features[row] = seed.parent, seed.anchor, domain, seed.distance
    return features, np.rint(np.expm1(features[:, 3]))


def write_notes(features: Floats, paths: Floats) -> list[bytes]:
    """One note per row, read back by `read_note`."""
    table = np.empty(len(features), dtype=_RECORD)
    table["parent"], table["anchor"] = features[:, 0], features[:, 1]
    table["domain"], table["distance"] = features[:, 2], features[:, 3]
    table["path"] = np.minimum(paths, 65535)
    packed, size = table.tobytes(), _RECORD.itemsize
    return [packed[at : at + size] for at in range(0, len(packed), size)]


def read_note(note: bytes) -> Traits:
    """What `write_notes` wrote; all zero for a note of another kind."""
    if len(note) != _RECORD.itemsize:
        return Traits()
    row = np.frombuffer(note, dtype=_RECORD)[0]
    return Traits(
        float(row["parent"]), float(row["anchor"]), float(row["domain"]), float(row["distance"]), int(row["path"])
    )


class PathMemory:
    """D of waiting URLs, so that a second, longer path raises it (Eq. 23: the maximum over the in-links).

    In `strict` mode the source with the largest D is taken first and then asked for its language (the order of the
    prose); otherwise the maximum runs over the sources in the language. At most `limit` URLs are remembered.
    """

    def __init__(self, strict: bool = False, limit: int = 200_000) -> None:
        self.strict = strict
        self.limit = limit
        self._known: dict[str, tuple[int, int]] = {}  # url -> (largest D of a source, D)

    def update(self, urls: Sequence[str], wanted: bool, path: int) -> Floats:
        """D of each link of a page with this D, after what is remembered of the links."""
        fresh, known, strict = path_after(wanted, path), self._known, self.strict
        values = []
        for url in urls:
            before = known.get(url)
            if before is None:
                entry = (path, fresh)
            elif strict:
                entry = (path, fresh) if path > before[0] else before
            else:
                entry = (max(path, before[0]), max(fresh, before[1]))
            known[url] = entry
            values.append(entry[1])
        self._forget()
        return np.array(values, dtype=np.float64)

    def pop(self, url: str) -> None:
        """The page of this URL came: nothing more to remember."""
        self._known.pop(url, None)

    def _forget(self) -> None:
        while len(self._known) > self.limit:
            del self._known[next(iter(self._known))]
