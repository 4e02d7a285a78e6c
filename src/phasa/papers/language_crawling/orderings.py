"""The orderings of specs/language-specific-crawling.md §7.11, row by row: do they hold here, with what figures?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from phasa.lab.curves import SHOWN, Curve, Floats, interval
from phasa.lab.result import Claim

_NAMES = {"thai1": "Thai1", "thai2": "Thai2", "english": "English seeds"}
_DENSE_SHARE = 0.7
"""Thai2: LSWC is said to follow the perfect line for 3,500 of 5,000 pages (§7.8); a shorter crawl in proportion."""
_EARLY = 500
"""Live: up to here NB-LSWC is said to lead (§7.10); half of a crawl that is shorter than twice that."""
_SAME = 0.01
"""Shares of the perfect line closer than this are one line on a printed plot."""


def ordering_claims(number: str, seeds: str, curves: Sequence[Curve]) -> list[Claim]:
    """The claims of §7.11 about a seed set, and that hybrid is not worse than any other."""
    crawls = _Crawls(curves)
    name, source = _NAMES[seeds], f"{number} §7.11"
    if seeds == "thai2":
        dense = round(_DENSE_SHARE * max(curve.every * len(curve.harvest) for curve in curves))
        published = {"lswc": " (1.0)", "nb": " (≈ 0.9)", "bfs": " (0.6–0.7)"}
        claims = [
            crawls.more(source, f"{name}, harvest", "lswc", "nb", published),
            crawls.more(source, f"{name}, harvest", "nb", "bfs", published),
            crawls.on_the_perfect_line(source, f"{name}, coverage to page {dense:,}", dense),
            crawls.best_covered(source, f"{name}, coverage to page {dense:,}", "lswc", ("nb",), dense),
        ]
    elif seeds == "english":
        claims = [crawls.more(source, f"{name}, harvest", "nb", "lswc", far=True)]
    else:
        claims = [crawls.more(source, f"{name}, harvest", "nb", other) for other in ("lswc", "bfs")]
    if seeds != "thai2":
        claims.append(crawls.best_covered(source, f"{name}, coverage", "nb", ("lswc", "bfs")))
    best = max((one for one in crawls.names if one != "hybrid"), key=lambda one: crawls.harvest(one).mean())
    claims.append(crawls.more(f"{number} ours", f"{name}, harvest", "hybrid", best, equal=True))
    return claims


def live_claims(curves: Sequence[Curve]) -> list[Claim]:
    """The live row: NB-LSWC > LSWC to page 500, then about equal."""
    harvest = {curve.strategy: curve.harvest for curve in curves}
    every, shortest = curves[0].every, min(len(curve.harvest) for curve in curves)
    mark = max(1, min(_EARLY // every, shortest // 2)) - 1
    until = every * (mark + 1)
    early = {name: float(values[mark]) for name, values in harvest.items()}
    later = {name: _after(values, mark) for name, values in harvest.items()}
    gap = later["nb"] - later["lswc"]
    return [
        Claim("E9 §7.11", f"Live, English seeds, harvest to page {until}: NB-LSWC > LSWC", early["nb"] > early["lswc"],
              f"{early['nb']:.3f} against {early['lswc']:.3f}"),
        Claim("E9 §7.11", "Live, English seeds, harvest of the pages after that: NB-LSWC ≈ LSWC (within 0.1)",
              abs(gap) <= 0.1, f"{later['nb']:.3f} against {later['lswc']:.3f}; difference {gap:+.3f}"),
    ]  # fmt: skip


def _after(harvest: Floats, mark: int) -> float:
    """The harvest of the pages after a mark, from the cumulative one; the cumulative one when none came after it."""
    last = len(harvest) - 1
    if last <= mark:
        return float(harvest[-1])
    return float((harvest[last] * (last + 1) - harvest[mark] * (mark + 1)) / (last - mark))


class _Crawls:
    """The crawls of one seed set by strategy, on the same grounds in the same order."""

    def __init__(self, curves: Sequence[Curve]) -> None:
        self.names = list(dict.fromkeys(curve.strategy for curve in curves))
        self._by_name = {name: [curve for curve in curves if curve.strategy == name] for name in self.names}

    def harvest(self, name: str) -> Floats:
        """Mean harvest of every crawl."""
        return np.array([curve.mean_harvest for curve in self._by_name[name]])

    def coverage(self, name: str, mark: int | None = None) -> Floats:
        """Coverage of every crawl after `mark` pages, at its end when not given or not reached."""
        found = []
        for curve in self._by_name[name]:
            last = len(curve.coverage) - 1
            found.append(curve.coverage[last if mark is None else min(last, mark // curve.every - 1)])
        return np.array(found)

    def of_perfect(self, name: str, mark: int) -> Floats:
        """Coverage of every crawl as a share of what a perfect one has, in the mean of the marks up to `mark`.

        With pages in the language left to find, a perfect crawl's harvest is 1: this is the mean harvest up to there.
        """
        return np.array([curve.harvest[: mark // curve.every].mean() for curve in self._by_name[name]])

    def more(
        self,
        source: str,
        what: str,
        first: str,
        second: str,
        published: dict[str, str] | None = None,
        equal: bool = False,
        far: bool = False,
    ) -> Claim:
        """Mean harvest of one above that of another; `far`: the 95 % interval of the difference lies above 0."""
        notes = published or {}
        gaps = self.harvest(first) - self.harvest(second)
        mean, half = float(gaps.mean()), float(interval(gaps[:, None])[0])
        sign = "≥" if equal else "≫" if far else ">"
        return Claim(
            source,
            f"{what}: {SHOWN.get(first, first)}{notes.get(first, '')} {sign} "
            f"{SHOWN.get(second, second)}{notes.get(second, '')}",
            mean >= 0 if equal else mean > half if far else mean > 0,
            f"{self.harvest(first).mean():.3f} against {self.harvest(second).mean():.3f}; "
            f"difference {mean:+.3f} ± {half:.3f}",
        )

    def best_covered(self, source: str, what: str, first: str, others: Sequence[str], mark: int | None = None) -> Claim:
        """Coverage of one above that of all others."""
        covered = {name: self.coverage(name, mark) for name in (first, *others)}
        ends = {name: self.coverage(name) for name in covered}
        near = max(others, key=lambda name: covered[name].mean())
        gaps = covered[first] - covered[near]
        text = "best" if len(others) > 1 else f"> {SHOWN[near]}"
        after = "" if mark is None else "; at the end " + ", ".join(f"{one.mean():.3f}" for one in ends.values())
        return Claim(
            source,
            f"{what}: {SHOWN[first]} {text}",
            bool(gaps.mean() > 0),
            ", ".join(f"{SHOWN[name]} {values.mean():.3f}" for name, values in covered.items())
            + f"; difference {gaps.mean():+.3f} ± {float(interval(gaps[:, None])[0]):.3f}{after}",
        )

    def on_the_perfect_line(self, source: str, what: str, mark: int) -> Claim:
        """Thai2: LSWC's coverage is the perfect line as long as the seed sites last."""
        share = self.of_perfect("lswc", mark)
        return Claim(
            source,
            f"{what}: LSWC = perfect (within {_SAME:.0%})",
            bool(share.mean() >= 1 - _SAME),
            f"{share.mean():.3f} ± {float(interval(share[:, None])[0]):.3f} of the perfect line; worlds "
            + ", ".join(f"{one:.3f}" for one in share),
        )
