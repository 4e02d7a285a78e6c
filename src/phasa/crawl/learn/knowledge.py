"""The knowledge base: features as they were before the fetch, class as it was seen after (§3.6 of the specification).

It is a Weka file: five attributes, one row per page. A crawl that uses it never writes to it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phasa.crawl.learn.features import NAMES
from phasa.crawl.learn.naive_bayes import NaiveBayes
from phasa.crawl.strategy import Floats
from phasa.errors import InputError

OTHER = "non"
_MOST_CLASSES = 2
_LARGEST = 1e9


class Row(NamedTuple):
    """One page: a1..a4 before its fetch, and whether it turned out to be wanted."""

    parent: float
    anchor: float
    domain: float
    distance: float
    wanted: bool


@dataclass(frozen=True)
class KnowledgeBase:
    """Rows of earlier pages, and the model they make."""

    features: Floats
    wanted: NDArray[np.bool_]
    label: str = "thai"
    """The name of the wanted class in the file."""

    @classmethod
    def of(cls, rows: Iterable[Row], label: str = "thai") -> KnowledgeBase:
        """The knowledge base of these rows."""
        table = list(rows)
        features = np.array([row[:4] for row in table], dtype=np.float64).reshape(-1, 4)
        return cls(features, np.array([row.wanted for row in table], dtype=bool), label)

    def __len__(self) -> int:
        return len(self.wanted)

    def model(self) -> NaiveBayes:
        """Naive Bayes over the rows. Raises InputError when there are none."""
        return NaiveBayes(self.features, self.wanted)


def write_arff(base: KnowledgeBase) -> str:
    """The Weka file of Figure 18: two decimals, `domain` a whole number."""
    lines = ["@relation all"]
    lines += [f"@attribute {name} real" for name in NAMES]
    lines += [f"@attribute output {{{base.label}, {OTHER}}}", "@data"]
    for (parent, anchor, domain, distance), wanted in zip(base.features.tolist(), base.wanted.tolist(), strict=True):
        lines.append(f"{parent:.2f},{anchor:.2f},{domain:.0f},{distance:.2f},{base.label if wanted else OTHER}")
    return "\n".join(lines) + "\n"


def read_arff(text: str, source: str = "knowledge base") -> KnowledgeBase:
    """The knowledge base in a Weka file with the five attributes. Raises InputError that names the line."""
    attributes: list[str] = []
    classes: list[str] = []
    rows: list[Row] = []
    in_data = False
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.partition("%")[0].strip()
        if not line:
            continue
        keyword = line.split(None, 1)[0].lower()
        if in_data:
            rows.append(_row(line, classes, f"{source}: line {number}"))
        elif keyword == "@attribute":
            name, kind = _attribute(line, f"{source}: line {number}")
            attributes.append(name)
            if kind.startswith("{"):
                classes = [word.strip().strip("'\"") for word in kind.strip("{}").split(",", _MOST_CLASSES)]
        elif keyword == "@data":
            if tuple(attributes[:4]) != NAMES or len(attributes) != 5 or len(classes) != 2:
                raise InputError(f"{source}: expected the attributes {', '.join(NAMES)} and a class of two values")
            in_data = True
    if not in_data:
        raise InputError(f"{source}: no @data line; not a Weka file")
    return KnowledgeBase.of(rows, classes[0])


def _attribute(line: str, where: str) -> tuple[str, str]:
    """Name and kind of an @attribute line."""
    words = line.split(None, 2)
    if len(words) != 3:
        raise InputError(f"{where}: expected '@attribute NAME KIND', found {line[:60]!r}")
    return words[1].strip("'\""), words[2]


def _row(line: str, classes: list[str], where: str) -> Row:
    fields = [field.strip().strip("'\"") for field in line.split(",")]
    if len(fields) != 5 or fields[4] not in classes:
        raise InputError(f"{where}: expected four numbers and one of {', '.join(classes)}")
    try:
        parent, anchor, domain, distance = (float(field) for field in fields[:4])
    except ValueError:
        raise InputError(f"{where}: expected four numbers and one of {', '.join(classes)}") from None
    if not all(abs(value) < _LARGEST for value in (parent, anchor, domain, distance)):
        raise InputError(f"{where}: a number that is none, or too large to be a feature of a page")
    return Row(parent, anchor, domain, distance, fields[4] == classes[0])


def read_knowledge(path: Path) -> KnowledgeBase:
    """The knowledge base in a file. Raises InputError, OSError."""
    try:
        return read_arff(path.read_text(encoding="utf-8"), str(path))
    except UnicodeDecodeError:
        raise InputError(f"{path}: not a text file; a knowledge base is a Weka file (.arff)") from None
