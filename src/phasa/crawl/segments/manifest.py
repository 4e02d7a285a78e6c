"""The manifest of a crawl by topic: every parameter of Appendix A, every reading of §8, checksums of models, seeds."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import msgspec

from phasa.crawl.learn.balanced import FOLDS, REPEATS
from phasa.crawl.segments.evaluation import SWEEP
from phasa.crawl.segments.features import BINS
from phasa.crawl.segments.predictor import Predictor
from phasa.crawl.topics.topic import Topic
from phasa.crawl.topics.training import PAGES_PER_SITE
from phasa.strategy_settings import SegmentSettings

CRAWLERS = {"segment": "tflswc", "best-segment": "best_segment", "best-page": "best_page", "bfs": "breadth_first"}
Value = str | int | float | bool | list[str] | list[float] | dict[str, object]


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a run was: enough to repeat it, and to see that two runs are comparable."""

    configuration: dict[str, Value]
    readings: dict[str, str]
    """Item of §8 → the option that was taken."""
    models: dict[str, str]
    """Model → SHA-256 of its file."""
    seeds: list[str]
    started: float
    ended: float
    """Seconds of the clock that the run had: a virtual one in the lab."""

    def text(self) -> str:
        """As JSON."""
        return msgspec.json.format(msgspec.json.encode(self), indent=1).decode() + "\n"


def make_manifest(
    crawler: str,
    topic: Topic,
    predictor: Predictor | None,
    seeds: Sequence[str],
    settings: SegmentSettings,
    *,
    pages: int,
    pages_per_website: int = PAGES_PER_SITE,
    random_seed: int = 0,
    started: float = 0.0,
    ended: float = 0.0,
) -> Manifest:
    """The manifest of one run."""
    models = {"topic": sha256(topic.encode()).hexdigest()}
    if predictor is not None:
        models["predictor"] = sha256(predictor.encode()).hexdigest()
    return Manifest(
        configuration=_configuration(crawler, topic, predictor, settings, pages, pages_per_website, random_seed),
        readings=_readings(topic, predictor, settings),
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
    pages: int,
    pages_per_website: int,
    random_seed: int,
) -> dict[str, Value]:
    """The keys of Appendix A, in its order."""
    return {
        "language": topic.language,
        "topic": topic.name,
        "relevance_degree_threshold": settings.threshold,
        "relevance_comparison": ">" if settings.strict else ">=",
        "segment_threshold_S": settings.patience,
        "distance_threshold_D": settings.distance,
        "max_pages_total": pages,
        "max_pages_per_website": pages_per_website,
        "website_unit": "host",
        "anchor_context_chars": 100,
        "context_sides": "each",
        "discretization_bins": BINS,
        "discretization": "equal_frequency" if predictor is not None and predictor.edges else "equal_width",
        "ensemble": {"members": ["simple_nb", "multinomial_nb"], "combine": "mean"},
        "page_decision_threshold": topic.threshold,
        "cv": {"folds": topic.report.folds or FOLDS, "repeats": topic.report.repeats or REPEATS,
               "undersample": "train_only", "metric": "g_mean"},
        "threshold_sweep": list(SWEEP),
        "training_hops": 2,
        "topic_training": {"max_pages_per_site": PAGES_PER_SITE, "fields": ["title", "body", "anchor"]},
        "dictionary": {"annotators": 3, "votes_needed": 2},
        "thai_match": {"mode": predictor.matcher.mode if predictor is not None else "none"},
        "diving_words": list(topic.must),
        "frontier_filter": "none" if not settings.least_chance else f"P_E >= {settings.least_chance:g}",
        "crawler": CRAWLERS.get(crawler, crawler),
        "random_seed": random_seed,
    }  # fmt: skip


def _readings(topic: Topic, predictor: Predictor | None, settings: SegmentSettings) -> dict[str, str]:
    """What was chosen for every item of §8 that can be switched."""
    return {
        "A1": "path up to the last slash, query ignored",
        "A2": "host",
        "A3": "RD > τ" if settings.strict else "RD ≥ τ",
        "A5": "occurrences",
        "A6": "one vector per pair of segments",
        "A7": "equal frequency" if predictor is not None and predictor.edges else "equal width",
        "A8": "pages found inside are crawled" if settings.discover else "only pages that waited",
        "A9": f"{topic.threshold:g}",
        "A10": "P_w = 0 in another language",
        "A11": "P_w = 0 without a word that must occur",
        "A12": ", ".join(topic.must) or "no words",
        "A13": "multinomial naive Bayes",
        "A14": "Snowball stems, stop words with boilerplate of addresses",
        "A15": "best repetition, fitted again on a balanced sample",
        "A16": "100 characters on each side",
        "A17": settings.sources,
        "A18": "pages of the starts count; the other rule is reported beside it",
        "A19": "all vectors within one website removed",
        "A21": "shortest run of all sources",
        "A22": "finished segments are opened again" if settings.reopen else "not opened again",
        "A23": "best parent",
        "A24": "pages that were fetched and parsed",
        "A25": "no filter" if not settings.least_chance else f"P_E ≥ {settings.least_chance:g}",
        "A26": "1.0, in their order",
        "A28": settings.inside,
        "A31": f"{PAGES_PER_SITE} pages of a site",
        "A33": "mean page score",
        "A35": "plain words",
        "A37": "all pages of the training crawl",
        "A39": "everything but letters and digits parts words",
    }
