"""What a corpus says of itself: `corpus.json` for programs, `README.md` for people. Neither names a moment or a
machine: the same sources and options give the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import msgspec

from phasa.corpus.options import STEPS, Options
from phasa.corpus.tally import Shown, Tally
from phasa.corpus.thresholds import Thresholds

SUMMARY, CARD = "corpus.json", "README.md"
_ORDER = ("read", "extract", "optout", "language", "normalise", "quality", "spam", "duplicates", "boilerplate")
_TOP = 20


class Stage(msgspec.Struct, frozen=True):
    """A step of the funnel: what it left out by reason, and how many documents were left after it."""

    step: str
    dropped: int
    left: int
    reasons: dict[str, int]


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """corpus.json."""

    phasa: str
    language: str
    name: str
    sources: tuple[str, ...]
    addresses: int
    options: Options
    thresholds: Thresholds
    thresholds_from: str
    shards: int
    units: int
    damage: tuple[str, ...]
    funnel: tuple[Stage, ...]
    counts: Tally


def funnel_of(tally: Tally) -> tuple[Stage, ...]:
    """The steps in their order, with what was left after each."""
    by_step: dict[str, dict[str, int]] = {step: {} for step in _ORDER}
    for name, count in tally.reasons.items():
        step, _, reason = name.partition("/")
        by_step.setdefault(step, {})[reason] = count
    dropped = [sum(reasons.values()) for reasons in by_step.values()]
    left = [tally.records - gone for gone in accumulate(dropped)]
    return tuple(
        Stage(step, gone, rest, reasons)
        for (step, reasons), gone, rest in zip(by_step.items(), dropped, left, strict=True)
    )


def card(summary: Summary) -> str:
    """The data card."""
    counts, options = summary.counts, summary.options
    parts = [
        f"# A corpus of {summary.name} ({summary.language})",
        f"Made by phasa {summary.phasa} from {len(summary.sources)} sources: "
        f"{', '.join(f'`{name}`' for name in summary.sources[:10])}{' …' if len(summary.sources) > 10 else ''}.",
        _table(
            ("", "number"),
            [
                ("documents", counts.kept),
                ("words", counts.words),
                ("characters", counts.characters),
                ("paragraphs", counts.paragraphs),
                ("hosts", len(counts.hosts)),
                ("records read", counts.records),
                ("paragraphs in other languages left out of kept documents", counts.wrong_paragraphs),
                ("repeated paragraphs of sites left out", counts.boilerplate_paragraphs),
            ],
        ),
        "## What was left out, and why",
        _table(
            ("step", "left out", "documents left", "reasons"),
            [
                (stage.step, stage.dropped, stage.left, ", ".join(f"{name} {n:,}" for name, n in stage.reasons.items()))
                for stage in summary.funnel
            ],
        ),
        f"Thresholds: {summary.thresholds_from}; all of them are in `corpus.json`. Switched off: "
        f"{', '.join(options.without) or 'nothing'}. Masked: {', '.join(options.mask) or 'nothing'}"
        f"{_masked(counts)}. Near duplicates: Jaccard ≥ {options.jaccard:g} over shingles of five words.",
        "## Hosts",
        _table(("host", "documents"), list(counts.hosts.items())[:_TOP]),
        "## Months of capture",
        _table(("month", "documents"), sorted(counts.months.items())),
        "## Licences that pages state",
        "What a page states is kept as it is; most pages state none, and their text belongs to whoever wrote it.",
        _table(("licence", "documents"), list(counts.licences.items())[:_TOP]),
        "## Languages",
        "Of kept documents, and of those left out for being in another one.",
        _table(("language", "documents"), list(counts.languages.items())[:_TOP]),
        "## Samples of what was left out",
        *(_samples(reason, shown) for reason, shown in counts.dropped.items() if any(one.after for one in shown)),
        "## Columns",
        "`url, host, date` (of the capture), `title, text, paragraphs` (text, kind, level, language, links), "
        "`language, score, signals, cluster, cluster_size, licence, author, published, page, masked, file, offset`. "
        "`dropped/` has every record that was left out, with its step, reason and numbers.",
    ]
    if summary.damage:
        parts.insert(3, "## Damage\n\n" + "\n".join(f"- {line}" for line in summary.damage[:_TOP]))
    return "\n\n".join(part for part in parts if part) + "\n"


def _masked(counts: Tally) -> str:
    found = ", ".join(f"{kind} {count:,}" for kind, count in counts.masked.items())
    return f" ({found})" if found else ""


def _samples(reason: str, shown: list[Shown]) -> str:
    lines = [f"**{reason}**", ""]
    for one in shown:
        if one.after:
            text = " ".join(one.after.split())[:160].replace("`", "'").replace("|", "¦")
            lines.append(f"- <{one.url}> {one.detail}: `{text}`")
    return "\n".join(lines)


def _table(columns: tuple[str, ...], rows: Sequence[tuple[object, ...]]) -> str:
    if not rows:
        return ""
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    lines += ["| " + " | ".join(_cell(value) for value in row) + " |" for row in rows]
    return "\n".join(lines)


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else " ".join(str(value).split()).replace("|", "\\|")


def step_words(step: str) -> str:
    """What a step does, in words."""
    return STEPS.get(step, {"read": "records that are pages", "extract": "the text of a page"}.get(step, step))
