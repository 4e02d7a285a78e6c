"""The index of what was seen: packed rows answer as a dictionary does."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from phasa.frontier.database import Database
from phasa.frontier.index.seen_table import KeyFilter, SeenTable, ids_between

KEYS = st.sets(st.integers(0, 200) | st.integers(0, 2**62), max_size=40)
RUNS = st.lists(st.tuples(KEYS, st.booleans()), max_size=6)


@settings(max_examples=60, deadline=None)
@given(RUNS, KEYS)
def test_it_knows_what_was_added_and_nothing_else(runs: list[tuple[set[int], bool]], others: set[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        db = Database(Path(folder) / "f.db")
        table = SeenTable(db.connection, row_keys=4, merged_keys=6)
        known: dict[int, int] = {}
        for number, (keys, few) in enumerate(runs):
            ids = {key: 1000 * number + place for place, key in enumerate(sorted(keys), 1)}
            table.add(np.array(sorted(keys), np.int64), np.array([ids[key] for key in sorted(keys)], np.int64), few=few)
            known = {**ids, **known}  # what was there first stays
            asked = sorted(others | set(known))
            assert table.find_many(asked) == known
            assert SeenTable(db.connection).find_many(asked) == known
        for key in others | set(known):
            assert table.find(key) == known.get(key)
        inside = sorted(id for key, id in known.items() if 50 <= key <= 150)
        assert sorted(ids_between(db.connection, 50, 150)) == inside
        db.close()


def test_the_filter_forgets_nothing_and_lets_few_through() -> None:
    dice = np.random.default_rng(1)
    keys = dice.integers(0, 2**62, 100_000)
    filter = KeyFilter()
    filter.add(keys[:50_000])
    assert filter.may_have(keys[:50_000]).all()
    assert filter.may_have(keys[50_000:]).sum() < 100
