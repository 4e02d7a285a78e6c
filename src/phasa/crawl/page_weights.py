"""How much each page is wanted beside others: the weight with which a visit of it counts (`schedule.value`).

A weight is that of its place in the settings, times the score that the judge gave it when it was last seen. Both are
there already when a page is due, so nothing more is stored, and another setting counts from the next start on.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from phasa.fresh_settings import FreshSettings
from phasa.web.url import Url, host, parse, path

LEAST_SCORE = 0.1
"""A page that was scored lower counts as much as one that was scored so: it was wanted, after all."""


class PageWeight(NamedTuple):
    """How often a page counts; `name` is the place that the settings name for it, '' for none, `score` what the judge's
    score makes of it."""

    times: float
    name: str
    score: float


class PageWeights:
    """The weights of one collection."""

    def __init__(self, settings: FreshSettings) -> None:
        self._by_score = settings.score_weight
        self._places: dict[str, list[_Under]] = {}
        for name, weight in settings.weights.items():
            url = parse(f"http://{name}")
            assert url is not None, "settings refuse such names"
            self._places.setdefault(host(url), []).append(_Under(path(url).rstrip("/"), weight, name))
        for under in self._places.values():
            under.sort(key=lambda one: -len(one.path))
        self._place = lru_cache(maxsize=20_000)(self._find)

    def of(self, url: Url, score: float | None) -> PageWeight:
        """Of a page with such a score, None where it was not judged."""
        weight, name = self._place(url) if self._places else (1.0, "")
        counted = min(max(score, LEAST_SCORE), 1.0) if self._by_score and score is not None else 1.0
        return PageWeight(weight * counted, name, counted)

    def _find(self, url: Url) -> tuple[float, str]:
        server, way = host(url), path(url)
        while server:
            for place in self._places.get(server, ()):
                if way.startswith(place.path) and way[len(place.path) : len(place.path) + 1] in ("", "/", "?"):
                    return place.weight, place.name
            server = server.partition(".")[2]
        return 1.0, ""


class _Under(NamedTuple):
    """What is under a path of a host: its weight, and how the settings name it."""

    path: str
    weight: float
    name: str
