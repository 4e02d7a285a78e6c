"""Which feed is next when polls are short, and what the first day of a budget allows."""

from __future__ import annotations

import pytest

from phasa.feeds.bucket import Bucket
from phasa.feeds.due import Due
from phasa.feeds.rhythm import DAY


def test_what_would_lose_posts_goes_before_what_is_due_longer() -> None:
    queue = Due()
    queue.push(10.0, 1)
    queue.push(20.0, 2, urgent=True)
    queue.push(5.0, 3)
    assert queue.first(15.0) == (5.0, 3, False), "nothing urgent is due yet"
    assert queue.first(25.0) == (20.0, 2, True)
    queue.pop(25.0)
    assert [queue.first(25.0)[1], len(queue)] == [3, 2]
    queue.pop(25.0)
    assert queue.first(0.0) == (10.0, 1, False)


def test_only_urgent_feeds_are_left() -> None:
    queue = Due()
    queue.push(20.0, 2, urgent=True)
    assert queue.first(0.0) == (20.0, 2, True)


@pytest.mark.parametrize("per_day", [1.0, 2.0, 10.0, 700.0])
def test_the_first_day_has_no_more_polls_than_a_day_has(per_day: float) -> None:
    bucket, now = Bucket.in_advance(per_day, 0.0), 0.0
    made: list[float] = []
    while len(made) < 5 * per_day + 5:
        now = max(now + 1e-3, bucket.ready_at(now))
        bucket.pay(now)
        made.append(now)
    for days in (1, 2, 3):
        assert sum(at < days * DAY for at in made) <= max(1.0, per_day * days) + 1e-6
    third = sum(2 * DAY <= at < 3 * DAY for at in made)
    assert third == pytest.approx(per_day, abs=1), "and all of them from then on"


def test_half_a_day_of_polls_is_there_at_once() -> None:
    bucket = Bucket.in_advance(100.0, 0.0)
    for _ in range(50):
        assert bucket.ready_at(0.0) == 0.0
        bucket.pay(0.0)
    assert bucket.ready_at(0.0) == pytest.approx(DAY / 50)
    bucket.fill(DAY)
    assert bucket.level == pytest.approx(50.0)
    bucket.fill(2 * DAY)
    assert bucket.level == pytest.approx(150.0)
