"""The garbage collector is as it was when the work is over, also when it failed; free memory goes back."""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress
from pathlib import Path

import pytest

from phasa.garbage import collected_rarely, give_back, leave_the_rest, never_collected


def test_collected_rarely_and_then_as_before() -> None:
    before = gc.get_threshold()
    with suppress(ValueError), collected_rarely():
        assert gc.get_threshold()[0] > before[0]
        assert gc.isenabled()
        raise ValueError
    assert gc.get_threshold() == before


def test_not_collected_at_all_and_then_as_before() -> None:
    with suppress(ValueError), never_collected():
        assert not gc.isenabled()
        raise ValueError
    assert gc.isenabled()


def test_who_had_switched_it_off_finds_it_off() -> None:
    with never_collected():
        with never_collected():
            pass
        assert not gc.isenabled()


def test_what_is_left_at_the_end_is_not_looked_through() -> None:
    gc.collect()
    leave_the_rest()
    try:
        assert gc.get_freeze_count() > gc.get_count()[0]
        assert gc.collect() == 0
    finally:
        gc.unfreeze()


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="the C library has no such call")
def test_memory_that_is_free_between_what_is_in_use_goes_back() -> None:
    def resident() -> int:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))

    blocks = [bytes(range(250)) * 400 for _ in range(400)]
    del blocks[::2]
    before = resident()
    give_back()
    assert resident() < before - 10_000
    assert len(blocks) == 200
