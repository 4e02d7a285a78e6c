"""What a crawl in cycles counts: figures per cycle, from the visits that the frontier has (persian-crawling §3.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from phasa.crawl.wire.score import is_dynamic
from phasa.frontier.protocol import Visited
from phasa.web.url import authority, tld_of

COLUMNS = (
    "cycle", "assigned", "processed", "parsed", "persian", "stage_1", "stage_4", "duplicates", "static", "dynamic",
    "seconds", "ratio", "persian_by_tld",
)  # fmt: skip


class Cycle(Struct, frozen=True):
    """Figures after a cycle, all cumulative but for `assigned` and `seconds`."""

    number: int = 0
    assigned: int = 0
    """Documents that the manager chose for this cycle."""
    processed: int = 0
    """Addresses that were asked for, redirects and failures included."""
    parsed: int = 0
    persian: int = 0
    tagged: int = 0
    """Persian pages that stage 1, the language tag, accepted; stage 4, the stop words, accepted the others."""
    duplicates: int = 0
    static: int = 0
    dynamic: int = 0
    seconds: float = 0.0
    """Wall clock of this cycle, the pauses of a crawl that was killed included."""
    by_tld: dict[str, int] = {}
    """Persian pages by top-level domain."""

    @property
    def ratio(self) -> float:
        """R(c, w): Persian pages among the parsed."""
        return self.persian / self.parsed if self.parsed else 0.0

    @property
    def outside(self) -> float:
        """Share of the Persian pages that a crawl of .ir alone would miss."""
        return 1 - self.by_tld.get("ir", 0) / self.persian if self.persian else 0.0


def counted(
    before: Cycle, visits: Iterable[Visited], known: set[int], assigned: int, seconds: float, *, staged: bool = True
) -> Cycle:
    """The figures after a cycle that made these visits. `known` are the digests of pages before it; it gets the new
    ones. `staged`: scores are those of the Persian cascade, 1 for the language tag and less for stop words."""
    processed = parsed = persian = tagged = duplicates = dynamic = 0
    by_tld = Counter(before.by_tld)
    for url, _, _, visit in visits:
        processed += 1
        if visit.wanted is None:
            continue
        parsed += 1
        dynamic += is_dynamic(url)
        duplicates += bool(visit.digest) and visit.digest in known
        known.add(visit.digest)
        if visit.wanted:
            persian += 1
            tagged += staged and visit.score >= 1.0
            by_tld[tld_of(authority(url))] += 1
    return Cycle(
        before.number + 1,
        assigned,
        before.processed + processed,
        before.parsed + parsed,
        before.persian + persian,
        before.tagged + tagged,
        before.duplicates + duplicates,
        before.static + parsed - dynamic,
        before.dynamic + dynamic,
        round(seconds, 3),
        dict(by_tld.most_common()),
    )


def write_cycles(cycles: Sequence[Cycle]) -> str:
    """The figures as CSV, one row a cycle."""
    lines = [",".join(COLUMNS)]
    for one in cycles:
        tlds = " ".join(f"{tld}:{count}" for tld, count in one.by_tld.items())
        lines.append(
            f"{one.number},{one.assigned},{one.processed},{one.parsed},{one.persian},{one.tagged},"
            f"{one.persian - one.tagged},{one.duplicates},{one.static},{one.dynamic},{one.seconds:.3f},{one.ratio:.6f},"
            f"{tlds}"
        )
    return "\n".join(lines) + "\n"
