"""The cheapest way through all the words that a text could be cut into.

Every occurrence of a word of the list is an edge; every character with the marks that hang on it is an edge too, at a
price, so that unknown stretches have a way through. One pass over the edges in the order of their ends finds the best
path (dynamic programming).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from phasa.language.segmenters.breaks import word_starts
from phasa.language.segmenters.characters import COMPLEX, Mask, code_points, kinds_of, may_cut
from phasa.language.segmenters.cuts import Starts
from phasa.language.segmenters.matches import Occurrences

Prices = npt.NDArray[np.float64]


def cheapest_starts(text: str, words: Occurrences, prices: Prices, unknown: float) -> Starts:
    """Where words begin on the cheapest path.

    `prices` has the price of each word of the list; a cluster of letters that is no word costs `unknown`. Unknown
    clusters that follow each other are one word in the result. Text of other scripts is cut by Unicode's rules.
    """
    codes = code_points(text)
    begins = word_starts(text, codes)
    allowed = np.append(may_cut(codes), True)
    starts, ends, numbers = words.find(codes)
    whole = allowed[starts] & allowed[ends]
    starts, ends, cost = starts[whole], ends[whole], prices[numbers[whole]]
    complex_start = (kinds_of(codes) == COMPLEX) & allowed[:-1]
    edges = np.flatnonzero(allowed & np.append(complex_start | begins, True))
    cluster_start, cluster_end = edges[:-1], edges[1:]
    cluster_cost = np.where(complex_start[cluster_start], unknown, 1e-6)
    all_ends = np.concatenate([ends, cluster_end])
    order = np.argsort(all_ends, kind="stable")
    back = _best_path(
        len(codes),
        np.concatenate([starts, cluster_start])[order].tolist(),
        all_ends[order].tolist(),
        np.concatenate([cost, cluster_cost])[order].tolist(),
    )
    path = [len(codes)]
    while path[-1]:
        path.append(back[path[-1]])
    cuts = np.array(path[:0:-1], dtype=np.int64)
    return cuts[~_joins_unknown(cuts, complex_start, _known_starts(starts, ends, cuts, len(codes)))]


def _best_path(size: int, starts: list[int], ends: list[int], costs: list[float]) -> list[int]:
    infinity = float("inf")
    best = [infinity] * (size + 1)
    back = [0] * (size + 1)
    best[0] = 0.0
    for start, end, cost in zip(starts, ends, costs, strict=True):
        total = best[start] + cost
        if total < best[end]:
            best[end] = total
            back[end] = start
    return back


def _known_starts(starts: Starts, ends: Starts, cuts: Starts, size: int) -> Mask:
    """For each word of the path, whether it is a word of the list."""
    path_words = cuts * (size + 1) + np.append(cuts[1:], size)
    return np.isin(path_words, starts * (size + 1) + ends)


def _joins_unknown(cuts: Starts, complex_start: Mask, known: Mask) -> Mask:
    unknown = complex_start[cuts] & ~known
    joins = np.zeros(len(cuts), dtype=np.bool_)
    joins[1:] = unknown[1:] & unknown[:-1]
    return joins
