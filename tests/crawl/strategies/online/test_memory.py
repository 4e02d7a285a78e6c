"""What is remembered of a crawl without end."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from phasa.crawl.strategies.online.memory import LastSeen, LastTold


@given(st.lists(st.integers(0, 30)), st.integers(1, 10))
def test_the_last_ones_are_known_and_no_more_than_twice_as_many_kept(keys: list[int], most: int) -> None:
    seen, told = LastSeen[int](most), LastTold[int, str](most)
    for number, key in enumerate(keys):
        seen.add(key)
        told[key] = f"{number}"
        assert len(seen) <= 2 * most
        assert len(told) <= 2 * most
    for place, key in enumerate(keys):
        if len(keys) - place <= most:
            assert key in seen
            assert told.get(key, "") == f"{len(keys) - 1 - keys[::-1].index(key)}"


def test_what_was_never_heard_of_is_not_known() -> None:
    told = LastTold[str, str](3)
    assert told.get("a.com", "") == ""
    assert "a.com" not in LastSeen[str](3)
