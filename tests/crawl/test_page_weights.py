"""Pages that are wanted more are visited more often, as the settings and the judge say."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from tests.durability.small_web import SmallWeb, collection_for

from phasa.collection import Collection
from phasa.crawl.answer import Answer, Kind
from phasa.crawl.page_weights import LEAST_SCORE, PageWeights
from phasa.crawl.revisits import DAY, Revisits
from phasa.crawl.run.explain import explain
from phasa.crawl.run.freshness import read_freshness
from phasa.errors import SettingsError
from phasa.fresh_settings import FreshSettings
from phasa.frontier.memory import MemoryFrontier
from phasa.frontier.politeness import Politeness
from phasa.frontier.protocol import Ending, Frontier, Offer, Seen, State, Visit
from phasa.frontier.rules import Rules
from phasa.frontier.sqlite import SqliteFrontier
from phasa.settings import read_settings
from phasa.web.url import Url

FREE = Rules(manners=Politeness(delay=0.0, address_delay=0.0))
SAME = Answer(Kind.PAGE, "", status=304)
NAMED = FreshSettings(weights={"b.example": 9.0, "b.example/old": 0.5, "news.b.example": 4.0, "ไทย.example": 2.0})


@pytest.mark.parametrize(
    ("url", "times", "name"),
    [
        ("http://a.example/", 1.0, ""),
        ("https://b.example/x", 9.0, "b.example"),
        ("http://www.b.example:8080/x", 9.0, "b.example"),
        ("http://b.example/old", 0.5, "b.example/old"),
        ("http://b.example/old/1.html", 0.5, "b.example/old"),
        ("http://b.example/old?page=2", 0.5, "b.example/old"),
        ("http://b.example/older", 9.0, "b.example"),
        ("http://news.b.example/old", 4.0, "news.b.example"),
        ("http://notb.example/", 1.0, ""),
        ("http://xn--o3cw4h.example/", 2.0, "ไทย.example"),
    ],
)
def test_the_closest_name_of_the_settings_counts(url: str, times: float, name: str) -> None:
    assert PageWeights(NAMED).of(Url(url), 1.0)[:2] == (times, name)


def test_the_score_of_the_judge_multiplies_it_within_bounds_unless_it_is_not_to() -> None:
    of, url = PageWeights(NAMED).of, Url("http://b.example/")
    assert of(url, 0.5).times == 4.5
    assert of(url, 0.0).times == pytest.approx(9 * LEAST_SCORE)
    assert of(url, 7.0).times == 9.0
    assert of(url, None).times == 9.0, "nothing was judged"
    assert PageWeights(FreshSettings(score_weight=False)).of(url, 0.5).times == 1.0


@pytest.mark.parametrize(
    ("name", "weight", "said"),
    [("b.example", 0.0, "between 0.001 and 1000"), ("http://b.example", 2.0, "is not a host"), ("", 2.0, "is not a")],
)
def test_names_and_weights_that_are_none_are_refused(tmp_path: Path, name: str, weight: float, said: str) -> None:
    file = tmp_path / "fresh.toml"
    file.write_text(f'weights = {{ "{name}" = {weight} }}\n')
    with pytest.raises(SettingsError, match=said):
        read_settings(file, FreshSettings)


def watched(
    frontier: Frontier, scores: tuple[float, float], pages: int = 12, seen: tuple[float, float] = (0, 0)
) -> None:
    """Pages of two hosts, a and b, that change at one rate; those of each have a score, and were seen on a day."""
    frontier.offer([Offer(Url(f"http://{host}.example/{n}")) for host in "ab" for n in range(pages)])
    while leases := frontier.lease(max(seen) * DAY, 50):
        for lease in leases:
            which = "ab".index(lease.host[0])
            at = seen[which] * DAY
            known = Seen(at - 90 * DAY, at, 30, 30.0, 90 * DAY, digest=1)
            visit = Visit(at, 200, wanted=True, score=scores[which])
            frontier.finish(lease, Ending(State.DONE, "200", at, 0.0, visit=visit, seen=known, due=at + DAY))
        frontier.commit()


def visits(settings: FreshSettings, frontier: Frontier, scores: tuple[float, float]) -> Counter[str]:
    """How often the pages of each host are visited in two months, none of them changed."""
    made: Counter[str] = Counter()
    revisits = Revisits(settings, frontier, 0.0)
    for hour in range(24 * 60):
        now = hour * 3600.0
        revisits.wake(now)
        while leases := frontier.lease(now, 50):
            for lease in leases:
                made[lease.host[0]] += 1
                visit = Visit(now, 304, wanted=True, score=scores["ab".index(lease.host[0])])
                frontier.finish(lease, revisits.plan(lease, SAME, None, Ending(State.DONE, "304", now, visit=visit)))
            frontier.commit()
    return made


@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize("scored", [False, True])
def test_pages_that_are_wanted_nine_times_as_much_are_visited_three_times_as_often(
    stored: bool, scored: bool, tmp_path: Path
) -> None:
    """The optimum for the aim delay: visits go with the root of the weight."""
    frontier: Frontier = SqliteFrontier(tmp_path / "frontier.db", FREE) if stored else MemoryFrontier(FREE)
    scores = (0.1, 0.9) if scored else (1.0, 1.0)
    watched(frontier, scores)
    weights = {} if scored else {"b.example": 9.0}
    made = visits(FreshSettings(requests_per_day=8.0, aim="delay", weights=weights), frontier, scores)
    frontier.close()
    assert sum(made.values()) == pytest.approx(8 * 60, rel=0.05), "the budget is the same"
    assert made["b"] / made["a"] == pytest.approx(3.0, rel=0.25)


def test_a_weight_counts_at_once_when_a_page_is_planned() -> None:
    frontier = MemoryFrontier(FREE)
    watched(frontier, (1.0, 1.0), 1)
    revisits = Revisits(FreshSettings(requests_per_day=8.0, aim="delay", weights={"b.example": 100.0}), frontier, 0.0)
    revisits.price = 1e6
    frontier.wake(9 * DAY, 9 * DAY, 9)
    gaps = {}
    for lease in frontier.lease(9 * DAY, 9):
        visit = Visit(9 * DAY, 304, wanted=True, score=1.0)
        ending = revisits.plan(lease, SAME, None, Ending(State.DONE, "304", 9 * DAY, visit=visit))
        gaps[lease.host[0]] = (ending.due or 0.0) - 9 * DAY
    assert gaps["a"] / gaps["b"] > 3


def stored(path: Path, **fresh: object) -> Collection:
    """Forty pages of two hosts, those of b scored 0.5 and seen a month later."""
    settings = FreshSettings(requests_per_day=4.0, **fresh)  # type: ignore[arg-type]
    collection = collection_for(path, SmallWeb(1, 1), fresh=settings)
    with closing(SqliteFrontier(collection.frontier_file, FREE)) as frontier:
        watched(frontier, (1.0, 0.5), 20, (0, 30))
    return collection


def test_how_up_to_date_it_is_counts_pages_as_much_as_they_are_wanted(tmp_path: Path) -> None:
    found = read_freshness(stored(tmp_path / "c", weights={"b.example": 6.0}), 31 * DAY)
    assert found.up_to_date is not None
    assert found.by_weight is not None
    assert found.by_weight > found.up_to_date + 0.1, "those of b weigh three times as much, and were seen yesterday"
    halved = read_freshness(stored(tmp_path / "e", weights={"b.example": 2.0}), 31 * DAY)
    assert halved.by_weight == pytest.approx(halved.up_to_date, abs=0.02), "twice half a page"
    plain = read_freshness(stored(tmp_path / "d", score_weight=False), 31 * DAY)
    assert plain.by_weight == pytest.approx(plain.up_to_date, abs=0.02)
    assert all(one.by_weight == one.up_to_date for one in plain.budgets)
    for weighed, even in zip(found.budgets, plain.budgets, strict=True):
        assert weighed.by_weight > weighed.up_to_date
        assert weighed.up_to_date <= even.up_to_date, "what is wanted more is paid for by the others"
        assert weighed.by_weight >= even.by_weight


def test_why_says_how_much_a_page_counts(tmp_path: Path) -> None:
    collection = stored(tmp_path / "c", weights={"b.example": 6.0})
    assert explain(collection, "http://b.example/3").next_visit.endswith(
        "; counts 3 times (set for b.example, score 0.5)"
    )
    assert "counts" not in explain(collection, "http://a.example/3").next_visit


def test_an_even_weight_changes_no_moment() -> None:
    """Where all pages are wanted alike, the price goes with the weight."""
    dues = []
    for weights in ({}, {"a.example": 7.0, "b.example": 7.0}):
        frontier = MemoryFrontier(FREE)
        watched(frontier, (1.0, 1.0))
        revisits = Revisits(FreshSettings(requests_per_day=8.0, weights=weights), frontier, 0.0)
        revisits.wake(60.0)
        dues.append(np.asarray([page.due for page in frontier.due_pages(-1, 99)]))
    assert dues[0] == pytest.approx(dues[1], rel=1e-6)
