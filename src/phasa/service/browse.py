"""The Collection page."""

from __future__ import annotations

from phasa.crawl.standing import Standing, standing
from phasa.service.section import Call, Nothing, Section, View
from phasa.service.service import Service


def _collection(service: Service, asked: Nothing) -> Standing:
    return standing(service.collection)


section = Section(
    name="Collection",
    path="/collection",
    views=(View("/collection", "collection.html", _collection),),
    calls=(Call("GET", "/api/collection", "The collection in numbers.", _collection, Standing),),
)
