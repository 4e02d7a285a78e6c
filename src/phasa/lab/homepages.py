"""A real web as a replay graph: home pages of 2018, their languages and the links between them.

`nodes.tsv.gz`: id, host, language label ('' = unknown), declared charset, bytes; `edges.tsv.gz`: id, ids separated by
blanks. The label is the truth of a page; before it is fetched a strategy knows its host name and who links to it.
"""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from phasa.errors import InputError
from phasa.lab.graph import OK, AddressList, Graph

UNKNOWN = "und"


def is_homepages(path: Path) -> bool:
    """Whether a folder holds such a graph."""
    return (path / "nodes.tsv.gz").is_file() and (path / "edges.tsv.gz").is_file()


def read_homepages(folder: Path, target: str) -> Graph:
    """The graph in a folder, for crawls after `target`. Raises InputError when no page has that language."""
    urls: list[str] = []
    labels: list[str] = []
    charsets: list[str] = []
    # Pages that were filtered out left holes in the ids.
    numbers: dict[int, int] = {}
    with gzip.open(folder / "nodes.tsv.gz", "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            fields = line.rstrip("\n").split("\t")
            if len(fields) < 4 or not fields[0].isdigit():
                raise InputError(
                    f"{folder / 'nodes.tsv.gz'}: line {number + 1}: expected id, host, label, charset, bytes"
                )
            numbers[int(fields[0])] = number
            urls.append(f"http://{fields[1]}/")
            labels.append(fields[2] or UNKNOWN)
            charsets.append(fields[3] or "unknown")
    offsets, targets = _read_edges(folder / "edges.tsv.gz", numbers)
    languages, language = np.unique(labels, return_inverse=True)
    names, charset = np.unique(charsets, return_inverse=True)
    if len(languages) > 255 or len(names) > 255:
        kept = np.argsort(-np.bincount(charset), kind="stable")[:254]
        place = np.full(len(names), 254)
        place[kept] = np.arange(len(kept))
        charset, names = place[charset], np.array([*names[kept], "others"])
    graph = Graph(
        target=target,
        addresses=AddressList(urls),
        offsets=offsets,
        targets=targets,
        language=language.astype(np.uint8),
        languages=tuple(str(name) for name in languages),
        similarity=np.zeros(len(urls), np.float32),
        status=np.full(len(urls), OK, np.uint16),
        moved=np.full(len(urls), -1, np.int32),
        charset=charset.astype(np.uint8),
        charsets=tuple(str(name) for name in names),
    )
    return aimed_at(graph, target)


def aimed_at(graph: Graph, target: str) -> Graph:
    """The same labelled graph for crawls after another language. Raises InputError when no page has it."""
    if target not in graph.languages:
        raise InputError(f"no page of the graph is in '{target}'; it has {', '.join(graph.languages)}")
    similarity = (graph.language == graph.languages.index(target)).astype(np.float32)
    return replace(graph, target=target, similarity=similarity)


def _read_edges(path: Path, numbers: dict[int, int]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Links in compressed rows. Raises InputError when one names a page that does not exist."""
    sources: list[int] = []
    targets: list[int] = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            source, _, rest = line.partition("\t")
            try:
                found = [numbers[int(word)] for word in rest.split()]
                sources += [numbers[int(source)]] * len(found)
            except (KeyError, ValueError) as problem:
                raise InputError(f"{path}: line {number + 1}: no page has the id {problem}") from None
            targets += found
    source_column = np.array(sources, dtype=np.int64)
    order = np.argsort(source_column, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(source_column, minlength=len(numbers)))])
    return offsets, np.array(targets, dtype=np.int32)[order]
