"""What a crawl by topic leaves in reports/ (segment-focused-crawling §3.5): its manifest, the segments, the harvest
page by page. The edge log is written by the strategy while it runs."""

from __future__ import annotations

from pathlib import Path

from phasa.collection import Collection
from phasa.crawl.run.crawl_log import read_log
from phasa.crawl.run.manifest import CRAWLERS, Manifest, RunLimits, make_manifest
from phasa.crawl.run.segment_table import segment_table
from phasa.crawl.segments.identifier import key_by
from phasa.crawl.segments.predictor import load_predictor
from phasa.crawl.strategies import STRATEGIES
from phasa.crawl.topics.topic import find_topic
from phasa.files import replace_file
from phasa.strategy_settings import settings_for

HARVEST, SEGMENTS, MANIFESTS = "harvest.tsv", "segments.tsv", "manifests"


def write_topic_artefacts(collection: Collection, started: float, ended: float) -> list[Path]:
    """Write them for a run that has ended; none when the collection has no topic."""
    settings, reports = collection.settings, collection.reports_folder
    if not settings.topic:
        return []
    found = manifest_of(collection, started, ended)
    files = [reports / MANIFESTS / f"{int(started)}-{found.configuration['crawler']}.json"]
    files += [reports / SEGMENTS, reports / HARVEST]
    files[0].parent.mkdir(parents=True, exist_ok=True)
    for path, text in zip(files, (found.text(), segments_text(collection), harvest_text(collection)), strict=True):
        replace_file(path, text)
    return files


def manifest_of(collection: Collection, started: float, ended: float) -> Manifest:
    """What was run: every parameter, every reading, checksums of the models, the seeds, when."""
    settings = collection.settings
    name = settings.strategy.partition(":")[0]
    chosen = settings_for(settings.strategies, settings.strategy) if name in STRATEGIES else settings.strategies
    path = collection.models_folder / chosen.segment.predictor
    predictor = load_predictor(path) if name in ("segment", "segment-hybrid") and path.is_file() else None
    budgets = settings.budgets
    by_domain = bool(budgets.pages_per_site) and not budgets.pages_per_host
    limits = RunLimits(
        budgets.pages,
        budgets.pages_per_site if by_domain else budgets.pages_per_host,
        "registered domain" if by_domain else "host",
    )
    return make_manifest(
        CRAWLERS.get(name, settings.strategy),
        find_topic(settings.topic, collection.models_folder),
        predictor,
        collection.seeds(),
        chosen,
        limits,
        started=started,
        ended=ended,
    )


def segments_text(collection: Collection) -> str:
    """The segment log: a line for each segment."""
    lines = ["segment\tstate\tpages\twanted\trelevance_degree\twaiting\tscore\trun"]
    for row in segment_table(collection, -1):
        shown = (row.degree, row.pending, row.score, row.run)
        numbers = ("" if value is None else f"{value:g}" for value in shown)
        lines.append("\t".join([row.segment, row.state, str(row.pages), str(row.wanted), *numbers]))
    return "\n".join(lines) + "\n"


def harvest_text(collection: Collection) -> str:
    """The harvest table: a line for each page in the order of its fetch, over all runs."""
    key_of = key_by(collection.settings.strategies.segment.directories)
    lines = ["number\ttime\turl\tsegment\trelevant\trelevant_so_far\tharvest"]
    relevant = number = 0
    for line in read_log(collection.log_file) if collection.log_file.exists() else ():
        if line.wanted is None:
            continue
        number += 1
        relevant += line.wanted
        shown = (number, line.time, line.url, key_of(line.url), int(line.wanted), relevant, f"{relevant / number:.4f}")
        lines.append("\t".join(map(str, shown)))
    return "\n".join(lines) + "\n"
