"""Which feed is next when polls are short, and what the first day of a budget allows."""

from __future__ import annotations

import pytest

from phasa.feed_settings import FeedSettings
from phasa.feeds.bucket import Bucket
from phasa.feeds.due import Due
from phasa.feeds.policies import Policies
from phasa.feeds.rhythm import DAY
from phasa.feeds.terms import rules_of


def test_what_would_lose_posts_goes_before_what_is_due_longer() -> None:
    queue = Due()
    queue.push(10.0, 1)
    queue.push(20.0, 2, 20.0, 30.0)
    queue.push(5.0, 3)
    assert queue.first(15.0) == (5.0, 3), "nothing urgent is due yet"
    assert queue.first(25.0) == (20.0, 2)
    queue.pop(2)
    assert [queue.first(25.0)[1], len(queue)] == [3, 2]
    queue.pop(3)
    assert queue.first(0.0) == (10.0, 1)


def test_among_urgent_feeds_the_earliest_deadline_goes_first() -> None:
    queue = Due()
    queue.push(0.0, 1, 10.0, 500.0)
    queue.push(8.0, 2, 12.0, 40.0)
    assert queue.first(11.0) == (0.0, 1), "only the first is urgent"
    assert queue.first(13.0) == (8.0, 2)


def test_a_feed_becomes_urgent_while_it_waits_for_a_poll() -> None:
    queue = Due()
    queue.push(0.0, 1)
    queue.push(5.0, 2, 20.0, 30.0)
    assert queue.first(10.0)[1] == 1
    assert queue.first(20.0)[1] == 2


def test_what_is_put_off_is_there_once_and_stays_urgent() -> None:
    queue = Due()
    queue.push(0.0, 1, 0.0, 9.0)
    queue.push(50.0, 2)
    assert queue.first(1.0) == (0.0, 1)
    queue.postpone(1, 60.0)
    assert len(queue) == 2
    assert queue.first(1.0) == (50.0, 2)
    assert queue.first(60.0) == (60.0, 1), "urgent when it is due again"
    queue.pop(1)
    queue.pop(2)
    assert len(queue) == 0


def test_only_urgent_feeds_are_left() -> None:
    queue = Due()
    queue.push(20.0, 2, 20.0, 30.0)
    assert queue.first(0.0) == (20.0, 2)


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


@pytest.mark.parametrize("share", [0.0, 0.2, 1.0])
def test_the_polls_at_the_start_are_a_setting_and_the_budget_holds_at_every_moment(share: float) -> None:
    bucket, now = Bucket.in_advance(240.0, 0.0, share), 0.0
    for made in range(1, 700):
        now = bucket.ready_at(now)
        bucket.pay(now)
        allowed = share * 240 + (1 - share) * 240 * now / DAY if now < DAY else 240 * now / DAY
        assert made <= max(1.0, allowed) + 1.0 + 1e-6


def test_the_settings_of_a_collection_say_how_many_polls_are_there_at_the_start() -> None:
    policies = Policies(rules_of(FeedSettings(at_start=0.1), per_day=500.0), 0.0)
    assert policies.shared.bucket.level == pytest.approx(50.0)
