"""A website segment as a crawl knows it: its state, its pages, what waits in it, who recommends it (§3.3, §4.9)."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

import msgspec


class Phase(Enum):
    """Where a segment stands."""

    NEW = "new"  # linked to by a segment that is not finished yet
    QUEUED = "queued"  # scored, waits for its turn
    CRAWLING = "crawling"  # its pages are being fetched
    DONE = "done"  # nothing of it is left
    ABANDONED = "abandoned"  # rule S: too many irrelevant pages in a row
    DISCARDED = "discarded"  # rule D: recommended through irrelevant segments only; a better source revives it


class Segment(msgspec.Struct):
    """One segment. Its relevance degree is over the pages that were downloaded (A27)."""

    key: str
    phase: Phase = Phase.NEW
    pages: int = 0
    relevant: int = 0
    score_sum: float = 0.0
    """Σ P_w over its pages."""
    bad: int = 0
    """Irrelevant pages in a row up to now: rule S."""
    in_run: int = -1
    """Irrelevant segments in a row on the best way that leads here: rule D. -1 while no source is finished."""
    run: int = 0
    """The same with this segment counted in."""
    contributions: float = 0.0
    sources: int = 0
    seed: bool = False
    why: str = ""
    """Why it was discarded, if it was."""
    pending: dict[str, None] = msgspec.field(default_factory=dict)
    """Addresses that wait, first come first served."""

    @property
    def degree(self) -> float:
        """RD: relevant pages ÷ all pages; 0 while there is none."""
        return self.relevant / self.pages if self.pages else 0.0

    @property
    def mean_score(self) -> float:
        """Mean P_w of its pages."""
        return self.score_sum / self.pages if self.pages else 0.0

    @property
    def score(self) -> float:
        """score(y), Eq. 8: the mean over the sources that cite it; 1 for a seed (A26)."""
        if self.seed:
            return 1.0
        return self.contributions / self.sources if self.sources else 0.0

    @property
    def closed(self) -> bool:
        """Whether its pages are over (A22: it is not opened again)."""
        return self.phase in (Phase.DONE, Phase.ABANDONED)

    def add_page(self, relevant: bool, score: float) -> None:
        """One more page, judged."""
        self.pages += 1
        self.relevant += relevant
        self.score_sum += score
        self.bad = 0 if relevant else self.bad + 1

    def finish(self, phase: Phase, threshold: float, strict: bool = False) -> None:
        """Its pages are over: fix the run of irrelevant segments that it ends (§4.9)."""
        self.phase = phase
        self.run = 0 if is_relevant(self.degree, threshold, strict) else max(self.in_run, 0) + 1

    def recommend(self, contribution: float, run: int, several: str = "least") -> None:
        """A finished source cites it (Eq. 8). Of several sources the shortest run counts, or the longest ("most"), or
        that of the "latest" (A21)."""
        self.contributions += contribution
        self.sources += 1
        self.in_run = run if self.in_run < 0 or several == "latest" else _RUNS[several](self.in_run, run)


_RUNS: dict[str, Callable[[int, int], int]] = {"least": min, "most": max}


def is_relevant(degree: float, threshold: float, strict: bool = False) -> bool:
    """Whether a relevance degree makes a segment relevant: RD ≥ τ; strict: RD > τ below 1 (A3)."""
    return degree > threshold if strict and threshold < 1.0 else degree >= threshold
