"""The lab's yardstick as a strategy of a live crawl: `strategy = "bench/debian/handmade.py:hand_made"`."""

from __future__ import annotations

from phasa.crawl.strategies import Circumstances
from phasa.lab.handmade import HandMade


def hand_made(around: Circumstances) -> HandMade:
    """Parent in the language + 1.5 × top-level domain."""
    return HandMade(around.target)
