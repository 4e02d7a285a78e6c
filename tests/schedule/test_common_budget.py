"""One price for polls and revisits: shares, the budget at every moment, sides that come and go."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import numpy as np
import pytest

from phasa.errors import PhasaError
from phasa.schedule.common_budget import AWAY, LEAST, PRICES, CommonBudget, Demand, price_of, read_shares
from phasa.schedule.value import Floats

DAY = 86_400.0


def feeds(posts_a_day: Floats) -> Demand:
    """Steady feeds: a poll is worth its price after √(2 · price / rate) seconds."""
    return lambda prices: np.asarray([(DAY / np.sqrt(2 * p / (posts_a_day / DAY))).sum() for p in prices])


def settle(first: CommonBudget, wants: Demand, second: CommonBudget, others: Demand, rounds: int = 3) -> list[float]:
    found = [0.0, 0.0]
    for turn in range(rounds):
        found = [first.share(wants, 600.0 * turn), second.share(others, 600.0 * turn)]
    return found


def test_a_request_is_worth_the_same_on_both_sides(tmp_path: Path) -> None:
    busy, quiet = np.full(100, 9.0), np.full(100, 1.0)
    one, two = (CommonBudget(tmp_path / "b.db", side, 1000.0) for side in ("feeds", "pages"))
    shares = settle(one, feeds(busy), two, feeds(quiet))
    assert shares == pytest.approx([750.0, 250.0], rel=1e-3)  # square roots: 3 to 1
    found = read_shares(tmp_path / "b.db", 1000.0, 1300.0)
    assert found is not None
    assert found.per_day == pytest.approx({"feeds": 750.0, "pages": 250.0}, rel=1e-3)
    for rates, share in ((busy, 750.0), (quiet, 250.0)):
        gap = DAY / (share / 100)
        assert found.price == pytest.approx(gap * gap * rates[0] / DAY / 2, rel=0.01)


def test_the_budget_is_kept_at_every_moment(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    sides = [CommonBudget(tmp_path / "b.db", side, 100.0) for side in ("feeds", "pages")]
    has = [0.0, 0.0]
    for turn in range(200):
        who = int(rng.integers(2))
        has[who] = sides[who].share(feeds(np.full(10, float(rng.lognormal(0, 3)))), 60.0 * turn)
        assert sum(has) <= 100.0 * (1 + 1e-9)
        assert has[who] >= 0.0


def test_who_begins_late_gets_its_share_when_the_other_gives(tmp_path: Path) -> None:
    wants = feeds(np.full(10, 1.0))
    one, two = (CommonBudget(tmp_path / "b.db", side, 100.0) for side in ("feeds", "pages"))
    assert one.share(wants, 0.0) == 100.0
    assert two.share(wants, 1.0) == 0.0
    assert one.share(wants, 2.0) == pytest.approx(50.0)
    assert two.share(wants, 3.0) == pytest.approx(50.0)


@pytest.mark.parametrize("goes", ["leaves", "is killed"])
def test_what_a_side_had_is_free_when_it_has_gone(tmp_path: Path, goes: str) -> None:
    wants = feeds(np.full(10, 1.0))
    one, two = (CommonBudget(tmp_path / "b.db", side, 100.0) for side in ("feeds", "pages"))
    settle(one, wants, two, wants)
    if goes == "leaves":
        two.leave()
        assert one.share(wants, 1300.0) == 100.0
    else:
        assert one.share(wants, 1200.0 + AWAY - 1) == pytest.approx(50.0)
        assert one.share(wants, 1200.0 + AWAY) == 100.0
    assert read_shares(tmp_path / "b.db", 100.0, 1300.0 + AWAY) is None


def test_each_side_keeps_a_little(tmp_path: Path) -> None:
    one, two = (CommonBudget(tmp_path / "b.db", side, 100.0) for side in ("feeds", "pages"))
    shares = settle(one, feeds(np.full(1000, 1e6)), two, feeds(np.full(1, 1e-6)))
    assert shares == pytest.approx([100 * (1 - LEAST), 100 * LEAST])


def test_what_nobody_needs_is_shared_by_halves(tmp_path: Path) -> None:
    one, two = (CommonBudget(tmp_path / "b.db", side, 100.0) for side in ("feeds", "pages"))
    shares = settle(one, lambda prices: 0 * prices + 10.0, two, lambda prices: 0 * prices + 20.0)
    assert shares == pytest.approx([45.0, 55.0])


def test_the_price_falls_with_the_budget() -> None:
    wants = 1e6 / np.sqrt(PRICES)
    assert price_of(wants, 100.0) == pytest.approx(1e8, rel=0.02)
    assert price_of(wants, 1e9) == PRICES[0]


def test_a_file_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "b.db").write_bytes(b"no database " * 100)
    with pytest.raises(PhasaError, match=r"b\.db: the budget cannot be shared"):
        CommonBudget(tmp_path / "b.db", "feeds", 10.0).share(lambda prices: 0 * prices, 0.0)
    assert read_shares(tmp_path / "b.db", 10.0, 0.0) is None


def _ask_often(path: Path, side: str) -> None:
    budget = CommonBudget(path, side, 100.0)
    for turn in range(50):
        budget.share(lambda prices: 100.0 / np.sqrt(prices), float(turn))


def test_two_programs_ask_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    programs = [context.Process(target=_ask_often, args=(tmp_path / "b.db", side)) for side in ("a", "b")]
    for program in programs:
        program.start()
    for program in programs:
        program.join(60)
    assert [program.exitcode for program in programs] == [0, 0]
    found = read_shares(tmp_path / "b.db", 100.0, 50.0)
    assert found is not None
    assert sum(found.per_day.values()) <= 100.0 * (1 + 1e-9)
