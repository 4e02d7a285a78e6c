"""The manifest of a crawl by topic: every parameter of Appendix A, every reading of §8, checksums of models, seeds."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

import msgspec

from phasa.crawl.segments.evaluation import SWEEP
from phasa.crawl.segments.features import BINS
from phasa.crawl.segments.predictor import MEMBERS, Predictor
from phasa.crawl.topics.terms import FIELDS
from phasa.crawl.topics.topic import Topic
from phasa.strategy_settings import SegmentSettings, StrategySettings
from phasa.web.html import CONTEXT

CRAWLERS = {"segment": "tflswc", "best-segment": "best_segment", "best-page": "best_page", "bfs": "breadth_first"}
Value = str | int | float | bool | list[str] | list[float] | dict[str, object]


FIXED = {
    "A10": "P_w = 0 in another language",
    "A11": "P_w = 0 without a word that must occur",
    "A13": "multinomial naive Bayes",
    "A14": "Snowball stems, stop words with boilerplate of addresses",
    "A15": "best repetition, fitted again on a balanced sample",
    "A18": "pages of the starts count; the other rule is reported beside it",
    "A19": "all vectors within one website removed",
    "A24": "pages that were fetched and parsed",
    "A26": "1.0, in their order",
    "A35": "plain words",
    "A37": "all pages of the training crawl",
    "A39": "everything but letters and digits parts words",
}
"""Items of §8 that have one reading here."""


class RunLimits(NamedTuple):
    """The budgets of a run: pages in all, and of one website (a host, or a registered domain); 0 is no limit."""

    pages: int
    of_website: int
    website: str = "host"


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a run was: enough to repeat it, and to see that two runs are comparable."""

    configuration: dict[str, Value]
    readings: dict[str, str]
    """Item of §8 that can be switched → the option that was taken."""
    fixed: dict[str, str] = msgspec.field(default_factory=FIXED.copy)
    models: dict[str, str]
    """Model → SHA-256 of its file."""
    seeds: list[str]
    started: float
    ended: float
    """Seconds since 1970: crawls that are compared ran in the same period."""

    def text(self) -> str:
        """As JSON."""
        return msgspec.json.format(msgspec.json.encode(self), indent=1).decode() + "\n"


def make_manifest(
    crawler: str,
    topic: Topic,
    predictor: Predictor | None,
    seeds: Sequence[str],
    settings: StrategySettings,
    limits: RunLimits,
    *,
    random_seed: int = 0,
    started: float,
    ended: float,
) -> Manifest:
    """The manifest of one run."""
    models = {"topic": sha256(topic.encode()).hexdigest()}
    if predictor is not None:
        models["predictor"] = sha256(predictor.encode()).hexdigest()
    return Manifest(
        configuration=_configuration(crawler, topic, predictor, settings.segment, limits, random_seed),
        readings=_readings(topic, settings),
        models=models,
        seeds=list(seeds),
        started=started,
        ended=ended,
    )


def _configuration(
    crawler: str,
    topic: Topic,
    predictor: Predictor | None,
    settings: SegmentSettings,
    limits: RunLimits,
    random_seed: int,
) -> dict[str, Value]:
    """The keys of Appendix A, in its order: what was measured or chosen, and nothing else."""
    report = topic.report
    book = predictor.matcher.dictionary if predictor is not None else None
    return {
        "language": topic.language,
        "topic": topic.name,
        "relevance_degree_threshold": settings.threshold,
        "relevance_comparison": ">" if settings.strict else ">=",
        "segment_threshold_S": settings.patience,
        "distance_threshold_D": settings.distance,
        "max_pages_total": limits.pages,
        "max_pages_per_website": limits.of_website,
        "website_unit": limits.website,
        "anchor_context_chars": CONTEXT if settings.surroundings == "each" else CONTEXT // 2,
        "context_sides": settings.surroundings,
        "discretization_bins": BINS,
        "discretization": f"equal_{settings.bins}",
        "ensemble": {"members": list(MEMBERS) if predictor is not None else [], "combine": "mean"},
        "page_decision_threshold": topic.threshold,
        "cv": {"folds": report.folds, "repeats": report.repeats, "g_mean": report.g_mean},
        "threshold_sweep": list(SWEEP),
        "training_hops": predictor.hops if predictor is not None else 0,
        "topic_training": {"positive": report.positive, "negative": report.negative,
                           "max_pages_per_site": report.pages_per_site, "fields": list(FIELDS)},
        "dictionary": {"terms": len(book) if book is not None else 0,
                       "sources": list(book.sources) if book is not None else []},
        "thai_match": {"mode": predictor.matcher.mode if predictor is not None else "none"},
        "diving_words": list(topic.must),
        "frontier_filter": "none" if not settings.least_chance else f"P_E >= {settings.least_chance:g}",
        "crawler": CRAWLERS.get(crawler, crawler),
        "random_seed": random_seed,
    }  # fmt: skip


def _readings(topic: Topic, chosen: StrategySettings) -> dict[str, str]:
    """What was chosen for every item of §8 that can be switched."""
    settings = chosen.segment
    return {
        "A1": settings.directories,
        "A2": settings.website,
        "A3": "RD > τ" if settings.strict else "RD ≥ τ",
        "A5": settings.counted,
        "A6": settings.addresses,
        "A7": settings.bins,
        "A8": "pages found inside are crawled" if settings.discover else "only pages that waited",
        "A9": f"{topic.threshold:g}",
        "A12": ", ".join(topic.must) or "no words",
        "A16": settings.surroundings,
        "A17": settings.sources,
        "A21": settings.several,
        "A22": "finished segments are opened again" if settings.reopen else "not opened again",
        "A23": chosen.best_page.parent,
        "A25": "no filter" if not settings.least_chance else f"P_E ≥ {settings.least_chance:g}",
        "A28": settings.inside,
        "A33": settings.source_score,
    }
