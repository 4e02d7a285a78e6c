"""What a replayed crawl is after, for the languages that the lab's webs are labelled with."""

from __future__ import annotations

from phasa.crawl.target import Similarity, Target
from phasa.lab.graph import Graph
from phasa.language.countries import home_of

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
    """The target of crawls on a graph: its language, and the similarity of every text on it to that language."""
    tlds, countries = HOMES.get(graph.target) or home_of(graph.target)
    return Target(graph.target, tlds, countries, _similarity(graph), graph.threshold)


def _similarity(graph: Graph) -> Similarity:
    if graph.phrases is None:
        return lambda text: 0.0
    known = dict(zip(graph.phrases.texts, graph.phrases.similarity.tolist(), strict=True))
    return lambda text: known.get(text, 0.0)
