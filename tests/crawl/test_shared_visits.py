"""Several workers on one frontier: of the budget of revisits each has as much as its pages are worth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from phasa.crawl.revisits import DAY, Revisits
from phasa.fresh_settings import FreshSettings
from phasa.frontier.inbox import Partition
from phasa.frontier.postgres.frontier import Member, PostgresFrontier
from phasa.frontier.protocol import Ending, Frontier, Offer, Seen, State, Visit
from phasa.frontier.sqlite import SqliteFrontier
from phasa.web.url import Url

SITES = 40


@pytest.fixture(params=["sqlite", "postgres"])
def two(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Frontier, Frontier]]:
    if request.param == "sqlite":
        first: Frontier = SqliteFrontier(tmp_path / "f.db", partition=Partition(0, 2))
        second: Frontier = SqliteFrontier(tmp_path / "f.db", partition=Partition(1, 2), epoch=first.epoch)  # type: ignore[attr-defined]
    else:
        address = request.getfixturevalue("postgres")
        first, second = (PostgresFrontier(address, member=Member(f"m{n}", n, 2, shared=True)) for n in range(2))
    yield first, second
    first.close()
    second.close()


def pages_of(frontier: Frontier, changes: float, pages: int) -> int:
    """Give the sites of a worker so many pages each, all seen and due; how many that are."""
    sites = [
        site for site in map(Url, (f"http://site{n}.example/" for n in range(SITES))) if frontier.offer([Offer(site)])
    ]
    frontier.offer([Offer(Url(f"{site}{n}")) for site in sites for n in range(pages - 1)])
    done, now = 0, 0.0
    while leases := frontier.lease(now, n=99):
        for lease in leases:
            seen = Seen(0.0, now, 30, changes, 30 * DAY)
            visit = Visit(now, 200, wanted=True)
            frontier.finish(lease, Ending(State.DONE, "200", now, visit=visit, seen=seen, due=40 * DAY))
            done += 1
        frontier.commit()
        now += 100.0
    return done


def woken(workers: Sequence[Revisits], hours: int) -> list[int]:
    """Visits that each worker makes in that time."""
    made = [0] * len(workers)
    for step in range(1, hours * 6 + 1):
        for number, one in enumerate(workers):
            made[number] += one.wake(50 * DAY + step * 600)
    return made


def test_the_budget_goes_where_the_pages_are(two: tuple[Frontier, Frontier]) -> None:
    counts = [pages_of(two[0], 3.0, 9), pages_of(two[1], 3.0, 1)]
    assert counts[0] > 4 * counts[1] > 0
    settings = FreshSettings(requests_per_day=sum(counts) * 4.0, least_hours=1.0, discovery=0.0)
    made = woken([Revisits(settings, frontier, 50 * DAY, 0.5) for frontier in two], 5)
    assert sum(made) <= settings.requests_per_day * 5 / 24 + 2, "together they keep to it"
    assert sum(made) >= 0.9 * settings.requests_per_day * 5 / 24
    assert made[0] == pytest.approx(sum(made) * counts[0] / sum(counts), rel=0.1)


def test_pages_that_change_more_often_have_more_of_it(two: tuple[Frontier, Frontier]) -> None:
    counts = [pages_of(two[0], 0.5, 4), pages_of(two[1], 8.0, 4)]
    settings = FreshSettings(requests_per_day=sum(counts) * 2.0, aim="delay", least_hours=1.0, discovery=0.0)
    made = woken([Revisits(settings, frontier, 50 * DAY, 0.5) for frontier in two], 6)
    assert sum(made) <= settings.requests_per_day * 6 / 24 + 2
    assert made[1] / counts[1] > 1.5 * made[0] / counts[0]


def test_a_worker_without_pages_leaves_its_part_to_the_others(two: tuple[Frontier, Frontier]) -> None:
    count = pages_of(two[0], 3.0, 4)
    settings = FreshSettings(requests_per_day=count * 4.0, least_hours=1.0, discovery=0.0)
    made = woken([Revisits(settings, frontier, 50 * DAY, 0.5) for frontier in two], 5)
    assert made[1] == 0
    assert made[0] >= 0.9 * settings.requests_per_day * 5 / 24
