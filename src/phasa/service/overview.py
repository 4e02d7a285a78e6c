"""The Overview page."""

from __future__ import annotations

from phasa.crawl.standing import Standing, standing
from phasa.service.section import Nothing, Section, View
from phasa.service.service import Service


def _overview(service: Service, asked: Nothing) -> Standing:
    return standing(service.collection)


section = Section(name="Overview", path="/overview", views=(View("/overview", "overview.html", _overview),))
