"""How long a host rests."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from phasa.frontier.politeness import DAY, Politeness, pause

MANNERS = Politeness(delay=2.0, backoff=10.0, backoff_limit=100.0)


def test_the_longest_wish_counts() -> None:
    assert pause(MANNERS) == 2.0
    assert pause(MANNERS, crawl_delay=5.0) == 5.0
    assert pause(MANNERS, crawl_delay=1.0) == 2.0
    assert pause(MANNERS, retry_after=30.0) == 30.0


def test_errors_in_a_row_double_the_rest_up_to_its_limit() -> None:
    rests = [pause(MANNERS, failed=True, errors_in_row=n) for n in range(6)]
    assert rests == [10.0, 20.0, 40.0, 80.0, 100.0, 100.0]
    assert pause(MANNERS, overloaded=True, retry_after=500.0) == 500.0


@given(st.floats(0, 1e12), st.floats(0, 1e12), st.booleans(), st.integers(0, 10**6))
def test_a_rest_is_never_shorter_than_the_delay_nor_longer_than_a_day(
    crawl_delay: float, retry_after: float, failed: bool, errors: int
) -> None:
    rest = pause(MANNERS, crawl_delay=crawl_delay, retry_after=retry_after, failed=failed, errors_in_row=errors)
    assert 2.0 <= rest <= DAY


def test_a_host_and_what_is_under_it_may_have_a_delay_of_its_own() -> None:
    manners = Politeness(delay=2.0, delays={"a.example": 7.0, "b.a.example:81": 0.5, "com": 3.0})
    names = ("a.example", "x.a.example:8080", "b.a.example:81", "b.a.example", "ba.example", "x.com", "[::1]:81")
    assert [manners.delay_of(name).seconds for name in names] == [7.0, 7.0, 0.5, 7.0, 2.0, 3.0, 2.0]
    assert pause(manners, "a.example") == 7.0
    assert pause(manners, "a.example", crawl_delay=9.0) == 9.0
    assert pause(manners, "b.a.example:81") == 0.5
