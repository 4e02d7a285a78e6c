"""The edge log of a crawl by segments (§3.5): a line for every segment link when it is scored."""

from __future__ import annotations

import time
from pathlib import Path
from typing import IO, NamedTuple

from phasa.crawl.segments.features import Chance

EDGES = "edges.tsv"
HEAD = (
    "time\tsource\tdestination\tsource_degree\tdegree_bin\tanchor_bin\taddress_bin\tsource_country\t"
    "destination_country\tsource_domain\tdestination_domain\tP_L\tP_W\tP_E\tcontribution\n"
)
_UNKNOWN = ("",) * 7


class Edge(NamedTuple):
    """A finished segment leads to another: what the predictor says, and what it adds to the other's score."""

    source: str
    destination: str
    degree: float
    chance: Chance
    contribution: float


def nobody(edge: Edge) -> None:
    """Who does not want to know."""


class EdgeLog:
    """Writes edges to a file, tab-separated; the file is made at the first."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[str] | None = None

    def __call__(self, edge: Edge) -> None:
        if self._file is None:
            fresh = not self._path.exists()
            self._file = self._path.open("a", buffering=1, encoding="utf-8")  # a line at a time: nothing is held back
            self._file.write(HEAD if fresh else "")
        attributes = "\t".join(edge.chance.attributes or _UNKNOWN)
        numbers = (edge.chance.by_link, edge.chance.by_words, edge.chance.ensemble, edge.contribution)
        self._file.write(
            f"{time.time():.3f}\t{edge.source}\t{edge.destination}\t{edge.degree:.4f}\t{attributes}\t"
            + "\t".join(f"{number:.4f}" for number in numbers)
            + "\n"
        )
