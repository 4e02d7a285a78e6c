"""An online logistic regression: a few dense features and hashed pieces of names, learned page by page.

It starts from weights that common sense would give (a link on a page in the language is good, …), so it is useful
before the first page; each page then moves the weights by the gradient of its own surprise, with a step per weight
that shrinks as the weight is used (AdaGrad) and a slow forgetting that lets it move again when the web changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phasa.crawl.strategies.online.names import PIECES, SPACE
from phasa.crawl.strategy import Floats

Pieces = NDArray[np.int32] | NDArray[np.uint16]


def chance(log_odds: float) -> float:
    """The likelihood of these log odds."""
    return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, log_odds))))


_EACH = np.ones(PIECES)


class Example(NamedTuple):
    """A page: its features and the pieces of its name before the fetch, and what it turned out to be."""

    features: Sequence[float]
    pieces: Sequence[int]
    wanted: bool


class OnlineModel:
    """P(in the language | features); `score` gives its log odds."""

    def __init__(self, weights: Floats, step: float = 0.1, piece_step: float = 0.05, keep: float = 0.9995) -> None:
        self.weights = weights.astype(np.float64)
        self.step = step
        self.piece_step = piece_step
        self.keep = keep
        self.squares = np.ones(len(weights))
        self.piece_weights = np.zeros(SPACE)
        self.piece_squares = np.ones(SPACE)

    def score(self, features: Floats | NDArray[np.float32], pieces: Pieces) -> Floats:
        """Log odds of each row."""
        return np.asarray(features @ self.weights + self.piece_weights.take(pieces) @ _EACH)

    def learn(self, examples: Sequence[Example]) -> None:
        """A few pages, all judged by the weights of before."""
        features = np.array([example.features for example in examples])
        pieces = np.array([example.pieces for example in examples])
        wanted = np.array([example.wanted for example in examples])
        score = np.maximum(np.minimum(self.score(features, pieces), 30.0), -30.0)
        surprise = 1.0 / (1.0 + np.exp(-score)) - wanted
        gradients = surprise[:, None] * features
        self.squares = self.squares * self.keep ** len(wanted) + (gradients * gradients).sum(axis=0)
        self.weights -= self.step * gradients.sum(axis=0) / np.sqrt(self.squares)
        used = pieces.ravel()
        errors = np.repeat(surprise, pieces.shape[1])
        np.add.at(self.piece_squares, used, errors * errors)
        np.add.at(self.piece_weights, used, -self.piece_step * errors / np.sqrt(self.piece_squares[used]))
        self.piece_weights[0] = 0.0
