"""Is a knowledge base good enough? Cross-validation and the quality gate (§7.6 and §8 of the specification)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phasa.crawl.learn.features import NAMES
from phasa.crawl.learn.knowledge import OTHER, KnowledgeBase
from phasa.crawl.learn.naive_bayes import NaiveBayes
from phasa.errors import InputError
from phasa.measures import f_measure


@dataclass(frozen=True)
class Confusion:
    """Predicted against true class, in the layout of Appendix table 1."""

    hits: int
    """Predicted wanted, truly wanted."""
    alarms: int
    """Predicted wanted, truly other."""
    misses: int
    """Predicted other, truly wanted."""
    rejections: int
    """Predicted other, truly other."""

    @property
    def accuracy(self) -> float:
        return _ratio(self.hits + self.rejections, self.hits + self.alarms + self.misses + self.rejections)

    def wanted(self) -> tuple[float, float, float]:
        """Precision, recall and F of the wanted class."""
        return _scores(self.hits, self.alarms, self.misses)

    def other(self) -> tuple[float, float, float]:
        """Precision, recall and F of the other class."""
        return _scores(self.rejections, self.misses, self.alarms)

    def table(self, label: str = "thai") -> str:
        """The printed table."""
        head = f"{'predicted':<10}{'true ' + label:>12}{'true other':>12}{'precision':>11}{'recall':>8}{'F':>7}"
        first = f"{label:<10}{self.hits:>12}{self.alarms:>12}" + _columns(self.wanted())
        second = f"{OTHER:<10}{self.misses:>12}{self.rejections:>12}" + _columns(self.other())
        total = f"{'total':<10}{self.hits + self.misses:>12}{self.alarms + self.rejections:>12}"
        return "\n".join([head, first, second, total, f"accuracy {self.accuracy:.4f}"])


def confusion_of(predicted: NDArray[np.bool_], truth: NDArray[np.bool_]) -> Confusion:
    """Count the four cases."""
    return Confusion(
        int((predicted & truth).sum()),
        int((predicted & ~truth).sum()),
        int((~predicted & truth).sum()),
        int((~predicted & ~truth).sum()),
    )


def cross_validate(base: KnowledgeBase, folds: int = 10, seed: int = 1) -> Confusion:
    """Every row predicted by a model of the other folds; both classes are spread evenly. Same seed, same table.

    Raises InputError when there are fewer rows than folds.
    """
    if len(base) < folds:
        raise InputError(f"knowledge base: {len(base)} rows cannot be cut into {folds} parts; crawl more pages first")
    fold_of = np.empty(len(base), dtype=np.int64)
    order = np.random.default_rng(seed).permutation(len(base))
    order = order[np.argsort(base.wanted[order], kind="stable")]
    fold_of[order] = np.arange(len(base)) % folds
    predicted = np.empty(len(base), dtype=bool)
    for fold in range(folds):
        held = fold_of == fold
        model = NaiveBayes(base.features[~held], base.wanted[~held])
        predicted[held] = model.probability(base.features[held]) >= 0.5
    return confusion_of(predicted, base.wanted)


def weaknesses(base: KnowledgeBase, rows: int = 1000, share: float = 0.2, support: int = 50) -> list[str]:
    """What makes a knowledge base weak (§8): too small, out of balance, a feature that hardly ever has a value.

    Empty when it is good enough.
    """
    found = []
    if len(base) < rows:
        found.append(f"only {len(base)} rows; {rows} or more are better")
    if not len(base):
        return found
    least = min(float(base.wanted.mean()), 1 - float(base.wanted.mean()))
    if least < share:
        kind = OTHER if base.wanted.mean() > 0.5 else base.label
        found.append(f"out of balance: only {least:.1%} of the rows are '{kind}'; seeds of both kinds mend that")
    for name, column in zip(NAMES, base.features.T, strict=True):
        values = int((column != 0).sum())
        if values < support:
            found.append(f"feature '{name}' has a value in only {values} rows; {support} or more are better")
    return found


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _scores(right: int, false: int, missed: int) -> tuple[float, float, float]:
    precision, recall = _ratio(right, right + false), _ratio(right, right + missed)
    return precision, recall, f_measure(precision, recall)


def _columns(scores: tuple[float, float, float]) -> str:
    return f"{scores[0]:>11.2f}{scores[1]:>8.2f}{scores[2]:>7.3f}"
