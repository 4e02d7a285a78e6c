"""Which annotation style suits a text: people do not cut Thai everywhere in the same way.

The styles are those of the corpora the model learned from. Letter four-grams vote (naive Bayes); a style other than the
first is taken only where the votes for it are clear, so that text of a new kind is cut in the first style.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from phasa.language.segmenters.alphabet import Letters, letters_of
from phasa.language.segmenters.characters import code_points
from phasa.language.segmenters.hashing import Hashes, gram_hashes
from phasa.language.segmenters.model import Model

_SAMPLE = 40_000  # characters that are looked at
_GRAM = 4
_BITS = 16
_SCALE = 16.0
_CLEAR = 0.02  # mean vote a four-gram, in nats, that a style needs over the first in a long text
_DOUBT = 0.5  # and so much more, divided by the root of the number of four-grams, in a short one


def style_of(model: Model, text: str) -> str:
    """The style for a text, by its first characters."""
    scores = votes(model.style_table, letters_of(code_points(text[:_SAMPLE])))
    best = int(np.argmax(scores))
    needed = _CLEAR + _DOUBT / max(1, min(len(text), _SAMPLE)) ** 0.5
    return model.style_names[best if scores[best] - scores[0] > needed else 0]


def votes(table: npt.NDArray[np.int8], letters: Letters) -> npt.NDArray[np.float64]:
    """The mean vote for each style, in nats a four-gram; zeros for a text too short to have one."""
    slots = _slots(letters)
    if not len(slots):
        return np.zeros(len(table))
    mean: npt.NDArray[np.float64] = table.take(slots, axis=1).mean(axis=1, dtype=np.float64)
    return mean / _SCALE


def learn_votes(samples: Mapping[str, Letters]) -> npt.NDArray[np.int8]:
    """The table of votes from one stretch of letters per style, in the order of `samples`."""
    counts = np.stack([np.bincount(_slots(letters), minlength=1 << _BITS) for letters in samples.values()])
    share = (counts + 0.5) / (counts.sum(axis=1, keepdims=True) + 0.5 * counts.shape[1])
    # What few styles have seen little of says little: shrink towards the mean of the styles.
    mean = share.mean(axis=0)
    expected = mean * counts.sum(axis=1, keepdims=True)
    trust = expected / (expected + 2.0)
    logs = np.log(share / mean) * trust
    clipped: npt.NDArray[np.float64] = np.clip(np.round(logs * _SCALE), -127, 127)
    return clipped.astype(np.int8)


def _slots(letters: Letters) -> npt.NDArray[np.int64]:
    if len(letters) < _GRAM:
        return np.zeros(0, dtype=np.int64)
    hashes: Hashes = gram_hashes(letters, _GRAM)[_GRAM][: len(letters) - _GRAM + 1]
    return (hashes >> np.uint32(32 - _BITS)).astype(np.int64)
