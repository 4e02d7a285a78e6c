"""Numbers for Prometheus, in its text format 0.0.4: metrics.prom of a crawl, and /metrics of the web application."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from phasa.crawl.meter import CrawlNumbers, Metrics


class Metric(NamedTuple):
    """One number, named as Prometheus wants it (`phasa_` is put before, `_total` marks a counter)."""

    name: str
    help: str
    value: float
    labels: tuple[tuple[str, str], ...] = ()


def crawl_metrics(numbers: CrawlNumbers, *, running: bool, paused: bool) -> list[Metric]:
    """The numbers of a crawl; what is not known is left out."""
    states = (
        *(("waiting", numbers.waiting), ("fetching", numbers.leased), ("done", numbers.done)),
        *(("dropped", numbers.dropped), ("quarantined", numbers.quarantined)),
    )
    found = [Metric("urls", "URLs of the collection by state.", n, (("state", state),)) for state, n in states]
    named = (
        ("pages_total", "Pages that were judged.", numbers.pages),
        ("wanted_pages_total", "Pages that the judge wanted.", numbers.wanted),
        ("bytes_total", "Bytes that came.", numbers.megabytes * 1e6),
        ("hosts", "Hosts that are known.", numbers.hosts),
        ("ready_hosts", "Hosts that may be asked now.", numbers.ready_hosts),
        ("resting_hosts", "Hosts that must be left alone for a while.", numbers.resting_hosts),
        ("harvest", "Share of the judged pages that are wanted.", numbers.harvest),
        ("harvest_last_100", "The same among the last hundred pages.", numbers.harvest_last_100),
        ("words_per_megabyte", "Words of wanted text per megabyte fetched.", numbers.words_per_megabyte),
        ("crawl_running", "1 while a crawl works on the collection.", int(running)),
        ("crawl_paused", "1 while it is paused.", int(paused)),
        ("crawl_pages_per_second", "URLs done a second.", numbers.pages_per_second),
        ("crawl_seconds_left", "Seconds until the page limit is reached.", numbers.seconds_left),
    )
    return found + [Metric(name, text, value) for name, text, value in named if value is not None]


def run_metrics(metrics: Metrics) -> list[Metric]:
    """The numbers of a crawl with those that only its run knows."""
    found = crawl_metrics(metrics, running=True, paused=metrics.paused)
    found.append(Metric("run_seconds", "Seconds since the run began.", metrics.seconds))
    return found + [
        Metric("run_fetches_total", "Fetches of the run by answer.", count, (("answer", answer),))
        for answer, count in metrics.outcomes.items()
    ]


def exposition(metrics: Iterable[Metric]) -> str:
    """The text format: help and type once per name, one line per number."""
    lines: list[str] = []
    named: dict[str, list[Metric]] = {}
    for metric in metrics:
        named.setdefault(metric.name, []).append(metric)
    for name, group in named.items():
        kind = "counter" if name.endswith("_total") else "gauge"
        lines += [f"# HELP phasa_{name} {_help(group[0].help)}", f"# TYPE phasa_{name} {kind}"]
        lines += [f"phasa_{name}{_labels(metric.labels)} {metric.value:.15g}" for metric in group]
    return "\n".join(lines) + "\n"


def _help(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _labels(labels: tuple[tuple[str, str], ...]) -> str:
    if not labels:
        return ""
    escaped = ((name, value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")) for name, value in labels)
    return "{" + ",".join(f'{name}="{value}"' for name, value in escaped) + "}"
