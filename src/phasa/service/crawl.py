"""The Crawl page: where the crawl stands."""

from __future__ import annotations

from phasa.crawl.standing import Standing, standing
from phasa.service.section import Call, Metric, Nothing, Section, View
from phasa.service.service import Service


def _standing(service: Service, asked: Nothing) -> Standing:
    return standing(service.collection)


def _metrics(service: Service) -> list[Metric]:
    now = standing(service.collection)
    return [
        Metric("urls", "URLs of the collection by state.", value, (("state", state),))
        for state, value in (
            ("waiting", now.waiting),
            ("done", now.done),
            ("dropped", now.dropped),
            ("quarantined", now.quarantined),
        )
    ] + [
        Metric("pages_total", "Pages that were judged.", now.pages),
        Metric("wanted_pages_total", "Pages that the judge wanted.", now.wanted),
        Metric("bytes_total", "Bytes that came.", now.megabytes * 1e6),
        Metric("hosts", "Hosts that are known.", now.hosts),
        Metric("crawl_running", "1 while a crawl works on the collection.", int(now.running)),
    ]


section = Section(
    name="Crawl",
    path="/crawl",
    views=(View("/crawl", "crawl.html", _standing),),
    calls=(Call("GET", "/api/crawl", "Where the crawl stands.", _standing, Standing),),
    metrics=_metrics,
)
