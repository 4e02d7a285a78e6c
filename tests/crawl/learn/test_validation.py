from __future__ import annotations

import numpy as np
import pytest

from phasa.crawl.learn.knowledge import KnowledgeBase
from phasa.crawl.learn.validation import Confusion, cross_validate, weaknesses
from phasa.errors import InputError


def base(rows: int, share: float = 0.5, seed: int = 0) -> KnowledgeBase:
    rng = np.random.default_rng(seed)
    wanted = rng.random(rows) < share
    parent = np.clip(rng.normal(0.5 * wanted + 0.1, 0.1), 0, 1)
    anchor, domain = rng.random(rows) * wanted, wanted & (rng.random(rows) < 0.3)
    features = np.column_stack([parent, anchor, domain, np.log1p(rng.integers(0, 5, rows) * wanted)])
    return KnowledgeBase(features, wanted)


def test_the_ratios_of_appendix_table_1() -> None:
    table = Confusion(6623, 974, 316, 2087)
    assert table.wanted() == pytest.approx((0.8718, 0.9545, 0.9113), abs=1e-4)
    assert table.other() == pytest.approx((0.8685, 0.6818, 0.7639), abs=1e-4)
    assert table.accuracy == pytest.approx(0.8710)


def test_the_printed_table_has_both_classes_and_the_totals() -> None:
    text = Confusion(6623, 974, 316, 2087).table()
    assert [line.split()[0] for line in text.splitlines()] == ["predicted", "thai", "non", "total", "accuracy"]
    assert "6939" in text
    assert "0.911" in text


def test_every_row_is_predicted_once() -> None:
    knowledge = base(997)
    table = cross_validate(knowledge)
    assert table.hits + table.misses == knowledge.wanted.sum()
    assert table.alarms + table.rejections == (~knowledge.wanted).sum()
    assert table.accuracy > 0.9


def test_the_same_seed_gives_the_same_table() -> None:
    assert cross_validate(base(300), seed=7) == cross_validate(base(300), seed=7)


def test_labels_that_mean_nothing_are_not_predicted() -> None:
    knowledge = base(2000)
    mixed = KnowledgeBase(knowledge.features, np.random.default_rng(1).random(2000) < 0.5)
    assert 0.4 < cross_validate(mixed).accuracy < 0.6


def test_too_few_rows_are_refused() -> None:
    with pytest.raises(InputError, match="crawl more"):
        cross_validate(base(5))


def test_a_good_base_has_no_weakness() -> None:
    assert weaknesses(base(3000)) == []


def test_weaknesses_are_named() -> None:
    assert any("rows" in w for w in weaknesses(base(10)))
    assert any("balance" in w for w in weaknesses(base(3000, share=0.02)))
    empty_anchor = base(3000)
    empty_anchor.features[:, 1] = 0
    assert any("'anchor'" in w for w in weaknesses(empty_anchor))
    assert weaknesses(base(0)) == ["only 0 rows; 1000 or more are better"]
