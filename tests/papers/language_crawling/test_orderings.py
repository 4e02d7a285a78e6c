"""The orderings of §7.11 are judged by the right figures at the right pages."""

from __future__ import annotations

import numpy as np
import pytest

from phasa.lab.curves import Curve, Ground
from phasa.lab.result import Claim
from phasa.papers.language_crawling.orderings import live_claims, ordering_claims


def _curve(strategy: str, harvest: list[float], world: str = "1:1000") -> Curve:
    """A crawl with these harvests per 100 pages (not cumulative), in a web with 2,000 pages to find."""
    found = np.cumsum(np.array(harvest) * 100)
    marks = 100 * np.arange(1, len(harvest) + 1)
    ground = Ground("thai2", "th", world=world)
    return Curve(strategy, ground, 100, found / marks, np.array(harvest), found / 2000, int(marks[-1]), int(found[-1]),
                 int(marks[-1]))  # fmt: skip


def _claims(seeds: str, **harvest: list[float]) -> dict[str, Claim]:
    found = ordering_claims("E0", seeds, [_curve(name, values) for name, values in harvest.items()])
    return {claim.text: claim for claim in found}


DENSE = [1.0] * 7 + [0.2] * 3
STEADY = [0.9] * 10


def test_on_dense_seeds_the_perfect_line_counts_as_long_as_the_seed_sites_last() -> None:
    claims = _claims("thai2", hybrid=DENSE, lswc=DENSE, nb=STEADY, bfs=[0.6] * 10)
    assert claims["Thai2, coverage to page 700: LSWC = perfect (within 1%)"].holds
    covered = claims["Thai2, coverage to page 700: LSWC > NB-LSWC"]
    assert covered.holds
    assert covered.detail.endswith("at the end 0.380, 0.450")
    late = _claims("thai2", hybrid=DENSE, lswc=[0.97] * 10, nb=STEADY, bfs=[0.6] * 10)
    assert not late["Thai2, coverage to page 700: LSWC = perfect (within 1%)"].holds


def test_far_above_means_beyond_the_interval() -> None:
    def judged(gap: float) -> Claim:
        curves = []
        for world, nb in (("1:1", 0.5), ("2:1", 0.5 + gap)):
            curves += [_curve("nb", [nb], world), _curve("lswc", [0.4], world), _curve("bfs", [0.1], world)]
            curves.append(_curve("hybrid", [0.9], world))
        return ordering_claims("E8", "english", curves)[0]

    assert judged(0.0).holds  # always 0.1 better
    assert not judged(0.4).holds  # better, but by anything between 0.1 and 0.5: two worlds do not prove it
    assert judged(0.4).text == "English seeds, harvest: NB-LSWC ≫ LSWC"


@pytest.mark.parametrize(("later", "holds"), [(0.85, True), (0.5, False)])
def test_live_the_lead_is_looked_for_early_and_equality_after(later: float, holds: bool) -> None:
    first, second = live_claims([_curve("nb", [0.9] * 15), _curve("lswc", [0.3] * 5 + [later] * 10)])
    assert first.holds
    assert "to page 500" in first.text
    assert second.holds == holds
    assert second.detail.startswith(f"0.900 against {later:.3f}")


def test_hybrid_is_set_beside_the_best_of_the_others() -> None:
    claims = _claims("thai1", hybrid=[0.8], nb=[0.7], lswc=[0.85], bfs=[0.2])
    ours = claims["Thai1, harvest: hybrid (ours) ≥ LSWC"]
    assert not ours.holds
    assert ours.source == "E0 ours"
