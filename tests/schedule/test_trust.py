"""How far the past of a page and its neighbours is believed follows from what visits find."""

from __future__ import annotations

import numpy as np
import pytest

from phasa.schedule.trust import FIRST, Trust

DAY = 86_400.0
USUAL = 1 / (40 * DAY)
VISITS = 4_000


def test_before_any_visit_it_is_what_was_learned_before() -> None:
    assert Trust().changes == pytest.approx(FIRST, rel=0.15)
    assert Trust(1.0).changes < FIRST / 2 < Trust(8.0).changes / 2
    assert 0.4 < Trust().alone < 0.6


@pytest.mark.parametrize("own", [True, False])
def test_where_pages_have_rates_of_their_own_their_past_is_believed(own: bool) -> None:
    rng = np.random.default_rng(1)
    rates = USUAL * (rng.gamma(0.5, 2.0, VISITS) if own else np.ones(VISITS))
    watched = np.full(VISITS, 80 * DAY)
    past = np.asarray([rng.poisson(rates * watched), watched])
    gaps = np.full(VISITS, 20 * DAY)
    found = rng.random(VISITS) < -np.expm1(-rates * gaps)
    trust = Trust()
    trust.saw(np.full(VISITS, USUAL), past, gaps, gaps, found)
    assert trust.changes < 1.2 if own else trust.changes > 10


@pytest.mark.parametrize("bursts", [True, False])
def test_where_neighbours_foretell_changes_time_alone_counts_for_little(bursts: bool) -> None:
    rng = np.random.default_rng(2)
    gaps = np.full(VISITS, 20 * DAY)
    busy = gaps * rng.gamma(0.2, 5.0, VISITS)
    found = rng.random(VISITS) < -np.expm1(-USUAL * (busy if bursts else gaps))
    trust = Trust()
    trust.saw(np.full(VISITS, USUAL), np.zeros((2, VISITS)), gaps, busy, found)
    assert trust.alone < 0.15 if bursts else trust.alone > 0.85
