"""The numbers of a run, and of several workers together."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasa.crawl.meter import CrawlNumbers, Meter, Metrics, combine
from phasa.frontier.protocol import Stats


def reading() -> Metrics:
    meter = Meter(started=100.0, limit=1000)
    for number in range(150):
        meter.fetched("200", 1000)
        meter.judged(number < 100)
    meter.fetched('odd "name"', 0)
    return meter.read(200.0, Stats(done=151, pages=150, wanted=100, bytes=2_000_000, words=5000, waiting=7))


def test_harvest_is_cumulative_and_of_the_last_hundred() -> None:
    metrics = reading()
    assert metrics.harvest == 100 / 150
    assert metrics.harvest_last_100 == 0.5
    assert metrics.pages_per_second == 1.51
    assert metrics.words_per_megabyte == 2500.0
    assert metrics.seconds_left is not None
    assert round(metrics.seconds_left) == 567


def test_a_fresh_meter_does_not_know_what_it_cannot_know() -> None:
    metrics = Meter(0.0).read(0.0, Stats())
    unknown = (metrics.harvest, metrics.harvest_last_100, metrics.words_per_megabyte, metrics.seconds_left)
    assert unknown == (None, None, None, None)


def test_every_count_of_the_frontier_is_among_the_numbers() -> None:
    names = set(CrawlNumbers.__struct_fields__) | {"bytes", "words"}  # as megabytes, and per megabyte
    assert set(Stats.__struct_fields__) <= names


def worker(time: float = 10.0, rate: float = 2.0, *, leased: int = 3, left: float | None = None) -> Metrics:
    """One of several workers: totals are everybody's, without what it is fetching itself."""
    stats = Stats(waiting=100 - leased, leased=leased, done=50, pages=40, wanted=20, ready_hosts=5, resting_hosts=2)
    return msgspec.structs.replace(
        Meter(0.0).read(time, stats),
        fetches=10,
        pages_per_second=rate,
        seconds_left=left,
        outcomes={"200": 9, "404": 1},
    )


def test_workers_together_have_the_totals_of_one_and_the_speed_of_all() -> None:
    both = combine([worker(10.0, 2.0, leased=3), worker(11.0, 4.0, leased=5)])
    assert (both.done, both.pages, both.wanted) == (50, 40, 20)
    assert (both.leased, both.waiting) == (8, 92)
    assert (both.ready_hosts, both.resting_hosts) == (10, 4)
    assert (both.fetches, both.outcomes) == (20, {"200": 18, "404": 2})
    assert both.pages_per_second == 6.0
    assert both.time == 11.0


def test_the_last_pages_of_a_worker_that_had_few_count_for_few() -> None:
    busy, idle = Meter(0.0), Meter(0.0)
    for _ in range(27):
        busy.judged(True)
    for _ in range(3):
        idle.judged(False)
    both = combine([busy.read(1.0, Stats(pages=30, wanted=27)), idle.read(2.0, Stats(pages=30, wanted=27))])
    assert both.harvest_last_100 == both.harvest == 0.9
    assert both.judged == 30


def test_two_workers_of_one_speed_need_half_the_time() -> None:
    assert combine([worker(left=100.0), worker(left=100.0)]).seconds_left == pytest.approx(50.0)
    assert combine([worker(), worker()]).seconds_left is None


def test_one_worker_is_what_it_says() -> None:
    assert combine([worker()]) == worker()


@given(st.lists(st.tuples(st.floats(1, 100), st.floats(0.1, 9), st.integers(0, 9)), min_size=2, max_size=6))
def test_the_order_of_the_workers_does_not_matter(parts: list[tuple[float, float, int]]) -> None:
    workers = [worker(number + time, rate, leased=leased) for number, (time, rate, leased) in enumerate(parts)]
    one, other = combine(workers), combine(workers[::-1])
    assert (one.leased, one.waiting + one.leased) == (sum(part.leased for part in workers), 100)
    assert one.pages_per_second == pytest.approx(other.pages_per_second)
    assert (one.fetches, one.leased) == (other.fetches, other.leased)
