from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from phasa.crawl.learn.naive_bayes import FLOOR, NaiveBayes, normal_probability, precision_of
from phasa.errors import InputError


def weka(rows: list[list[float]], wanted: list[bool], query: list[float]) -> float:
    """§12.1 word by word, product and rescaling included: the oracle."""
    classes = (False, True)
    product = {x: (wanted.count(x) + 1) / (len(rows) + 2) for x in classes}
    for i in range(len(query)):
        # The last bit of δ decides where a value half-way between two steps falls, so it is shared, and tested apart.
        delta = precision_of(np.array([row[i] for row in rows]))
        v = round(query[i] / delta) * delta
        for x in classes:
            inside = [round(row[i] / delta) * delta for row, kind in zip(rows, wanted, strict=True) if kind is x]
            mean = sum(inside) / len(inside) if inside else 0.0
            deviation = math.sqrt(abs(sum(w * w for w in inside) / len(inside) - mean * mean)) if inside else 0.0
            deviation = max(delta / 6, deviation) if deviation > 1e-10 else delta / 6
            high = normal_probability((v - mean + delta / 2) / deviation)
            low = normal_probability((v - mean - delta / 2) / deviation)
            product[x] *= max(FLOOR, high - low)
        if 0 < max(product.values()) < 1e-75:
            product = {x: p * 1e75 for x, p in product.items()}
    return product[True] / (product[True] + product[False])


GRID = st.integers(0, 20).map(lambda n: n / 20)


@given(
    arrays(float, st.tuples(st.integers(2, 25), st.just(4)), elements=GRID),
    st.randoms(use_true_random=False),
    st.lists(GRID, min_size=4, max_size=4),
)
def test_it_is_the_arithmetic_of_weka(rows: np.ndarray, random, query: list[float]) -> None:  # type: ignore[no-untyped-def]
    wanted = [random.random() < 0.5 for _ in rows]
    ours = NaiveBayes(rows, np.array(wanted)).probability(np.array([query]))[0]
    assert ours == pytest.approx(weka(rows.tolist(), wanted, query), rel=1e-6, abs=1e-9)


@given(arrays(float, st.tuples(st.integers(2, 25), st.just(4)), elements=st.floats(0, 3)))
def test_the_two_classes_share_one_and_swap_with_the_labels(rows: np.ndarray) -> None:
    wanted = np.arange(len(rows)) % 2 == 0
    one, two = NaiveBayes(rows, wanted).probability(rows), NaiveBayes(rows, ~wanted).probability(rows)
    assert np.allclose(one + two, 1, atol=1e-9)
    assert ((one >= 0) & (one <= 1)).all()


def test_the_precision_is_the_mean_gap() -> None:
    assert precision_of(np.array([0.0, 0.1, 0.4, 0.4])) == pytest.approx(0.2)
    assert precision_of(np.array([5.0, 5.0])) == 0.01


def test_a_feature_that_separates_decides() -> None:
    rows = np.array([[0.0, 0, 0, 0]] * 50 + [[0.9, 1, 1, 2]] * 50)
    low, high = NaiveBayes(rows, np.arange(100) >= 50).probability(np.array([[0.0, 0, 0, 0], [0.9, 1, 1, 2]]))
    assert low < 0.001 < 0.999 < high


def test_values_far_away_do_not_overflow() -> None:
    rows = np.array([[0.0, 0, 0, 0], [0.1, 0, 0, 0], [0.9, 1, 1, 1], [1.0, 1, 1, 1]])
    model = NaiveBayes(rows, np.array([False, False, True, True]))
    assert np.isfinite(model.probability(np.array([[1e6, -1e6, 1e6, 1e6]]))).all()


@pytest.mark.parametrize("rows", [np.empty((0, 4)), np.array([[math.nan, 0, 0, 0]])])
def test_nothing_to_learn_from_is_refused(rows: np.ndarray) -> None:
    with pytest.raises(InputError, match="naive Bayes"):
        NaiveBayes(rows, np.ones(len(rows), dtype=bool))
