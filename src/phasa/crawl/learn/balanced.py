"""Learning from classes of unequal size: under-sampling, cross-validation, G-mean (segment-focused §2.3–2.5)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from phasa.crawl.learn.validation import Confusion, confusion_of
from phasa.errors import InputError

Flags = NDArray[np.bool_]
Rows = NDArray[np.int64]

FOLDS = 10
REPEATS = 10
# Fits on the rows of the first argument and says which rows of the second are wanted.
FitAndJudge = Callable[[Rows, Rows], Flags]


def g_mean(counts: Confusion) -> float:
    """√(sensitivity · specificity) from raw counts (Eq. 1, A20); 0 when a class is missing."""
    positives, negatives = counts.hits + counts.misses, counts.rejections + counts.alarms
    if not positives or not negatives:
        return 0.0
    return math.sqrt(counts.hits / positives * counts.rejections / negatives)


def under_sample(wanted: Flags, rows: Rows, chance: np.random.Generator) -> Rows:
    """The rows with so many of the larger class left out at random that both classes are equally large."""
    positive, negative = rows[wanted[rows]], rows[~wanted[rows]]
    least = min(len(positive), len(negative))
    kept = [chance.permutation(side)[:least] for side in (positive, negative)]
    return np.sort(np.concatenate(kept))


def folds_of(wanted: Flags, folds: int, chance: np.random.Generator) -> Iterator[tuple[Rows, Rows]]:
    """(training rows, validation rows) of each fold; both classes are spread evenly over the folds."""
    order = chance.permutation(len(wanted))
    order = order[np.argsort(wanted[order], kind="stable")]
    fold_of = np.empty(len(wanted), dtype=np.int64)
    fold_of[order] = np.arange(len(wanted)) % folds
    for fold in range(folds):
        yield np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)


@dataclass(frozen=True)
class Check:
    """The G-means of a repeated cross-validation: one row per repetition, one column per fold."""

    scores: NDArray[np.float64]

    @cached_property
    def mean(self) -> float:
        return float(self.scores.mean())

    @property
    def deviation(self) -> float:
        """Standard deviation of the means of the repetitions."""
        return float(self.scores.mean(axis=1).std())

    @property
    def best(self) -> int:
        """The repetition with the highest mean (A15); the first of equals."""
        return int(self.scores.mean(axis=1).argmax())

    @property
    def best_mean(self) -> float:
        return float(self.scores.mean(axis=1)[self.best])


def check(
    wanted: Flags, fit_and_judge: FitAndJudge, *, what: str, folds: int = FOLDS, repeats: int = REPEATS, seed: int = 0
) -> Check:
    """`repeats` × `folds` cross-validation; only the training folds are under-sampled. Same seed, same result.

    Raises InputError, naming `what` is learned, when a class has fewer members than there are folds.
    """
    require_classes(wanted, folds, what)
    scores = np.zeros((repeats, folds))
    for repeat in range(repeats):
        chance = np.random.default_rng((seed, repeat))
        for fold, (training, held) in enumerate(folds_of(wanted, folds, chance)):
            predicted = fit_and_judge(under_sample(wanted, training, chance), held)
            scores[repeat, fold] = g_mean(confusion_of(predicted, wanted[held]))
    return Check(scores)


def final_sample(wanted: Flags, chosen: int, seed: int = 0) -> Rows:
    """The balanced sample of all rows that the final model is fitted on, by the seed of the best repetition (A15)."""
    return under_sample(wanted, np.arange(len(wanted)), np.random.default_rng((seed, chosen)))


def require_classes(wanted: Flags, least: int, what: str) -> None:
    """Raises InputError when one of the two classes has fewer than `least` members."""
    for name, count in (("positive", int(wanted.sum())), ("negative", int((~wanted).sum()))):
        if not count:
            raise InputError(f"{what}: no {name} examples; both kinds are needed to learn the difference")
        if count < least:
            raise InputError(f"{what}: only {count} {name} examples, at least {least} are needed; give more")
