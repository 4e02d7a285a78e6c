"""What a strategy learned, written and read back."""

from __future__ import annotations

import numpy as np
import pytest

from phasa.crawl.strategies.online.memory import Shares
from phasa.crawl.strategies.online.model import Example, OnlineModel
from phasa.crawl.strategies.online.names import PIECES
from phasa.crawl.strategies.online.state import load_state, save_state
from phasa.errors import InputError


def learned() -> tuple[OnlineModel, dict[str, Shares]]:
    model, sites = OnlineModel(np.zeros(3)), Shares(8, 1.0, 2.0)
    model.learn([Example([1.0, 0.5, 0.0], [1] * PIECES, True)])
    sites.add(7, True)
    return model, {"sites": sites}


def blank(bits: int = 8, width: int = 3) -> tuple[OnlineModel, dict[str, Shares]]:
    return OnlineModel(np.zeros(width)), {"sites": Shares(bits, 1.0, 2.0)}


def test_what_is_saved_is_loaded() -> None:
    model, records = learned()
    again, others = blank()
    (extra,) = load_state("x", save_state(model, records, extra=np.arange(4)), again, others, "extra")
    assert extra.tolist() == [0, 1, 2, 3]
    assert np.array_equal(again.weights, model.weights)
    assert np.array_equal(again.piece_weights, model.piece_weights)
    assert others["sites"].share(7, 0.5) == records["sites"].share(7, 0.5)


@pytest.mark.parametrize(("bits", "width", "asked"), [(8, 4, ()), (9, 3, ()), (8, 3, ("missing",))])
def test_the_state_of_another_strategy_changes_nothing(bits: int, width: int, asked: tuple[str, ...]) -> None:
    model, records = blank(bits, width)
    with pytest.raises(InputError, match=r"strategy x: its saved state cannot be read.*delete it"):
        load_state("x", save_state(*learned()), model, records, *asked)
    assert not model.weights.any()
    assert not records["sites"].pages_view.any()


def test_cut_bytes_are_refused() -> None:
    state = save_state(*learned())
    for cut in (0, 3, len(state) // 2, len(state) - 1):
        with pytest.raises(InputError):
            load_state("x", state[:cut], *blank())
