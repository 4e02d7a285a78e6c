"""A document as numbers to compare it by: hashes of its five-word shingles, MinHash keys of them, and of paragraphs.

rensa makes the signatures from hashes that we have already: 8 µs for 500 shingles and 120 permutations, where numpy
takes 200 µs and datasketch 2,600 µs (`python bench/corpus.py --minhash`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rensa import RMinHash

from phasa.corpus.document import Document
from phasa.corpus.hashing import number_of

WORDS = 5
"""Words of a shingle."""
MOST = 8192
"""Shingles of a document that are kept: the smallest hashes, which are a fair sample of a longer one."""
BANDS, ROWS = 20, 6
"""At a Jaccard similarity of .8 two documents have a band in common with probability .998, at .5 with .27; candidates
are then compared by their shingles."""
_SEED = 42
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
Hashes = NDArray[np.uint32]
Keys = NDArray[np.uint64]


def shingles(words: Sequence[str]) -> Hashes:
    """The hashes of a text's shingles, ascending, each once; of one with fewer than five words that of all of them."""
    if not words:
        return np.zeros(0, np.uint32)
    known = {word: number_of(word) for word in set(words)}
    grams = np.fromiter(map(known.__getitem__, words), np.uint64, len(words))
    first = grams
    for step in range(1, min(WORDS, len(words))):
        grams = (grams[:-1] ^ (grams[:-1] >> np.uint64(31))) * _FACTOR + first[step:]
    mixed = (grams ^ (grams >> np.uint64(29))) * _FACTOR
    return np.unique((mixed >> np.uint64(32)).astype(np.uint32))[:MOST]


def jaccard(one: Hashes, other: Hashes) -> float:
    """The share of shingles that both have among all; of long documents that of the sample."""
    if not len(one) or not len(other):
        return 0.0
    if len(one) == MOST or len(other) == MOST:
        # Only up to the smaller of the two ends are both samples whole.
        end = min(int(one[-1]) if len(one) == MOST else 1 << 32, int(other[-1]) if len(other) == MOST else 1 << 32)
        one, other = one[one <= end], other[other <= end]
    both = len(np.intersect1d(one, other, assume_unique=True))
    return both / (len(one) + len(other) - both)


def keys_of(documents: Sequence[Hashes]) -> Keys:
    """A row of BANDS keys for each document: two that agree in one are candidates."""
    if not documents:
        return np.zeros((0, BANDS), np.uint64)
    lengths = [max(len(one), 1) for one in documents]
    offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.uint64)
    flat = np.concatenate([one if len(one) else np.zeros(1, np.uint32) for one in documents]).astype(np.uint64)
    # The hashes are spread over 64 bits again, for the library takes them as they are.
    flat = (flat + np.uint64(1)) * _FACTOR
    flat ^= flat >> np.uint64(32)
    rows = RMinHash.digest_matrix_from_flat_token_hashes(flat, offsets, num_perm=BANDS * ROWS, seed=_SEED).to_rows()
    signatures = np.array(rows, dtype=np.uint64).reshape(len(documents), BANDS, ROWS)
    keys = np.full((len(documents), BANDS), 0, np.uint64)
    for row in range(ROWS):
        keys = (keys ^ (keys >> np.uint64(31))) * _FACTOR + signatures[:, :, row]
    keys = (keys ^ (keys >> np.uint64(29))) * _FACTOR
    # A key of one band is never that of another.
    return (keys & ~np.uint64(31)) | np.arange(BANDS, dtype=np.uint64)


def exact_key(document: Document) -> int:
    """One number for all documents with the same words."""
    return number_of(" ".join(document.words)) & ~31 | BANDS


def paragraph_keys(document: Document) -> list[int]:
    """One number for each paragraph and the site that it stands on."""
    return [number_of(f"{document.host}\0{' '.join(one.text.split())}") for one in document.paragraphs]
