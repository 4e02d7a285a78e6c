"""A corpus as one page to look at: funnel, languages, lengths, duplicates, hosts, and samples before and after."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from jinja2 import Environment

from phasa.corpus.card import Summary, step_words

_TOP = 15


def report(summary: Summary) -> str:
    """One self-contained HTML page; everything in it that pages said is escaped."""
    source = (files("phasa.corpus") / "report.html").read_text(encoding="utf-8")
    template = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(source)
    counts = summary.counts
    return template.render(
        summary=summary,
        counts=counts,
        stages=[(stage, step_words(stage.step)) for stage in summary.funnel],
        charts=[
            ("Languages", "kept, and left out for being in another", bars(list(counts.languages.items())[:_TOP])),
            ("Lengths", "documents by words", bars(_ranges(counts.lengths, "words"))),
            ("Duplicates", "documents by how many copies they stand for", bars(_ranges(counts.clusters, "copies"))),
            ("Hosts", "documents of the largest", bars(list(counts.hosts.items())[:_TOP])),
            ("Months of capture", "documents", bars(sorted(counts.months.items()))),
            ("Licences", "as pages state them", bars(list(counts.licences.items())[:_TOP])),
        ],
    )


def bars(rows: list[tuple[str, int]]) -> list[dict[str, Any]]:
    """Rows with the width of their bar in percent of the longest."""
    longest = max((count for _, count in rows), default=0) or 1
    return [{"name": name or "—", "count": count, "width": round(100 * count / longest, 1)} for name, count in rows]


def _ranges(counts: dict[str, int], unit: str) -> list[tuple[str, int]]:
    """Powers of two as ranges, in order: the key is the number of bits."""
    out = []
    for bits in sorted(map(int, counts)):
        low, high = (1 << (bits - 1), (1 << bits) - 1) if bits else (0, 0)
        out.append((f"{low:,}–{high:,} {unit}" if high > low else f"{low:,} {unit}", counts[str(bits)]))
    return out
