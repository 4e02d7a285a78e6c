"""What travels with a waiting URL of the Persian crawler, and what its documents are scored by (§3.3)."""

from __future__ import annotations

import struct
from typing import NamedTuple

from phasa.crawl.wire.links import LinkIndex
from phasa.strategy_settings import ScoreWeights

_NOTE = struct.Struct("<HHB")


class Document(NamedTuple):
    """Its depth (1 for a seed), the rest of policy B's budget, and whether a page in the language links to it
    (`from_persian`, §4.4)."""

    depth: int = 1
    budget: int = 0
    from_persian: bool = False

    def note(self) -> bytes:
        return _NOTE.pack(min(self.depth, 65535), min(self.budget, 65535), self.from_persian)


def document_of(note: bytes, depth: int, budget: int) -> Document:
    """What a note says; of a note of another kind, only how many links from a seed is known."""
    if len(note) != _NOTE.size:
        return Document(depth + 1, budget)
    deep, left, flag = _NOTE.unpack(note)
    return Document(deep, left, bool(flag))


class Scoring(NamedTuple):
    """What the score of a document depends on, besides the document."""

    weights: ScoreWeights
    links: LinkIndex
    max_depth: int = 15
    distance: int = 3
    seed: int = 0
