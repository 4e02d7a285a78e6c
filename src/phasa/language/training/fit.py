"""Fitting one group of the model: a softmax over hashed n-grams, by Adagrad on shuffled batches. Needs scipy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack

from phasa.language.features import letter_rows, letter_table, ngram_buckets

Floats = NDArray[np.float32]
_TOGETHER = 512
# What Adagrad has "seen" before the first step: the smaller, the bolder its first steps on rare n-grams.
_SEEN_AT_START = 1e-9


class Shape(NamedTuple):
    """How large a group's model is: 2**bits buckets, n-grams up to `orders`, columns (rank 0: one for each class)."""

    scripts: tuple[str, ...]
    bits: int
    orders: int
    rank: int
    longest: int = 256


class Fitted(NamedTuple):
    """A group's weights: logits = (sum of table rows / sqrt(n)) @ projection + bias."""

    table: Floats
    projection: Floats | None
    bias: Floats

    def logits(self, features: csr_matrix) -> Floats:
        hidden = features @ self.table
        return np.asarray((hidden if self.projection is None else hidden @ self.projection) + self.bias)


def matrix_of(texts: Sequence[str], shape: Shape) -> csr_matrix:
    """One row per text, a column per bucket, values 1/sqrt(number of n-grams), padding left out."""
    parts = []
    table = letter_table(shape.scripts)
    order = np.argsort([len(text) for text in texts], kind="stable")
    for start in range(0, len(order), _TOGETHER):
        chunk = [texts[i] for i in order[start : start + _TOGETHER]]
        buckets = ngram_buckets(letter_rows(chunk, table, shape.longest), shape.bits, shape.orders)
        present = buckets != 0
        counts = present.sum(axis=1)
        values = np.repeat(1 / np.sqrt(np.maximum(counts, 1)), counts).astype(np.float32)
        indptr = np.concatenate(([0], np.cumsum(counts)))
        parts.append(csr_matrix((values, buckets[present], indptr), shape=(len(chunk), 1 << shape.bits)))
    back = np.empty(len(order), np.int64)
    back[order] = np.arange(len(order))
    return vstack(parts, format="csr")[back]


def fit(
    views: Callable[[int], tuple[csr_matrix, NDArray[np.int64], Floats]],
    classes: int,
    shape: Shape,
    *,
    epochs: int,
    rate: float,
    seed: int,
    batch: int = 1024,
    tell: Callable[[int, Fitted], None] | None = None,
) -> Fitted:
    """Weights after `epochs` passes. `views(epoch)` gives that pass's features, class numbers and weights of lines."""
    random = np.random.default_rng(seed)
    table = np.zeros((1 << shape.bits, shape.rank or classes), np.float32)
    projection = None
    if shape.rank:
        table += (random.standard_normal(table.shape) * 0.1).astype(np.float32)
        table[0] = 0
        projection = (random.standard_normal((shape.rank, classes)) / np.sqrt(shape.rank)).astype(np.float32)
    fitted = Fitted(table, projection, np.zeros(classes, np.float32))
    seen = [
        np.full_like(table, _SEEN_AT_START),
        np.full((shape.rank, classes), 1e-2, np.float32),
        np.full(classes, 1e-2),
    ]
    for epoch in range(epochs):
        step = rate * (1 - 0.9 * epoch / max(epochs - 1, 1))
        features, targets, weights = views(epoch)
        shuffled = random.permutation(len(targets))
        for start in range(0, len(targets), batch):
            rows = shuffled[start : start + batch]
            _learn(fitted, features[rows], targets[rows], weights[rows], seen, step)
        if tell is not None:
            tell(epoch, fitted)
    return fitted


def softmax(logits: Floats) -> Floats:
    """Rows of chances that sum to 1."""
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True), np.float32)


def _learn(
    fitted: Fitted,
    x: csr_matrix,
    y: NDArray[np.int64],
    w: Floats,
    seen: list[Floats],
    step: float,
) -> None:
    hidden = x @ fitted.table
    logits = (hidden if fitted.projection is None else hidden @ fitted.projection) + fitted.bias
    error = softmax(logits)
    error[np.arange(len(y)), y] -= 1
    error *= w[:, None] / w.sum()
    back = error
    if fitted.projection is not None:
        back = error @ fitted.projection.T
        _adagrad(fitted.projection, hidden.T @ error, seen[1], step)
    touched = np.unique(x.indices)
    part, memory = fitted.table[touched], seen[0][touched]
    _adagrad(part, x.T.tocsr()[touched] @ back, memory, step)
    fitted.table[touched], seen[0][touched] = part, memory
    _adagrad(fitted.bias, error.sum(axis=0), seen[2], step)


def _adagrad(values: Floats, change: Floats, seen: Floats, step: float) -> None:
    seen += change * change
    values -= (step * change / np.sqrt(seen)).astype(np.float32)
